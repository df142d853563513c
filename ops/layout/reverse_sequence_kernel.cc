#include "ops/layout/attrs.h"
#include "ops/layout/kernels.h"
#include "ops/simd/elements.h"
#include "ops/simd/map_chunks.h"

namespace tally {

// x as [outer, first axis, middle, second axis, inner], the two axes being the batch's and the sequence's.
template <Isa isa>
void ReverseSequenceKernel(const KernelCall& call) noexcept {
  const auto attrs = call.attrs<ReverseSequenceAttrs>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Elements lengths(call.operands[1]);
  const Shape& shape = x.type->shape;
  const auto axis_of = [&](int64_t axis) { return static_cast<int>(axis < 0 ? axis + shape.rank() : axis); };
  const int batch = axis_of(attrs.batch_axis), sequence = axis_of(attrs.seq_axis);
  const int64_t inner = shape.stride(std::max(batch, sequence));
  const auto move = GetConvertLoops<isa>().convert[CodeOf(x.storage)][CodeOf(y.storage)];
  const Share share = call.ShareOf(shape.num_elements() / inner);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const auto coordinate = [&](int axis) { return row / (shape.stride(axis) / inner) % shape[axis]; };
    const int64_t t = coordinate(sequence);
    const int64_t n = std::clamp<int64_t>(lengths[coordinate(batch)], 0, shape[sequence]);
    const int64_t from = t < n ? row + (n - 1 - 2 * t) * (shape.stride(sequence) / inner) : row;
    move(x.bytes + from * inner * SizeBytes(x.storage), y.bytes + row * inner * SizeBytes(y.storage), inner);
  }
}

TALLY_INSTANTIATE_KERNEL(ReverseSequenceKernel);

}  // namespace tally
