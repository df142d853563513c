// Shifts of machine words, whose bits fall off at both ends.
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/lowering/attrs.h"
#include "ops/labels.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

absl::Status CheckWord(const Composition& c, std::span<const Value> operands, int64_t bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  const Interval &x = c.interval(operands[0]), &amount = c.interval(operands[1]);
  if (Interval{-half, half - 1}.Contains(x) && Interval{0, bits - 1}.Contains(amount))
    return absl::OkStatus();
  return MakeError(label::lowering_operands,
                   absl::StrCat("x in ", x.ToString(), " and an amount in ", amount.ToString(),
                                " for words of ", bits, " bits"));
}

absl::StatusOr<Value> WithConstant(Composition& c, Opcode op, Value x, int64_t constant) {
  return c.Apply(op, {x, c.Constant({}, {constant})});
}

// The lowest bits of x, as a number that is not negative.
absl::StatusOr<Value> LowBits(Composition& c, Value x, int64_t bits) {
  return WithConstant(c, Opcode::kBitwiseAnd, x, (int64_t{1} << bits) - 1);
}

// The word whose bits are those of x >= 0: its first bit counts as -2^(bits-1).
absl::StatusOr<Value> AsSigned(Composition& c, Value x, int64_t bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  ASSIGN_OR_RETURN(const Value flipped, WithConstant(c, Opcode::kBitwiseXor, x, half));
  return WithConstant(c, Opcode::kBroadcastSub, flipped, half);
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerLogicalShiftRight(Composition& c, std::span<const Value> operands,
                                                          const Attributes& attributes) {
  const int64_t bits = Unpack<WordAttrs>(attributes).bits;
  RETURN_IF_ERROR(CheckWord(c, operands, bits));
  ASSIGN_OR_RETURN(const Value word, LowBits(c, operands[0], bits));
  ASSIGN_OR_RETURN(Value y,
                   c.Apply(Opcode::kShiftRight, {word, operands[1]}, ShiftRightAttrs{Rounding::kFloor}));
  // Any shift clears the first bit.
  if (c.interval(operands[1]).lo == 0) {
    ASSIGN_OR_RETURN(y, AsSigned(c, y, bits));
  }
  return std::vector<Value>{y};
}

// By 1 where the amount has its bit of weight 1, then by 2, by 4 and so on. A shift by the whole amount at
// once would pass the tensor limit on the way.
absl::StatusOr<std::vector<Value>> LowerLogicalShiftLeft(Composition& c, std::span<const Value> operands,
                                                         const Attributes& attributes) {
  const int64_t bits = Unpack<WordAttrs>(attributes).bits;
  RETURN_IF_ERROR(CheckWord(c, operands, bits));
  const Value amount = operands[1];
  ASSIGN_OR_RETURN(Value y, LowBits(c, operands[0], bits));
  for (int64_t step = 1; step <= c.interval(amount).hi; step *= 2) {
    ASSIGN_OR_RETURN(const Value kept, LowBits(c, y, bits - step));
    ASSIGN_OR_RETURN(const Value shifted, WithConstant(c, Opcode::kBroadcastMul, kept, int64_t{1} << step));
    ASSIGN_OR_RETURN(const Value chosen, WithConstant(c, Opcode::kBitwiseAnd, amount, step));
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kSelect, {chosen, shifted, y}));
  }
  // Without a step, the amount's shape has had no say yet; adding 0 of that shape gives it.
  if (c.interval(amount).hi == 0) {
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kBroadcastAdd, {y, amount}));
  }
  ASSIGN_OR_RETURN(y, AsSigned(c, y, bits));
  return std::vector<Value>{y};
}

}  // namespace tally
