#include "ops/cpu/strided_copy.h"
#include "ops/reduction/cpu/kernel_tables.h"
#include "ops/reduction/cpu/reduction_loops.h"
#include "ops/reduction/reduce_shape.h"

namespace tally {
namespace {

AxisSet AxesOf(std::span<const int64_t> axes, int rank) {
  AxisSet set = 0;
  for (const int64_t axis : axes) set |= AxisSet{1} << (axis < 0 ? axis + rank : axis);
  return axes.empty() ? AllAxes(rank) : set;
}

AxisSet AxesOfCvm(const CvmReduceAttrs& attrs, int rank) {
  const AxisSet listed = AxesOf(attrs.axis, rank);
  return attrs.exclude && !attrs.axis.empty() ? AllAxes(rank) & ~listed : listed;
}

// The loops of x but the innermost, apart: those over results and those over what meets in one. Tensor 0 is
// x.
struct Nest {
  Folded kept, reduced;
  int64_t inner, y_stride;

  Nest(const Shape& x, const Shape& y, AxisSet axes, bool keepdims, Layout layout) {
    const auto own = StridesOf(x, layout), result = StridesOf(y, layout);
    std::array<int64_t, kMaxRank> by_axis = {};
    int y_axis = 0;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const bool is_reduced = (axes >> axis & 1) != 0;
      by_axis[axis] = is_reduced ? 0 : result[y_axis];
      if (!is_reduced || keepdims) ++y_axis;
    }
    Folded all(x, layout);
    all.AddStrided(own);
    all.AddStrided(by_axis);
    all.Fold();
    inner = all.inner();
    y_stride = all.inner_stride(1);
    for (int i = 0; i + 1 < all.rank; ++i) {
      (all.strides[1][i] == 0 ? reduced : kept).AddLoop(all.dims[i], all.strides[0][i], all.strides[1][i]);
    }
    kept.AddLoop(1, 0, 0);  // Offset leaves out the innermost
    reduced.AddLoop(1, 0, 0);
  }
};

template <Isa isa>
void ReduceRuns(const KernelCall& call, const Nest& nest, ReduceKind kind) {
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const auto run = GetReductionLoops<isa>().run[static_cast<int>(kind)][CodeOf(x.storage)];
  const Share share = call.ShareOf(nest.kept.outer());
  const int64_t runs = nest.reduced.outer();
  StridedIterator result(nest.kept, share.begin), reduced(nest.reduced, 0);  // back at 0 after each row
  for (int64_t row = share.begin; row < share.end; ++row, result.Next()) {
    const int64_t first = result.offset(0);
    int64_t all = 0;
    for (int64_t k = 0; k < runs; ++k, reduced.Next()) {
      const int64_t v = run(x.bytes + (first + reduced.offset(0)) * SizeBytes(x.storage), nest.inner);
      const auto u = static_cast<uint64_t>(v), w = static_cast<uint64_t>(all);
      if (k == 0) {
        all = v;
      } else {
        switch (kind) {
          case ReduceKind::kSum: all = static_cast<int64_t>(w + u); break;
          case ReduceKind::kMax: all = std::max(all, v); break;
          case ReduceKind::kMin: all = std::min(all, v); break;
          case ReduceKind::kProduct: all = static_cast<int64_t>(w * u); break;
        }
      }
    }
    StoreElement(y.storage, y.bytes, result.offset(1), all);
  }
}

// Rows of x meet in a chunk of y. A sum that fits its storage may wrap on the way.
template <Isa isa>
void ReduceRows(const KernelCall& call, const Nest& nest, ReduceKind kind) {
  const ReductionLoops& loops = GetReductionLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const int from = CodeOf(x.storage), to = CodeOf(y.storage);
  const int64_t rows = nest.kept.outer();
  const bool by_row = rows >= call.parts && rows > 1;
  const Share row_share = by_row ? call.ShareOf(rows) : Share{0, rows};
  const Share share = by_row ? Share{0, nest.inner} : call.ShareOf(nest.inner, 64);
  const int64_t runs = nest.reduced.outer();
  ChunkBuffer sums, converted;
  StridedIterator result(nest.kept, row_share.begin), reduced(nest.reduced, 0);  // back at 0 after each chunk
  for (int64_t row = row_share.begin; row < row_share.end; ++row, result.Next()) {
    const int64_t first = result.offset(0), target = result.offset(1);
    for (int64_t at = share.begin; at < share.end; at += kChunk) {
      const int64_t n = std::min(kChunk, share.end - at);
      for (int64_t k = 0; k < runs; ++k, reduced.Next()) {
        const void* source = x.bytes + (first + at + reduced.offset(0)) * SizeBytes(x.storage);
        if (k == 0) {
          convert.convert[from][to](source, sums.bytes, n);
        } else if (kind == ReduceKind::kSum) {
          loops.add[from][to](source, sums.bytes, n);
        } else {
          if (from != to) {
            convert.convert[from][to](source, converted.bytes, n);
            source = converted.bytes;
          }
          loops.accumulate[static_cast<int>(kind)][to](source, sums.bytes, n);
        }
      }
      convert.stride[to][to](sums.bytes, 1, y.bytes + (target + at * nest.y_stride) * SizeBytes(y.storage),
                             nest.y_stride, n);
    }
  }
}

struct ReduceParams {
  ReduceKind kind;
  Nest nest;
};

std::optional<Prepared<ReduceParams>> PrepareNest(const KernelFacts& facts, ReduceKind kind, AxisSet axes,
                                                  bool keepdims) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  return Prepared<ReduceParams>{
      {kind, Nest(facts.operands[0].shape, facts.results[0].shape, axes, keepdims, facts.layout)}};
}

template <ReduceKind kind>
std::optional<Prepared<ReduceParams>> PrepareCvm(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CvmReduceAttrs>();
  return PrepareNest(facts, kind, AxesOfCvm(attrs, facts.operands[0].shape.rank()), attrs.keepdims);
}

std::optional<Prepared<ReduceParams>> PrepareReduce(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ReduceAttrs>();
  return PrepareNest(facts, attrs.kind, AxesOf(attrs.axes, facts.operands[0].shape.rank()), attrs.keepdims);
}

template <Isa isa>
void Reduce(const ReduceParams& p, const KernelCall& call) noexcept {
  p.nest.y_stride == 0 ? ReduceRuns<isa>(call, p.nest, p.kind) : ReduceRows<isa>(call, p.nest, p.kind);
}

constexpr auto kReduceKernels = JoinKernels(
    EveryIsaAndLayout<"sum">(
        {.op = Opcode::kSum},
        []<Isa isa, Layout>() { return kKernel<PrepareCvm<ReduceKind::kSum>, Reduce<isa>>; }),
    EveryIsaAndLayout<"max">(
        {.op = Opcode::kMax},
        []<Isa isa, Layout>() { return kKernel<PrepareCvm<ReduceKind::kMax>, Reduce<isa>>; }),
    EveryIsaAndLayout<"reduce">({.op = Opcode::kReduce},
                                []<Isa isa, Layout>() { return kKernel<PrepareReduce, Reduce<isa>>; }));

}  // namespace

KernelTable ReduceKernels() { return kReduceKernels; }

}  // namespace tally
