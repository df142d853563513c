// Kernels of the normalization family.
#pragma once

#include "ops/cpu/isa.h"
#include "ops/kernel.h"
#include "ops/normalization/attrs.h"

namespace tally {

// Operands and results of at most 32 bits.
bool AcceptsSoftmax(const KernelFacts& facts);
int64_t SoftmaxScratchBytes(const KernelFacts& facts);

// The same, of rows that lie dense, with one m and b for each element of a row or for each row, and n below 2^31.
bool AcceptsLayerNorm(const KernelFacts& facts);
bool AcceptsRmsNorm(const KernelFacts& facts);
int64_t NormScratchBytes(const KernelFacts& facts);

// A window along one axis.
bool AcceptsLocalResponseNorm(const KernelFacts& facts);
int64_t LocalResponseNormScratchBytes(const KernelFacts& facts);
// Windows along any axes; a few lines of x.
bool AcceptsResponseLines(const KernelFacts& facts);
int64_t ResponseLinesScratchBytes(const KernelFacts& facts);

// clang-format off
template <Isa, Layout> void SoftmaxKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void LogSoftmaxKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void LayerNormKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void RmsNormKernel(const KernelCall& call) noexcept;
template <Isa, Layout> void LocalResponseNormKernel(const KernelCall& call) noexcept;
template <Isa> void ResponseLinesKernel(const KernelCall& call) noexcept;
// clang-format on

// Rows along any axes, of any width. These are scalar: one row serves every machine.
bool AcceptsLongRows(const KernelFacts& facts);
template <typename Attrs>
int64_t LongRowsScratchBytes(const KernelFacts& facts);
void LongSoftmaxKernel(const KernelCall& call) noexcept;
void LongLogSoftmaxKernel(const KernelCall& call) noexcept;
void LongLayerNormKernel(const KernelCall& call) noexcept;
void LongRmsNormKernel(const KernelCall& call) noexcept;

}  // namespace tally
