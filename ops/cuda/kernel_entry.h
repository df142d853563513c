// Tables of kernels of the cuda engine, each beside the functions that it names.
//
//   constexpr KernelEntry kKernels[] = {{Opcode::kClip, "clip", Arch::kSm80, Layouts::kEvery, PrepareClip}};
//   KernelTable ClipKernels() { return kKernels; }
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"

namespace tally::cuda {

enum class Layouts : uint8_t {
  kRowMajor,
  kEvery,  // row-major or channels last, as KernelFacts::layout says
};

// `prepare`: a pure function; nothing when it does not take the call. On a GPU the constants among the
// operands are in the layout of the call, as all others do; KernelFacts::constants are row-major.
struct KernelEntry {
  Opcode op;
  std::string_view name;
  Arch arch;  // for the devices that it is for
  Layouts layouts;
  std::optional<Work> (*prepare)(const KernelFacts&);
};

using KernelTable = std::span<const KernelEntry>;  // best first

}  // namespace tally::cuda
