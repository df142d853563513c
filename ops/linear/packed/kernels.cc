#include "ops/linear/packed/kernels.h"

#include <array>

namespace tally {
namespace {

constexpr std::array kKernels = {
#define TALLY_BLOCK_KERNEL(name, Function, flags, element, rows, granules, min_rows) \
  BlockKernel{name, flags, Element::element, rows, granules, min_rows, Function},
#include "ops/linear/packed/kernels.inc"
#undef TALLY_BLOCK_KERNEL
};

}  // namespace

std::span<const BlockKernel> AllBlockKernels() { return kKernels; }

const BlockKernel& SelectBlockKernel(bool wide, int64_t rows, CpuFlags flags) {
  return SelectRow(kKernels, flags, [&](const BlockKernel& kernel) {
    return rows >= kernel.min_rows && (!wide || kernel.element == Element::kS16);
  });
}

}  // namespace tally
