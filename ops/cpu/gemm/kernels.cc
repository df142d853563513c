#include "ops/cpu/gemm/kernels.h"

#include <array>

#include "ops/cpu/gemm/s64_accumulation.h"

namespace tally {
namespace {

#define TALLY_MICRO_KERNEL(name, Function, flags, element, rows, k_groups, min_rows) \
  MicroKernel{name, flags, Element::element, rows, k_groups, min_rows, Function},
constexpr std::array kMicroKernels = {
#include "ops/cpu/gemm/kernels.inc"
};
constexpr std::array kS64Kernels = {
#include "ops/cpu/gemm/s64_kernels.inc"
};
#undef TALLY_MICRO_KERNEL

}  // namespace

std::span<const MicroKernel> AllMicroKernels() { return kMicroKernels; }
std::span<const MicroKernel> AllS64Kernels() { return kS64Kernels; }

const MicroKernel& SelectMicroKernel(bool wide_x, bool wide_w, int64_t rows, CpuFlags flags) {
  return SelectRow(kMicroKernels, flags, [&](const MicroKernel& kernel) {
    return rows >= kernel.min_rows && (!wide_x || StorageOf(kernel.element) > Storage::kI8) &&
           (!wide_w || StorageOfWeights(kernel.element) > Storage::kI8);
  });
}

const MicroKernel& SelectS64Kernel(Element element, CpuFlags flags) {
  return SelectRow(kS64Kernels, flags, [&](const MicroKernel& kernel) { return kernel.element == element; });
}

}  // namespace tally
