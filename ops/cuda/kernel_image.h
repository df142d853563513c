// The device code of this build.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tally::cuda {

struct KernelImage {
  std::span<const uint8_t> bytes;  // the argument of cuModuleLoadData; empty in a build without --config=cuda
  int driver_version = 0;  // the least that can load it, as cuDriverGetVersion counts: 13000 for CUDA 13.0
};

KernelImage EmbeddedKernelImage();

inline constexpr std::string_view kNoDeviceCode =
    "this build has no code for GPUs; build with --config=cuda, which needs nvcc";

}  // namespace tally::cuda
