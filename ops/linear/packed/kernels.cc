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

const BlockKernel& SelectBlockKernel(bool wide, CpuFlags flags) { return SelectRow(kKernels, wide, flags); }

}  // namespace tally
