#include "ops/linear/sums_cuda.h"

#include "ops/linear/convolution_cuda.h"
#include "ops/linear/product_cuda.h"

namespace tally::cuda {

bool TakesSums(const KernelFacts& facts) {
  if (facts.op == Opcode::kMatmul) return true;
  if (facts.operands.size() > 2 && facts.constants[2] == nullptr) return false;
  return FitsPositions(ConvolutionCall(facts).shape);
}

std::optional<Work> PrepareSums(const KernelFacts& facts, const SumsFusion& fusion, Tiling tiling) {
  // What wraps at 2^32 is proven to come back.
  const bool narrow = RangeOf(Storage::kI32).Contains(facts.accumulator) &&
                      RangeOf(Storage::kI32).Contains(facts.results[0].interval);
  if (facts.op == Opcode::kMatmul) {
    if (narrow) {
      if (auto work = BytesProductWork(facts, fusion, tiling)) return work;
    }
    return DirectProductWork(facts, fusion);
  }
  if (!TakesSums(facts)) return std::nullopt;
  if (narrow) {
    if (auto work = BytesConvolutionWork(facts, fusion, tiling)) return work;
  }
  return DirectConvolutionWork(facts, fusion);
}

std::optional<Work> PrepareSumsAlone(const KernelFacts& facts) {
  SumsFusion fusion;
  fusion.y = facts.results[0];
  fusion.y_layout = HasChannels(fusion.y.shape) ? facts.layout : Layout::kRowMajor;
  return PrepareSums(facts, fusion);
}

}  // namespace tally::cuda
