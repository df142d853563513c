#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"

namespace tally::onnx {
namespace {

// One operand, one result of the same scale.
absl::StatusOr<ExactValues> Unary(ExactNode& node, Opcode op) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(op, {x.value}));
  return ExactValues{x.With(y)};
}

// Two operands of one scale, broadcast, and a result of that scale.
absl::StatusOr<ExactValues> Aligned(ExactNode& node, Opcode op) {
  ASSIGN_OR_RETURN(const ExactValues x, node.AlignedInputs());
  if (x.size() != 2) return MakeError("onnx_malformed", "not two inputs");
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(op, {x[0].value, x[1].value}));
  return ExactValues{x[0].With(y)};
}

}  // namespace

absl::StatusOr<ExactValues> ExactAbs(ExactNode& node) { return Unary(node, Opcode::kAbs); }
absl::StatusOr<ExactValues> ExactNeg(ExactNode& node) { return Unary(node, Opcode::kNegative); }
absl::StatusOr<ExactValues> ExactRelu(ExactNode& node) { return Unary(node, Opcode::kRelu); }
absl::StatusOr<ExactValues> ExactAdd(ExactNode& node) { return Aligned(node, Opcode::kBroadcastAdd); }
absl::StatusOr<ExactValues> ExactSub(ExactNode& node) { return Aligned(node, Opcode::kBroadcastSub); }

absl::StatusOr<ExactValues> ExactMul(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue a, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue b, node.Input(1));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kBroadcastMul, {a.value, b.value}));
  return ExactValues{{y, a.fraction_bits + b.fraction_bits, a.data_type}};
}

}  // namespace tally::onnx
