#include "ops/broadcast.h"
#include "ops/comparison/attrs.h"
#include "ops/elements.h"
#include "ops/indexing.h"
#include "ops/reference.h"

namespace tally {
namespace {

template <typename Int>
bool Holds(Comparison kind, const Int& a, const Int& b) {
  switch (kind) {
    case Comparison::kEqual: return a == b;
    case Comparison::kNotEqual: return a != b;
    case Comparison::kLess: return a < b;
    case Comparison::kLessEqual: return a <= b;
    case Comparison::kGreater: return a > b;
    case Comparison::kGreaterEqual: return a >= b;
  }
  __builtin_unreachable();  // the decoder admits no other kind
}

}  // namespace

template <typename Int>
void ReferenceBroadcastGreater(const ReferenceContext<Int>& c) {
  ForEachBroadcast(c, [](const Int& a, const Int& b) { return Int(int64_t{a > b ? 1 : 0}); });
}

TALLY_REFERENCE(BroadcastGreater);

template <typename Int>
void ReferenceCompare(const ReferenceContext<Int>& c) {
  const Comparison kind = c.template attrs<CompareAttrs>().kind;
  ForEachBroadcast(c,
                   [&](const Int& a, const Int& b) { return Int(int64_t{Holds<Int>(kind, a, b) ? 1 : 0}); });
}

TALLY_REFERENCE(Compare);

// r[d] = x[d] where cond[d], or cond[d_0] for a list, is not 0; else y[d].
template <typename Int>
void ReferenceWhere(const ReferenceContext<Int>& c) {
  const Operand<Int>&cond = c.operands[0], &x = c.operands[1], &y = c.operands[2];
  // Elements that one element of the condition decides: 1, or those of a row.
  const int64_t span = x.size() / cond.size();
  const Int zero(int64_t{0});
  for (const int64_t i : c.elements()) c.results[0].Set(i, cond[i / span] != zero ? x[i] : y[i]);
}

TALLY_REFERENCE(Where);

// r[d] = x[d] where cond[d] is not 0, else y[d]; each broadcast to the shape of r.
template <typename Int>
void ReferenceSelect(const ReferenceContext<Int>& c) {
  const Operand<Int>&cond = c.operands[0], &x = c.operands[1], &y = c.operands[2];
  const Shape& shape = c.results[0].shape();
  const StridedView in_cond = BroadcastView(cond.shape(), shape), in_x = BroadcastView(x.shape(), shape),
                    in_y = BroadcastView(y.shape(), shape);
  const Int zero(int64_t{0});
  ForEachElement(c, [&](int64_t i, const Index& d) {
    c.results[0].Set(i, cond[in_cond.At(d)] != zero ? x[in_x.At(d)] : y[in_y.At(d)]);
  });
}

TALLY_REFERENCE(Select);

}  // namespace tally
