#include "ops/linear/packed/kernels.h"

#include <array>

namespace tally {
namespace {

constexpr std::array kKernels = {
#define TALLY_BLOCK_KERNEL(name, Function, flags, element, rows, granules) \
  BlockKernel{name, flags, Element::element, rows, granules, Function},
#include "ops/linear/packed/kernels.inc"
#undef TALLY_BLOCK_KERNEL
};

}  // namespace

std::span<const BlockKernel> BlockKernels() { return kKernels; }

const BlockKernel& SelectBlockKernel(bool wide, CpuFlags flags) {
  for (const BlockKernel& kernel : kKernels) {
    if (flags.HasAll(kernel.flags) && (!wide || kernel.element == Element::kS16)) return kernel;
  }
  return kKernels.back();  // asks for nothing
}

}  // namespace tally
