// Launches of weighted sums and of what is done to their results alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rescale.h"
#include "ops/cuda/launch.h"
#include "ops/kernel.h"
#include "ops/linear/packed/block.h"

namespace tally::cuda {

// What a step computes behind the sum. A plan that fuses nothing says only what y is.
struct SumsFusion {
  TensorType y;
  Layout y_layout = Layout::kRowMajor;
  const TensorView* bias = nullptr;  // for each column of a product
  std::vector<RescaleParams> scale;  // none, one, or one for each column
  // An operand behind those of the sum, which lies as y does.
  std::optional<tally::Epilogue::Residual> residual;
  std::vector<int8_t> table;  // 256 entries, -128 first, or none
};

enum class Tiling { kByShape, kLarge, kSmall };

// Whether there are launches for a sum whose weights are constants or whose x is row-major: not for a bias that is
// known only in a run, nor for more than 2^30 positions.
bool TakesSums(const KernelFacts& facts);

// Convolution, conv_transpose or matmul; facts.layout is that of x.
std::optional<Work> PrepareSums(const KernelFacts& facts, const SumsFusion& fusion,
                                Tiling tiling = Tiling::kByShape);

}  // namespace tally::cuda
