#include "ops/cpu/map_chunks.h"
#include "ops/gather/attrs.h"
#include "ops/gather/cpu/gather_loops.h"
#include "ops/gather/cpu/kernel_tables.h"
#include "ops/gather/index_shape.h"

namespace tally {
namespace {

using gather::Clamped;
using gather::ClampedIndex;

int AxisOf(int64_t axis, const Shape& x) { return static_cast<int>(axis < 0 ? axis + x.rank() : axis); }

int64_t PositionOf(int64_t index, const PositionArgs& args) {
  const int64_t n = args.n;
  return args.base +
         args.stride * (args.from_back ? ClampedIndex<int64_t>(index, n) : Clamped<int64_t>(index, n - 1));
}

// Calling a loop takes as long as some elements by themselves.
constexpr int64_t kShortLine = 8;

// y[to + i] = x[the position of indices[from + i]] for count elements of one line.
template <Isa isa>
void GatherLine(const KernelCall& call, int64_t from, int64_t to, int64_t count, PositionArgs args) {
  const GatherLoops& loops = GetGatherLoops<isa>();
  const KernelOperand &x = call.operands[0], &indices = call.operands[1];
  const KernelResult& y = call.results[0];
  if (count <= kShortLine) {
    for (int64_t i = 0; i < count; ++i, args.base += args.step) {
      const int64_t index = LoadElement(indices.storage, indices.bytes, from + i);
      StoreElement(y.storage, y.bytes, to + i, LoadElement(x.storage, x.bytes, PositionOf(index, args)));
    }
    return;
  }
  ChunkBuffer positions, elements;
  auto* at = reinterpret_cast<int64_t*>(positions.bytes);
  for (int64_t done = 0; done < count; done += kChunk) {
    const int64_t n = std::min(kChunk, count - done);
    loops.positions[CodeOf(indices.storage)](indices.bytes + (from + done) * SizeBytes(indices.storage), n,
                                             args, at);
    uint8_t* target = y.bytes + (to + done) * SizeBytes(y.storage);
    const bool same = x.storage == y.storage;
    loops.gather[CodeOf(x.storage)](x.bytes, at, n, same ? target : elements.bytes);
    if (!same) {
      GetConvertLoops<isa>().convert[CodeOf(x.storage)][CodeOf(y.storage)](elements.bytes, target, n);
    }
    args.base += n * args.step;
  }
}

// Calls line(first index, count) for the parts of lines of `length` that are in [begin, end).
template <typename Line>
void ForEachLine(const Share& share, int64_t length, Line line) {
  int64_t first = share.begin % length;
  for (int64_t at = share.begin; at < share.end; first = 0) {
    const int64_t count = std::min(length - first, share.end - at);
    line(at, count);
    at += count;
  }
}

// y[o, j, :] = x[o, position(indices[j]), :], with rows of `inner` elements.
template <Isa isa>
void GatherRows(const KernelCall& call, int64_t n, int64_t inner, bool from_back) {
  const KernelOperand &x = call.operands[0], &indices = call.operands[1];
  const KernelResult& y = call.results[0];
  const int64_t count = indices.type->shape.num_elements();
  const Share share = call.ShareOf(y.type->shape.num_elements() / inner);
  if (inner == 1 && count > kShortLine) {
    return ForEachLine(share, count, [&](int64_t at, int64_t length) {
      GatherLine<isa>(call, at % count, at, length, {n, 1, at / count * n, 0, from_back});
    });
  }
  const auto move = GetConvertLoops<isa>().convert[CodeOf(x.storage)][CodeOf(y.storage)];
  int64_t j = share.begin % count, base = share.begin / count * n;
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t index = LoadElement(indices.storage, indices.bytes, j);
    const int64_t position = from_back ? ClampedIndex<int64_t>(index, n) : Clamped<int64_t>(index, n - 1);
    const int64_t from = base + position;
    if (++j == count) {
      j = 0;
      base += n;
    }
    if (inner == 1) {
      StoreElement(y.storage, y.bytes, row, LoadElement(x.storage, x.bytes, from));
    } else {
      move(x.bytes + from * inner * SizeBytes(x.storage), y.bytes + row * inner * SizeBytes(y.storage),
           inner);
    }
  }
}

template <Isa isa>
void Take(const TakeAttrs& attrs, const KernelCall& call) noexcept {
  const Shape& x = call.operands[0].type->shape;
  if (attrs.axis.empty()) return GatherRows<isa>(call, x.num_elements(), 1, false);
  const int axis = AxisOf(attrs.axis[0], x);
  GatherRows<isa>(call, x[axis], x.stride(axis), false);
}

template <Isa isa>
void Gather(const GatherAttrs& attrs, const KernelCall& call) noexcept {
  const Shape& x = call.operands[0].type->shape;
  const int axis = AxisOf(attrs.axis, x);
  GatherRows<isa>(call, x[axis], x.stride(axis), true);
}

template <Isa isa>
void GatherNd(const GatherNdAttrs& attrs, const KernelCall& call) noexcept {
  const KernelOperand &x = call.operands[0], &indices = call.operands[1];
  const KernelResult& y = call.results[0];
  const Shape &shape = x.type->shape, &tuples = indices.type->shape;
  const int batch = static_cast<int>(attrs.batch_dims);
  const int depth = static_cast<int>(tuples[tuples.rank() - 1]);
  const int64_t inner = batch + depth == 0 ? shape.num_elements() : shape.stride(batch + depth - 1);
  const int64_t rows = tuples.num_elements() / depth;
  int64_t batches = 1;
  for (int axis = 0; axis < batch; ++axis) batches *= shape[axis];
  const auto move = GetConvertLoops<isa>().convert[CodeOf(x.storage)][CodeOf(y.storage)];
  const Share share = call.ShareOf(rows);
  for (int64_t row = share.begin; row < share.end; ++row) {
    int64_t start = row / (rows / batches) * (shape.num_elements() / batches);
    for (int k = 0; k < depth; ++k) {
      const int64_t index = LoadElement(indices.storage, indices.bytes, row * depth + k);
      start += ClampedIndex(index, shape[batch + k]) * shape.stride(batch + k);
    }
    if (inner == 1) {
      StoreElement(y.storage, y.bytes, row, LoadElement(x.storage, x.bytes, start));
    } else {
      move(x.bytes + start * SizeBytes(x.storage), y.bytes + row * inner * SizeBytes(y.storage), inner);
    }
  }
}

template <Isa isa>
void GatherElements(const GatherAttrs& attrs, const KernelCall& call) noexcept {
  const Shape &x = call.operands[0].type->shape, &y = call.results[0].type->shape;
  const int axis = AxisOf(attrs.axis, x);
  int last = x.rank() - 1;
  while (last > 0 && y[last] == 1) --last;  // a line goes along an axis that has some elements
  const int64_t step = axis == last ? 0 : x.stride(last);
  const Share share = call.ShareOf(y.num_elements());
  Index d = Unflatten(share.begin, y);
  ForEachLine(share, y[last], [&](int64_t at, int64_t count) {
    Index first = d;
    first[axis] = 0;
    GatherLine<isa>(call, at, at, count, {x[axis], x.stride(axis), Flatten(first, x), step, true});
    d[last] = 0;
    for (int i = last - 1; i >= 0 && ++d[i] == y[i]; --i) d[i] = 0;
  });
}

// Backwards along the parents, then forwards to the first end.
template <Isa isa>
void GatherTree(const NoParams&, const KernelCall& call) noexcept {
  const KernelOperand &steps = call.operands[0], &parents = call.operands[1], &lengths = call.operands[2];
  const KernelResult& y = call.results[0];
  const int64_t end = LoadElement(call.operands[3].storage, call.operands[3].bytes, 0);
  const Shape& shape = steps.type->shape;
  const int64_t time = shape[0], beams = shape[2], line = shape[1] * beams;
  const Share share = call.ShareOf(line);
  for (int64_t sequence = share.begin; sequence < share.end; ++sequence) {
    const int64_t batch = sequence / beams;
    const int64_t length = Clamped(LoadElement(lengths.storage, lengths.bytes, batch), time);
    int64_t beam = sequence % beams, ended = length;
    for (int64_t t = length - 1; t >= 0; --t) {
      const int64_t at = t * line + batch * beams + beam;
      const int64_t token = LoadElement(steps.storage, steps.bytes, at);
      StoreElement(y.storage, y.bytes, t * line + sequence, token);
      if (token == end) ended = t;
      beam = Clamped(LoadElement(parents.storage, parents.bytes, at), beams - 1);
    }
    for (int64_t t = ended; t < time; ++t) StoreElement(y.storage, y.bytes, t * line + sequence, end);
  }
}

constexpr auto kGatherKernels = JoinKernels(
    EveryIsa<"take">({.op = Opcode::kTake},
                     []<Isa isa>() { return kKernel<PrepareAttrs<TakeAttrs>, Take<isa>>; }),
    EveryIsa<"gather">({.op = Opcode::kGather},
                       []<Isa isa>() { return kKernel<PrepareAttrs<GatherAttrs>, Gather<isa>>; }),
    EveryIsa<"gather_nd">({.op = Opcode::kGatherNd},
                          []<Isa isa>() { return kKernel<PrepareAttrs<GatherNdAttrs>, GatherNd<isa>>; }),
    EveryIsa<"gather_elements">(
        {.op = Opcode::kGatherElements},
        []<Isa isa>() { return kKernel<PrepareAttrs<GatherAttrs>, GatherElements<isa>>; }),
    EveryIsa<"gather_tree">({.op = Opcode::kGatherTree},
                            []<Isa isa>() { return kKernel<PrepareAlways, GatherTree<isa>>; }));

}  // namespace

KernelTable GatherKernels() { return kGatherKernels; }

}  // namespace tally
