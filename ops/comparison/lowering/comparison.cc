// CVM's comparison and selection as instances of the core ones, and logic over truths.
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/comparison/attrs.h"
#include "ops/labels.h"
#include "ops/layout/attrs.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

using Values = absl::StatusOr<std::vector<Value>>;

absl::StatusOr<Value> CompareWith(Composition& c, Value a, Comparison kind, Value b) {
  return c.Apply(Opcode::kCompare, {a, b}, CompareAttrs{kind});
}

// 1 where x is not 0, else 0; x itself where its interval says that it is that already.
absl::StatusOr<Value> TruthOf(Composition& c, Value x) {
  if (Interval{0, 1}.Contains(c.interval(x))) return x;
  return CompareWith(c, x, Comparison::kNotEqual, c.Constant({}, {0}));
}

Values OfTruths(Composition& c, std::span<const Value> operands, Opcode op, const Attributes& attributes) {
  ASSIGN_OR_RETURN(const Value a, TruthOf(c, operands[0]));
  ASSIGN_OR_RETURN(const Value b, TruthOf(c, operands[1]));
  return c.Emit(op, {a, b}, attributes);
}

}  // namespace

Values LowerBroadcastGreater(Composition& c, std::span<const Value> operands, const Attributes&) {
  return One(CompareWith(c, operands[0], Comparison::kGreater, operands[1]));
}

// A condition for each row gets dims of 1 after its own, so that it is broadcast over the rest of a row.
Values LowerWhere(Composition& c, std::span<const Value> operands, const Attributes&) {
  Value cond = operands[0];
  const Shape &x = c.shape(operands[1]), &y = c.shape(operands[2]);
  if (x == y && c.shape(cond) != x && x.rank() > 0 && c.shape(cond) == *Shape::Create({x[0]})) {
    ReshapeAttrs column = {.shape = {x[0]}};
    column.shape.resize(x.rank(), 1);
    ASSIGN_OR_RETURN(cond, c.Apply(Opcode::kReshape, {cond}, column));
  } else if (x != y || c.shape(cond) != x) {
    return MakeError(label::lowering_operands, absl::StrCat("shapes ", c.shape(cond).ToString(), ", ",
                                                            x.ToString(), " and ", y.ToString()));
  }
  return One(c.Apply(Opcode::kSelect, {cond, operands[1], operands[2]}));
}

Values LowerLogicalAnd(Composition& c, std::span<const Value> operands, const Attributes&) {
  return OfTruths(c, operands, Opcode::kBroadcastMin, {});
}

Values LowerLogicalOr(Composition& c, std::span<const Value> operands, const Attributes&) {
  return OfTruths(c, operands, Opcode::kBroadcastMax, {});
}

Values LowerLogicalXor(Composition& c, std::span<const Value> operands, const Attributes&) {
  return OfTruths(c, operands, Opcode::kCompare, Pack(CompareAttrs{Comparison::kNotEqual}));
}

Values LowerLogicalNot(Composition& c, std::span<const Value> operands, const Attributes&) {
  return One(CompareWith(c, operands[0], Comparison::kEqual, c.Constant({}, {0})));
}

}  // namespace tally
