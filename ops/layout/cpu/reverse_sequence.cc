#include "ops/cpu/elements.h"
#include "ops/cpu/map_chunks.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cpu/kernel_tables.h"

namespace tally {
namespace {

// x as [outer, first axis, middle, second axis, inner], the two axes being the batch's and the sequence's.
template <Isa isa>
void ReverseSequence(const ReverseSequenceAttrs& attrs, const KernelCall& call) noexcept {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Elements lengths(call.operands[1]);
  const Shape& shape = x.type->shape;
  const auto axis_of = [&](int64_t axis) { return static_cast<int>(axis < 0 ? axis + shape.rank() : axis); };
  const int batch = axis_of(attrs.batch_axis), sequence = axis_of(attrs.seq_axis);
  const int first = std::min(batch, sequence), second = std::max(batch, sequence);
  const int64_t inner = shape.stride(second), line = shape[second], step = shape.stride(sequence);
  const ConvertLoops& loops = GetConvertLoops<isa>();
  const auto copy = [&](int64_t from, int64_t from_step, int64_t to, int64_t to_step, int64_t rows) {
    const uint8_t* source = x.bytes + from * SizeBytes(x.storage);
    uint8_t* target = y.bytes + to * SizeBytes(y.storage);
    if (inner == 1) {
      loops.stride[CodeOf(x.storage)][CodeOf(y.storage)](source, from_step, target, to_step, rows);
      return;
    }
    for (int64_t i = 0; i < rows; ++i) {
      loops.convert[CodeOf(x.storage)][CodeOf(y.storage)](source + i * from_step * SizeBytes(x.storage),
                                                          target + i * to_step * SizeBytes(y.storage), inner);
    }
  };
  // Lines of the second axis, each of which is turned around itself, or comes from where the first one says.
  const int64_t lines = shape.num_elements() / (line * inner);
  const Share share = call.ShareOf(lines);
  for (int64_t i = share.begin; i < share.end; ++i) {
    const int64_t of_first = i / (shape.stride(first) / (line * inner)) % shape[first], at = i * line * inner;
    if (sequence == second) {
      const int64_t n = std::clamp<int64_t>(lengths[of_first], 0, line);
      if (n > 0) copy(at + (n - 1) * inner, -inner, at, inner, n);
      if (n < line) copy(at + n * inner, inner, at + n * inner, inner, line - n);
      continue;
    }
    for (int64_t b = 0; b < line; ++b) {
      const int64_t n = std::clamp<int64_t>(lengths[b], 0, shape[sequence]);
      const int64_t from = (of_first < n ? at + (n - 1 - 2 * of_first) * step : at) + b * inner;
      if (inner == 1) {
        StoreElement(y.storage, y.bytes, at + b, LoadElement(x.storage, x.bytes, from));
      } else {
        copy(from, inner, at + b * inner, inner, 1);
      }
    }
  }
}

constexpr auto kReverseSequenceKernels = EveryIsa<"reverse_sequence">(
    {.op = Opcode::kReverseSequence},
    []<Isa isa>() { return kKernel<PrepareAttrs<ReverseSequenceAttrs>, ReverseSequence<isa>>; });

}  // namespace

KernelTable ReverseSequenceKernels() { return kReverseSequenceKernels; }

}  // namespace tally
