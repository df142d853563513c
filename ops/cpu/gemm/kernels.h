// The functions of kernels.inc, s64_kernels.inc, depthwise_kernels.inc and winograd_kernels.inc.
#pragma once

#include "ops/cpu/gemm/depthwise.h"
#include "ops/cpu/gemm/micro_kernel.h"
#include "ops/cpu/gemm/winograd.h"

namespace tally {

#define TALLY_MICRO_KERNEL(name, Function, flags, element, rows, k_groups, min_rows) \
  void Function(const GemmArgs&) noexcept;
#include "ops/cpu/gemm/kernels.inc"
#include "ops/cpu/gemm/s64_kernels.inc"
#undef TALLY_MICRO_KERNEL

#define TALLY_DEPTHWISE_KERNEL(name, Function, flags, element, layout) \
  void Function(const DepthwiseCall&) noexcept;
#include "ops/cpu/gemm/depthwise_kernels.inc"
#undef TALLY_DEPTHWISE_KERNEL

#define TALLY_WINOGRAD_KERNEL(name, flags, Input, Output) \
  void Input(const WinogradInput&) noexcept;              \
  void Output(const WinogradOutput&) noexcept;
#include "ops/cpu/gemm/winograd_kernels.inc"
#undef TALLY_WINOGRAD_KERNEL

// The flags that rows ask for.
inline constexpr CpuFlags kAvx2 = CpuFlags().With(CpuFlag::kAvx2);
inline constexpr CpuFlags kAvxVnni = kAvx2.With(CpuFlag::kAvxVnni);
inline constexpr CpuFlags kAvx512 = kAvx2.With(CpuFlag::kAvx512);
inline constexpr CpuFlags kVnni =
    CpuFlags().With(CpuFlag::kAvx512).With(CpuFlag::kAvx512Vnni).With(CpuFlag::kAvx512Vbmi);
inline constexpr CpuFlags kAmx = kVnni.With(CpuFlag::kAmxInt8);
inline constexpr CpuFlags kNeon = CpuFlags().With(CpuFlag::kNeon);
inline constexpr CpuFlags kDotProd = kNeon.With(CpuFlag::kDotProd);
inline constexpr CpuFlags kSimd128 = CpuFlags().With(CpuFlag::kSimd128);
inline constexpr CpuFlags kI8mm = kNeon.With(CpuFlag::kI8mm);

// The first row that the machine has and that `takes` the work. The last row asks for nothing.
template <typename Rows, typename Takes>
const auto& SelectRow(const Rows& rows, CpuFlags flags, Takes takes) {
  for (const auto& row : rows) {
    if (flags.HasAll(row.flags) && takes(row)) return row;
  }
  return rows.back();
}

}  // namespace tally
