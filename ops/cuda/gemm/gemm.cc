#include "ops/cuda/gemm/gemm.h"

#include "ops/cuda/gemm/convolution.h"
#include "ops/cuda/gemm/matmul.h"
#include "ops/cuda/proportion.h"

namespace tally::cuda {

bool TakesGemm(const KernelFacts& facts) {
  if (facts.op == Opcode::kMatmul) return true;
  return FitsPositions(CallOf(facts).shape);
}

std::optional<Work> PrepareGemm(const KernelFacts& facts, const GemmFusion& fusion,
                                const GemmChoice& choice) {
  // Sums that wrap at 2^32 are proven to come back.
  const bool is_s64 = !RangeOf(Storage::kI32).Contains(facts.accumulator) ||
                      !RangeOf(Storage::kI32).Contains(facts.results[0].interval);
  if (facts.op == Opcode::kMatmul) {
    if (!choice.packs) return DirectProductWork(facts, fusion);
    auto work = ByteGemmWork(facts, fusion, choice, is_s64);
    if (work && InProportion(*work, facts)) return work;
    return DirectProductWork(facts, fusion);
  }
  if (!TakesGemm(facts)) return std::nullopt;
  if (!choice.packs) return DirectConvolutionWork(facts, fusion);
  if (!is_s64 && choice.tiling == Tiling::kByShape) {
    if (auto work = DepthwiseWork(facts, fusion)) return work;
  }
  auto work = ByteConvolutionWork(facts, fusion, choice, is_s64);
  if (work && InProportion(*work, facts)) return work;
  return DirectConvolutionWork(facts, fusion);
}

}  // namespace tally::cuda
