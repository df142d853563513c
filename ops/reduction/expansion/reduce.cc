// Reductions of a long slice.
#include "ops/expansion.h"
#include "ops/reduction/attrs.h"

namespace tally {
namespace {

template <typename Int>
Int Product(const Int& a, const Int& b) {
  return Int(a * b);
}

template <typename Int>
Column Reduced(Expansion<Int>& e, ReduceKind kind, Column x) {
  const Interval& interval = e.context().operands[0].interval;
  const auto element = [x](const StepReads<Int>& r, int64_t i) { return r(x, i); };
  switch (kind) {
    case ReduceKind::kSum: return e.SumOf(x.length, element);
    case ReduceKind::kMax: return e.Fold(x.length, Int(interval.lo), element, Greater<Int>);
    case ReduceKind::kMin: return e.Fold(x.length, Int(interval.hi), element, Lesser<Int>);
    case ReduceKind::kProduct: return e.Fold(x.length, Int(int64_t{1}), element, Product<Int>);
  }
  __builtin_unreachable();  // the decoder admits no other kind
}

}  // namespace

template <typename Int>
void ExpandSum(Expansion<Int>& e) {
  Reduced(e, ReduceKind::kSum, e.Part(0));
}
TALLY_EXPAND(Sum);

template <typename Int>
void ExpandMax(Expansion<Int>& e) {
  Reduced(e, ReduceKind::kMax, e.Part(0));
}
TALLY_EXPAND(Max);

template <typename Int>
void ExpandReduce(Expansion<Int>& e) {
  Reduced(e, e.template attrs<ReduceAttrs>().kind, e.Part(0));
}
TALLY_EXPAND(Reduce);

template <typename Int>
void ExpandArgExtreme(Expansion<Int>& e) {
  const auto attrs = e.template attrs<ArgExtremeAttrs>();
  const Column x = e.Part(0);
  const Column extreme = Reduced(e, attrs.kind == Extreme::kMax ? ReduceKind::kMax : ReduceKind::kMin, x);
  const bool first = attrs.ties == Ties::kLowest;
  const Int none(first ? x.length : int64_t{-1});
  const auto position = [=](const StepReads<Int>& r, int64_t i) {
    return r(x, i) == r(extreme) ? Int(i) : none;
  };
  if (first) {
    e.Fold(x.length, none, position, Lesser<Int>);
  } else {
    e.Fold(x.length, none, position, Greater<Int>);
  }
}
TALLY_EXPAND(ArgExtreme);

template <typename Int>
void ExpandCumulativeSum(Expansion<Int>& e) {
  Reduced(e, ReduceKind::kSum, e.Part(0));
}
TALLY_EXPAND(CumulativeSum);

}  // namespace tally
