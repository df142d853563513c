#include "ops/linear/packed/kernels.h"

#include <array>

#include "ops/linear/packed/long_sums.h"

namespace tally {
namespace {

#define TALLY_BLOCK_KERNEL(name, Function, flags, element, rows, granules, min_rows) \
  BlockKernel{name, flags, Element::element, rows, granules, min_rows, Function},
constexpr std::array kKernels = {
#include "ops/linear/packed/kernels.inc"
};
constexpr std::array kLongKernels = {
#include "ops/linear/packed/long_kernels.inc"
};
#undef TALLY_BLOCK_KERNEL

}  // namespace

std::span<const BlockKernel> AllBlockKernels() { return kKernels; }
std::span<const BlockKernel> AllLongKernels() { return kLongKernels; }

const BlockKernel& SelectBlockKernel(bool wide, int64_t rows, CpuFlags flags) {
  return SelectRow(kKernels, flags, [&](const BlockKernel& kernel) {
    return rows >= kernel.min_rows && (!wide || kernel.element == Element::kS16);
  });
}

const BlockKernel& SelectLongKernel(Element element, CpuFlags flags) {
  return SelectRow(kLongKernels, flags, [&](const BlockKernel& kernel) { return kernel.element == element; });
}

}  // namespace tally
