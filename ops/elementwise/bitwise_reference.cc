#include "ops/broadcast.h"
#include "ops/reference.h"

namespace tally {
namespace {

// An operand fits 64 bits, and every bit of a number after its sign bit repeats it; so 64 bits say all.
template <typename Int, typename Op>
void ForEachPairOfBits(const ReferenceContext<Int>& c, Op op) {
  ForEachBroadcast(c, [&](const Int& a, const Int& b) {
    return Int(int64_t{op(static_cast<int64_t>(a), static_cast<int64_t>(b))});
  });
}

}  // namespace

template <typename Int>
void ReferenceBitwiseAnd(const ReferenceContext<Int>& c) {
  ForEachPairOfBits(c, [](int64_t a, int64_t b) { return a & b; });
}

TALLY_REFERENCE(BitwiseAnd);

template <typename Int>
void ReferenceBitwiseOr(const ReferenceContext<Int>& c) {
  ForEachPairOfBits(c, [](int64_t a, int64_t b) { return a | b; });
}

TALLY_REFERENCE(BitwiseOr);

template <typename Int>
void ReferenceBitwiseXor(const ReferenceContext<Int>& c) {
  ForEachPairOfBits(c, [](int64_t a, int64_t b) { return a ^ b; });
}

TALLY_REFERENCE(BitwiseXor);

}  // namespace tally
