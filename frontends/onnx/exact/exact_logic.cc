#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "ops/comparison/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

ExactValues Truth(Value y) { return {{y, 0, ::onnx::TensorProto::BOOL}}; }

absl::StatusOr<ExactValues> Compared(ExactNode& node, Comparison kind) {
  ASSIGN_OR_RETURN(const ExactValues x, node.AlignedInputs());
  if (x.size() != 2) return MakeError("onnx_malformed", "not two inputs");
  ASSIGN_OR_RETURN(const Value y,
                   node.c().Apply(Opcode::kCompare, {x[0].value, x[1].value}, CompareAttrs{kind}));
  return Truth(y);
}

absl::StatusOr<ExactValues> Connected(ExactNode& node, std::string_view lowering) {
  std::vector<Value> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(const ExactValue x, node.Input(i));
    operands.push_back(x.value);
  }
  ASSIGN_OR_RETURN(const Value y, node.Lower(lowering, operands));
  return Truth(y);
}

}  // namespace

absl::StatusOr<ExactValues> ExactEqual(ExactNode& node) { return Compared(node, Comparison::kEqual); }
absl::StatusOr<ExactValues> ExactGreater(ExactNode& node) { return Compared(node, Comparison::kGreater); }
absl::StatusOr<ExactValues> ExactGreaterOrEqual(ExactNode& node) {
  return Compared(node, Comparison::kGreaterEqual);
}
absl::StatusOr<ExactValues> ExactLess(ExactNode& node) { return Compared(node, Comparison::kLess); }
absl::StatusOr<ExactValues> ExactLessOrEqual(ExactNode& node) {
  return Compared(node, Comparison::kLessEqual);
}
absl::StatusOr<ExactValues> ExactAnd(ExactNode& node) { return Connected(node, "logical_and"); }
absl::StatusOr<ExactValues> ExactOr(ExactNode& node) { return Connected(node, "logical_or"); }
absl::StatusOr<ExactValues> ExactXor(ExactNode& node) { return Connected(node, "logical_xor"); }
absl::StatusOr<ExactValues> ExactNot(ExactNode& node) { return Connected(node, "logical_not"); }

absl::StatusOr<ExactValues> ExactWhere(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue condition, node.Input(0));
  ASSIGN_OR_RETURN(ExactValue x, node.Input(1));
  ASSIGN_OR_RETURN(ExactValue y, node.Input(2));
  const int fraction_bits = std::max(x.fraction_bits, y.fraction_bits);
  ASSIGN_OR_RETURN(x, node.WithFractionBits(x, fraction_bits));
  ASSIGN_OR_RETURN(y, node.WithFractionBits(y, fraction_bits));
  ASSIGN_OR_RETURN(const Value r, node.c().Apply(Opcode::kSelect, {condition.value, x.value, y.value}));
  return ExactValues{x.With(r)};
}

}  // namespace tally::onnx
