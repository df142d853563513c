#include <algorithm>

#include "ops/cpu/elements.h"
#include "ops/cpu/map_chunks.h"
#include "ops/sampling/attrs.h"
#include "ops/sampling/cpu/kernel_tables.h"
#include "ops/sampling/philox.h"

namespace tally {
namespace {

RandomStream StreamOf(int64_t seed, int64_t layer, const KernelCall& call, size_t iteration) {
  return {seed, layer, call.operands.size() > iteration ? Elements(call.operands[iteration])[0] : 0};
}

template <Isa isa>
void RandomUniform(const RandomUniformAttrs& attrs, const KernelCall& call) noexcept {
  const auto stream = StreamOf(attrs.seed, attrs.layer, call, 0);
  const int64_t lo = attrs.lo, hi = attrs.hi;
  const KernelResult& y = call.results[0];
  const Share share = call.ShareOf(y.type->shape.num_elements());
  ChunkBuffer buffer;
  auto* values = reinterpret_cast<int64_t*>(buffer.bytes);
  for (int64_t at = share.begin; at < share.end; at += kChunk) {
    const int64_t n = std::min(kChunk, share.end - at);
    for (int64_t i = 0; i < n; ++i) values[i] = lo + DrawBelow(DrawBits(stream, at + i), hi - lo + 1);
    GetConvertLoops<isa>().convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        values, y.bytes + at * SizeBytes(y.storage), n);
  }
}

// Scratch: the sums of a row of weights.
std::optional<Prepared<RandomCategoricalAttrs>> PrepareRandomCategorical(const KernelFacts& facts) {
  const Shape& weights = facts.operands[0].shape;
  return Prepared<RandomCategoricalAttrs>{facts.attrs<RandomCategoricalAttrs>(),
                                          weights[weights.rank() - 1] * 8};
}

// Sums once for each row, then a search in them for each sample.
template <Isa>
void RandomCategorical(const RandomCategoricalAttrs& attrs, const KernelCall& call) noexcept {
  const auto stream = StreamOf(attrs.seed, attrs.layer, call, 1);
  const Elements weights(call.operands[0]);
  const KernelResult& y = call.results[0];
  const Shape& shape = call.operands[0].type->shape;
  const int64_t choices = shape[shape.rank() - 1];
  auto* sums = reinterpret_cast<int64_t*>(call.scratch);
  const Share share = call.ShareOf(y.type->shape.num_elements());
  int64_t summed = -1;  // the row of which `sums` are
  for (int64_t i = share.begin; i < share.end; ++i) {
    const int64_t row = i / attrs.samples;
    if (row != summed) {
      int64_t sum = 0;
      for (int64_t k = 0; k < choices; ++k) sums[k] = sum += weights[row * choices + k];
      summed = row;
    }
    const int64_t sum = sums[choices - 1];
    const int64_t drawn = sum == 0 ? 0 : DrawBelow(DrawBits(stream, i), sum);
    const int64_t k = sum == 0 ? 0 : std::upper_bound(sums, sums + choices, drawn) - sums;
    StoreElement(y.storage, y.bytes, i, k);
  }
}

constexpr auto kSamplingKernels =
    JoinKernels(EveryIsa<"random_uniform">(
                    {.op = Opcode::kRandomUniform},
                    []<Isa isa>() { return kKernel<PrepareAttrs<RandomUniformAttrs>, RandomUniform<isa>>; }),
                EveryIsa<"random_categorical">({.op = Opcode::kRandomCategorical}, []<Isa isa>() {
                  return kKernel<PrepareRandomCategorical, RandomCategorical<isa>>;
                }));

}  // namespace

std::vector<KernelTable> AllSamplingKernels() { return {kSamplingKernels}; }

}  // namespace tally
