// Instances of one operator, and squares.
#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/labels.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

using Values = absl::StatusOr<std::vector<Value>>;

// A broadcast operator of two operands that must have one shape.
Values OfOneShape(Composition& c, std::span<const Value> operands, Opcode op) {
  if (c.shape(operands[0]) != c.shape(operands[1])) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("shapes ", c.shape(operands[0]).ToString(), " and ",
                                  c.shape(operands[1]).ToString(), " differ"));
  }
  return One(c.Apply(op, {operands[0], operands[1]}));
}

// A power of one operand, whose interval knows that both factors of a square are one value.
Values SquareOf(Composition& c, Value x) { return One(c.Apply(Opcode::kPower, {x, c.Constant({}, {2})})); }

}  // namespace

Values LowerBroadcastDiv(Composition& c, std::span<const Value> operands, const Attributes&) {
  return One(c.Apply(Opcode::kDivide, {operands[0], operands[1]}, DivideAttrs{Rounding::kTrunc}));
}

Values LowerElemwiseAdd(Composition& c, std::span<const Value> operands, const Attributes&) {
  return OfOneShape(c, operands, Opcode::kBroadcastAdd);
}

Values LowerElemwiseSub(Composition& c, std::span<const Value> operands, const Attributes&) {
  return OfOneShape(c, operands, Opcode::kBroadcastSub);
}

Values LowerNegative(Composition& c, std::span<const Value> operands, const Attributes&) {
  return One(c.Apply(Opcode::kBroadcastSub, {c.Constant({}, {0}), operands[0]}));
}

Values LowerRelu(Composition& c, std::span<const Value> operands, const Attributes&) {
  const int64_t largest = std::max<int64_t>(c.interval(operands[0]).hi, 0);
  return One(c.Apply(Opcode::kClip, {operands[0]}, ClipAttrs{0, largest}));
}

Values LowerSign(Composition& c, std::span<const Value> operands, const Attributes&) {
  return One(c.Apply(Opcode::kClip, {operands[0]}, ClipAttrs{-1, 1}));
}

Values LowerSquare(Composition& c, std::span<const Value> operands, const Attributes&) {
  return SquareOf(c, operands[0]);
}

Values LowerSquaredDifference(Composition& c, std::span<const Value> operands, const Attributes&) {
  ASSIGN_OR_RETURN(const Value difference, c.Apply(Opcode::kBroadcastSub, {operands[0], operands[1]}));
  return SquareOf(c, difference);
}

Values LowerBitwiseNot(Composition& c, std::span<const Value> operands, const Attributes&) {
  return One(c.Apply(Opcode::kBroadcastSub, {c.Constant({}, {-1}), operands[0]}));
}

}  // namespace tally
