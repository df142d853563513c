// Launches of a GEMM fused with what is done to its result alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rescale.h"
#include "ops/cuda/launch.h"
#include "ops/gemm/residual_scale.h"
#include "ops/kernel.h"

namespace tally::cuda {

// The computation of a step after the GEMM. A plan that fuses nothing says only what y is.
struct GemmFusion {
  TensorType y;
  Layout y_layout = Layout::kRowMajor;
  const TensorView* bias = nullptr;  // for each column, besides the operator's own
  std::vector<RescaleParams> scale;  // none, one, or one for each column
  // An operand after those of the sum, which is as y does.
  std::optional<ResidualScale> residual;
  std::vector<int8_t> table;  // 256 entries, -128 first, or none
};

// The GEMM kernels of bytes: of warpgroups (Arch::kSm90a) and of warps on the matrix unit, and by dp4a.
enum class Tiling { kByShape, kWide, kNarrow, kLarge, kSmall, kFewRows, kThreads };

// For which devices launches are, and, for tests, by which kernel.
struct GemmChoice {
  Arch arch = Arch::kSm80;
  Tiling tiling = Tiling::kByShape;
  // Whether the plan keeps packed weights, whole tiles; otherwise weights are read from the module.
  bool packs = true;
};

// Whether there are launches for a GEMM whose weights are constants or whose x is row-major: not for more
// than 2^30 positions.
bool TakesGemm(const KernelFacts& facts);

// Convolution, conv_transpose or matmul; facts.layout is that of x.
std::optional<Work> PrepareGemm(const KernelFacts& facts, const GemmFusion& fusion, const GemmChoice& choice);

}  // namespace tally::cuda
