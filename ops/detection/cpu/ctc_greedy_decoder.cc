#include "ops/cpu/map_chunks.h"
#include "ops/detection/attrs.h"
#include "ops/detection/cpu/detection_loops.h"
#include "ops/detection/cpu/kernel_tables.h"

namespace tally {
namespace {

// Threads share the batch.
template <Isa isa>
void CtcGreedyDecoder(const CtcGreedyDecoderAttrs& attrs, const KernelCall& call) noexcept {
  const KernelOperand& x = call.operands[0];
  const KernelResult &y = call.results[0], &length = call.results[1];
  const int64_t steps = x.type->shape[0], batch = x.type->shape[1], classes = x.type->shape[2];
  const auto first_best = GetDetectionLoops<isa>().first_best[CodeOf(x.storage)];
  const auto is_inside = [&](int64_t row) {
    return call.operands.size() < 2 ||
           LoadElement(call.operands[1].storage, call.operands[1].bytes, row) != 0;
  };
  const Share share = call.ShareOf(batch);
  for (int64_t n = share.begin; n < share.end; ++n) {
    int64_t symbols = 0, previous = -1;
    for (int64_t t = 0; t < steps && is_inside(t * batch + n); ++t) {
      const int64_t best = first_best(x.bytes + (t * batch + n) * classes * SizeBytes(x.storage), classes);
      const bool repeated = attrs.merge_repeated && best == previous;
      if (best != attrs.blank && !repeated) StoreElement(y.storage, y.bytes, n * steps + symbols++, best);
      previous = best;
    }
    StoreElement(length.storage, length.bytes, n, symbols);
    for (; symbols < steps; ++symbols) StoreElement(y.storage, y.bytes, n * steps + symbols, -1);
  }
}

constexpr auto kCtcGreedyDecoderKernels = EveryIsa<"ctc_greedy_decoder">(
    {.op = Opcode::kCtcGreedyDecoder},
    []<Isa isa>() { return kKernel<PrepareAttrs<CtcGreedyDecoderAttrs>, CtcGreedyDecoder<isa>>; });

}  // namespace

KernelTable CtcGreedyDecoderKernels() { return kCtcGreedyDecoderKernels; }

}  // namespace tally
