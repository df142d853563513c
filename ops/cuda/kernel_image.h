// The device code of this build.
#pragma once

#include <cstdint>
#include <span>

namespace tally::cuda {

struct KernelImage {
  std::span<const uint8_t> bytes;  // what cuModuleLoadData takes; empty in a build without --config=cuda
  int driver_version = 0;  // the least that can load it, as cuDriverGetVersion counts: 13000 for CUDA 13.0
};

KernelImage EmbeddedKernelImage();

}  // namespace tally::cuda
