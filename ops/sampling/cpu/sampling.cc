#include <algorithm>

#include "ops/cpu/elements.h"
#include "ops/cpu/kernel_attrs.h"
#include "ops/cpu/map_chunks.h"
#include "ops/sampling/attrs.h"
#include "ops/sampling/cpu/kernels.h"
#include "ops/sampling/philox.h"

namespace tally {
namespace {

template <typename Attrs>
RandomStream StreamOf(const KernelCall& call, size_t iteration) {
  return {AttrOf<Attrs>(call, &Attrs::seed), AttrOf<Attrs>(call, &Attrs::layer),
          call.operands.size() > iteration ? Elements(call.operands[iteration])[0] : 0};
}

}  // namespace

bool AcceptsSampling(const KernelFacts&) { return true; }

int64_t RandomCategoricalScratchBytes(const KernelFacts& facts) {
  const Shape& weights = facts.operands[0].shape;
  return weights[weights.rank() - 1] * 8;
}

template <Isa isa>
void RandomUniformKernel(const KernelCall& call) noexcept {
  const auto stream = StreamOf<RandomUniformAttrs>(call, 0);
  const int64_t lo = AttrOf<RandomUniformAttrs>(call, &RandomUniformAttrs::lo),
                hi = AttrOf<RandomUniformAttrs>(call, &RandomUniformAttrs::hi);
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

// Sums once for each row, then a search in them for each sample.
template <Isa isa>
void RandomCategoricalKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<RandomCategoricalAttrs>();
  const auto stream = StreamOf<RandomCategoricalAttrs>(call, 1);
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

TALLY_INSTANTIATE_KERNEL(RandomUniformKernel);
TALLY_INSTANTIATE_KERNEL(RandomCategoricalKernel);

}  // namespace tally
