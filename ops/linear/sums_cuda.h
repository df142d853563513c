// Launches of weighted sums and of what is done to their results alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rescale.h"
#include "ops/cuda/launch.h"
#include "ops/kernel.h"
#include "ops/linear/packed/micro_kernel.h"

namespace tally::cuda {

// What a step computes behind the sum. A plan that fuses nothing says only what y is.
struct SumsFusion {
  TensorType y;
  Layout y_layout = Layout::kRowMajor;
  const TensorView* bias = nullptr;  // for each column, besides the operator's own
  std::vector<RescaleParams> scale;  // none, one, or one for each column
  // An operand behind those of the sum, which lies as y does.
  std::optional<tally::Epilogue::Residual> residual;
  std::vector<int8_t> table;  // 256 entries, -128 first, or none
};

// The kernels of sums of bytes: of warpgroups (Arch::kSm90a) and of warps on the matrix unit, and by dots.
enum class Tiling { kByShape, kWide, kNarrow, kLarge, kSmall, kFewRows, kThreads };

// For which devices launches are, and, for tests, by which kernel.
struct SumsChoice {
  Arch arch = Arch::kSm80;
  Tiling tiling = Tiling::kByShape;
};

// Whether there are launches for a sum whose weights are constants or whose x is row-major: not for more than 2^30
// positions.
bool TakesSums(const KernelFacts& facts);

// Convolution, conv_transpose or matmul; facts.layout is that of x.
std::optional<Work> PrepareSums(const KernelFacts& facts, const SumsFusion& fusion, const SumsChoice& choice);

}  // namespace tally::cuda
