#include <algorithm>

#include "ops/indexing.h"
#include "ops/reduction/reduce_shape.h"
#include "ops/reference.h"

namespace tally {
namespace {

// The elements of x as groups, one for each result; k counts the elements of a group, row-major over the
// reduced axes. Whether those axes are removed or kept leaves the position o of a result unchanged.
template <typename Int>
class Groups {
 public:
  Groups(const Operand<Int>& x, AxisSet axes) : x_(x), reduction_(ReduceOver(x.shape(), axes)) {}

  int64_t count() const { return reduction_.kept.num_elements(); }
  int64_t size() const { return reduction_.inner.num_elements(); }
  Int at(int64_t o, int64_t k) const {
    return x_[Flatten(Unflatten(o, reduction_.kept), x_.shape()) +
              Flatten(Unflatten(k, reduction_.inner), x_.shape())];
  }

 private:
  const Operand<Int>& x_;
  Reduction reduction_;
};

// y[o] = op(op(x0, x1), ...). Starting from the first element serves operators without a neutral one.
template <typename Int, typename Op>
void Fold(const ReferenceContext<Int>& c, AxisSet axes, Op op) {
  const Groups<Int> groups(c.operands[0], axes);
  for (int64_t o = 0; o < groups.count(); ++o) {
    Int acc = groups.at(o, 0);
    for (int64_t k = 1; k < groups.size(); ++k) acc = op(acc, groups.at(o, k));
    c.results[0].Set(o, acc);
  }
}

template <typename Int>
Int Add(const Int& a, const Int& b) {
  return Int(a + b);
}
template <typename Int>
Int Multiply(const Int& a, const Int& b) {
  return Int(a * b);
}
template <typename Int>
Int Greater(const Int& a, const Int& b) {
  return std::max(a, b);
}
template <typename Int>
Int Lesser(const Int& a, const Int& b) {
  return std::min(a, b);
}

}  // namespace

template <typename Int>
void ReferenceSum(const ReferenceContext<Int>& c) {
  Fold(c, AxesToReduce(c.template attrs<CvmReduceAttrs>(), c.operands[0].shape().rank()), Add<Int>);
}

template <typename Int>
void ReferenceMax(const ReferenceContext<Int>& c) {
  Fold(c, AxesToReduce(c.template attrs<CvmReduceAttrs>(), c.operands[0].shape().rank()), Greater<Int>);
}

template <typename Int>
void ReferenceReduce(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ReduceAttrs>();
  const AxisSet axes = AxesToReduce(attrs, c.operands[0].shape().rank());
  switch (attrs.kind) {
    case ReduceKind::kSum: return Fold(c, axes, Add<Int>);
    case ReduceKind::kMax: return Fold(c, axes, Greater<Int>);
    case ReduceKind::kMin: return Fold(c, axes, Lesser<Int>);
    case ReduceKind::kProduct: return Fold(c, axes, Multiply<Int>);
  }
}

// y[o] = the first or the last k whose element is the greatest or the least: a later one replaces it if it is better,
// and if it is equal when the highest position wins.
template <typename Int>
void ReferenceArgExtreme(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<ArgExtremeAttrs>();
  const Groups<Int> groups(c.operands[0], AxesToReduce(attrs, c.operands[0].shape().rank()));
  for (int64_t o = 0; o < groups.count(); ++o) {
    int64_t best = 0;
    for (int64_t k = 1; k < groups.size(); ++k) {
      const Int candidate = groups.at(o, k), leader = groups.at(o, best);
      const bool better = attrs.kind == Extreme::kMax ? candidate > leader : candidate < leader;
      if (better || (attrs.ties == Ties::kHighest && candidate == leader)) best = k;
    }
    c.results[0].Set(o, Int(best));
  }
}

TALLY_REFERENCE(Sum);
TALLY_REFERENCE(Max);
TALLY_REFERENCE(Reduce);
TALLY_REFERENCE(ArgExtreme);

}  // namespace tally
