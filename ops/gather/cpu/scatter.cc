#include "ops/cpu/map_chunks.h"
#include "ops/gather/attrs.h"
#include "ops/gather/cpu/gather_loops.h"
#include "ops/gather/cpu/kernel_tables.h"
#include "ops/gather/index_shape.h"

namespace tally {
namespace {

using gather::ForEachScatter;
using gather::ForEachScatterNd;

// x, then the updates in their order. Every thread looks at all positions and changes those of its share,
// which are rows of `inner` elements.
template <Isa isa>
class Updates {
 public:
  Updates(const KernelCall& call, ScatterKind kind, int64_t inner)
      : call_(call), kind_(static_cast<int>(kind)) {
    const Share rows = call.ShareOf(x_.type->shape.num_elements() / inner);
    share_ = {rows.begin * inner, rows.end * inner};
    if (x_.bytes == y_.bytes) return;
    convert_.convert[CodeOf(x_.storage)][CodeOf(y_.storage)](x_.bytes + share_.begin * SizeBytes(x_.storage),
                                                             y_.bytes + share_.begin * SizeBytes(y_.storage),
                                                             share_.end - share_.begin);
  }

  // The next n updates, of consecutive elements of a row that is in one share.
  void Run(std::optional<int64_t> start, int64_t n) {
    const int64_t first = next_;
    next_ += n;
    if (!start || *start < share_.begin || *start >= share_.end) return;
    for (int64_t done = 0; done < n; done += kChunk) {
      Apply(nullptr, first + done, std::min(kChunk, n - done), {*start + done, share_.end});
    }
  }

  // The next `count` updates of single elements. Update i is at base + i * step, and further by the strides
  // times its `depth` indices along axes of sizes[k] elements, which begin at element `first` of the indices.
  void Line(int64_t first, int64_t count, int64_t base, int64_t step, int depth, const int64_t* sizes,
            const int64_t* strides) {
    int64_t reach = (count - 1) * step;
    for (int k = 0; k < depth; ++k) reach += (sizes[k] - 1) * strides[k];
    if (base >= share_.end || base + reach < share_.begin) {
      next_ += count;
      return;
    }
    const KernelOperand& indices = call_.operands[1];
    const auto add = GetGatherLoops<isa>().add_positions[CodeOf(indices.storage)];
    auto* positions = reinterpret_cast<int64_t*>(positions_.bytes);
    for (int64_t done = 0; done < count; done += kChunk) {
      const int64_t n = std::min(kChunk, count - done);
      for (int64_t i = 0; i < n; ++i) positions[i] = base + (done + i) * step;
      for (int k = 0; k < depth; ++k) {
        const int64_t at = first + done * depth + k;
        add(indices.bytes + at * SizeBytes(indices.storage), depth, n, sizes[k], strides[k], positions);
      }
      Apply(positions, next_, n, share_);
      next_ += n;
    }
  }

 private:
  // `n` updates from `first` on; at most kChunk.
  void Apply(const int64_t* positions, int64_t first, int64_t n, const Share& range) {
    const uint8_t* from = updates_.bytes + first * SizeBytes(updates_.storage);
    const bool wide = updates_.storage != y_.storage;
    if (wide) {
      convert_.convert[CodeOf(updates_.storage)][CodeOf(Storage::kI64)](from, wide_.bytes, n);
      from = wide_.bytes;
    }
    GetGatherLoops<isa>().update[CodeOf(y_.storage)][wide](
        {kind_, from, positions, n, range.begin, range.end, y_.bytes});
  }

  const ConvertLoops& convert_ = GetConvertLoops<isa>();
  const KernelCall& call_;
  const KernelOperand &x_ = call_.operands[0], &updates_ = call_.operands[2];
  const KernelResult& y_ = call_.results[0];
  int kind_;
  Share share_;
  int64_t next_ = 0;  // update
  ChunkBuffer positions_, wide_;
};

template <Isa isa>
void Scatter(const ScatterAttrs& attrs, const KernelCall& call) noexcept {
  const KernelOperand& indices = call.operands[1];
  const Shape& x = call.operands[0].type->shape;
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  const int64_t count = indices.type->shape.num_elements(), n = x[axis], inner = x.stride(axis);
  Updates<isa> updates(call, attrs.kind, inner);
  if (inner == 1) {
    for (int64_t base = 0; base < x.num_elements(); base += n) {
      updates.Line(0, count, base, 0, 1, &n, &inner);
    }
    return;
  }
  ForEachScatter(
      x, axis, count, [&](int64_t i) { return LoadElement(indices.storage, indices.bytes, i); },
      [&](std::optional<int64_t> start, int64_t length) { updates.Run(start, length); });
}

template <Isa isa>
void ScatterNd(const ScatterNdAttrs& attrs, const KernelCall& call) noexcept {
  const KernelOperand& indices = call.operands[1];
  const Shape &x = call.operands[0].type->shape, &tuples = indices.type->shape;
  const int depth = static_cast<int>(tuples[tuples.rank() - 1]);
  const int64_t inner = depth == 0 ? x.num_elements() : x.stride(depth - 1);
  Updates<isa> updates(call, attrs.kind, inner);
  if (inner == 1) {
    std::array<int64_t, kMaxRank> sizes, strides;
    for (int k = 0; k < depth; ++k) sizes[k] = x[k], strides[k] = x.stride(k);
    return updates.Line(0, tuples.num_elements() / depth, 0, 0, depth, sizes.data(), strides.data());
  }
  ForEachScatterNd(
      x, depth, tuples.num_elements() / depth,
      [&](int64_t i) { return LoadElement(indices.storage, indices.bytes, i); },
      [&](std::optional<int64_t> start, int64_t length) { updates.Run(start, length); });
}

template <Isa isa>
void ScatterElements(const ScatterAttrs& attrs, const KernelCall& call) noexcept {
  const Shape &x = call.operands[0].type->shape, &indices = call.operands[1].type->shape;
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis), last = x.rank() - 1;
  const int64_t n = x[axis], stride = x.stride(axis), length = indices[last], step = axis == last ? 0 : 1;
  Updates<isa> updates(call, attrs.kind, 1);
  for (int64_t first = 0; first < indices.num_elements(); first += length) {
    Index d = Unflatten(first, indices);
    d[axis] = 0;
    updates.Line(first, length, Flatten(d, x), step, 1, &n, &stride);
  }
}

constexpr auto kScatterKernels = JoinKernels(
    EveryIsa<"scatter">({.op = Opcode::kScatter, .in_place = true},
                        []<Isa isa>() { return kKernel<PrepareAttrs<ScatterAttrs>, Scatter<isa>>; }),
    EveryIsa<"scatter_nd">({.op = Opcode::kScatterNd, .in_place = true},
                           []<Isa isa>() { return kKernel<PrepareAttrs<ScatterNdAttrs>, ScatterNd<isa>>; }),
    EveryIsa<"scatter_elements">({.op = Opcode::kScatterElements, .in_place = true}, []<Isa isa>() {
      return kKernel<PrepareAttrs<ScatterAttrs>, ScatterElements<isa>>;
    }));

}  // namespace

KernelTable ScatterKernels() { return kScatterKernels; }

}  // namespace tally
