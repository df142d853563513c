#include <cstdint>

#include "base/status_macros.h"
#include "ops/elementwise/labels.h"
#include "ops/elementwise/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

using BitOp = unsigned (*)(unsigned, unsigned);

constexpr uint64_t kSign = uint64_t{1} << 63;

// Two's complement numbers compare as their keys do: the bits with the first one inverted.
uint64_t KeyOf(int64_t value) { return static_cast<uint64_t>(value) ^ kSign; }
int64_t ValueOf(uint64_t key) { return static_cast<int64_t>(key ^ kSign); }

// The ends of an interval that the bits chosen so far still touch; a further bit must not pass such an end.
enum : unsigned { kTouchesLo = 1, kTouchesHi = 2 };

// The ends that a number touches with one more bit, or -1 when the bit leaves the interval.
int TouchesAfter(unsigned touches, unsigned bit, unsigned lo_bit, unsigned hi_bit) {
  if ((touches & kTouchesLo) != 0 && bit < lo_bit) return -1;
  if ((touches & kTouchesHi) != 0 && bit > hi_bit) return -1;
  return static_cast<int>((bit == lo_bit ? touches & kTouchesLo : 0) |
                          (bit == hi_bit ? touches & kTouchesHi : 0));
}

// The least (wanted = 0) or greatest (wanted = 1) op(x, y) over x in a and y in b. From the first bit on, the
// wanted bit is taken where some x and y give it, since it outweighs all later bits. What the earlier bits of
// such x and y leave open is only which ends they touch: a set of at most 16 states, one bit of `states` for
// each.
int64_t Extreme(BitOp op, const Interval& a, const Interval& b, unsigned wanted) {
  const uint64_t ends[] = {KeyOf(a.lo), KeyOf(a.hi), KeyOf(b.lo), KeyOf(b.hi)};
  unsigned states = 1u << 15;  // both numbers touch both of their ends
  uint64_t key = 0;
  for (int position = 63; position >= 0; --position) {
    const auto end_bit = [&](int end) { return static_cast<unsigned>(ends[end] >> position & 1); };
    const unsigned inverted = position == 63 ? 1 : 0;
    unsigned next[2] = {0, 0};
    for (unsigned state = 0; state < 16; ++state) {
      if ((states >> state & 1) == 0) continue;
      for (unsigned x = 0; x < 2; ++x) {
        const int x_touches = TouchesAfter(state & 3, x, end_bit(0), end_bit(1));
        if (x_touches < 0) continue;
        for (unsigned y = 0; y < 2; ++y) {
          const int y_touches = TouchesAfter(state >> 2, y, end_bit(2), end_bit(3));
          if (y_touches < 0) continue;
          next[op(x ^ inverted, y ^ inverted) ^ inverted] |= 1u << (x_touches | y_touches << 2);
        }
      }
    }
    const unsigned taken = next[wanted] != 0 ? wanted : 1 - wanted;
    key = key << 1 | taken;
    states = next[taken];
  }
  return ValueOf(key);
}

absl::Status InferBitwise(const InferContext& c, Inferred* out, BitOp op, Label label) {
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(c.shape(0), c.shape(1), label));
  const Interval &a = c.interval(0), &b = c.interval(1);
  return out->AddResult(c, shape, {Extreme(op, a, b, 0), Extreme(op, a, b, 1)});
}

}  // namespace

absl::Status InferBitwiseAnd(const InferContext& c, Inferred* out) {
  return InferBitwise(
      c, out, [](unsigned x, unsigned y) { return x & y; }, label::bitwise_and_c1);
}

absl::Status InferBitwiseOr(const InferContext& c, Inferred* out) {
  return InferBitwise(
      c, out, [](unsigned x, unsigned y) { return x | y; }, label::bitwise_or_c1);
}

absl::Status InferBitwiseXor(const InferContext& c, Inferred* out) {
  return InferBitwise(
      c, out, [](unsigned x, unsigned y) { return x ^ y; }, label::bitwise_xor_c1);
}

}  // namespace tally
