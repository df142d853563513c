#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "ops/comparison/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

ExactResults Truth(Value y) { return {ExactValue{y, 0, ::onnx::TensorProto::BOOL}}; }

absl::StatusOr<ExactResults> Compared(ExactNode& node, Comparison kind) {
  ASSIGN_OR_RETURN(const ExactValues x, node.AlignedInputs());
  if (x.size() != 2) return MakeError(label::model_malformed, "not two inputs");
  ASSIGN_OR_RETURN(const Value y,
                   node.c().Apply(Opcode::kCompare, {x[0].value, x[1].value}, CompareAttrs{kind}));
  return Truth(y);
}

absl::StatusOr<ExactResults> Connected(ExactNode& node, std::string_view lowering) {
  std::vector<Value> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(const ExactValue x, node.Input(i));
    operands.push_back(x.value);
  }
  ASSIGN_OR_RETURN(const Value y, node.Lower(lowering, operands));
  return Truth(y);
}

}  // namespace

absl::StatusOr<ExactResults> ExactEqual(ExactNode& node) { return Compared(node, Comparison::kEqual); }
absl::StatusOr<ExactResults> ExactGreater(ExactNode& node) { return Compared(node, Comparison::kGreater); }
absl::StatusOr<ExactResults> ExactGreaterOrEqual(ExactNode& node) {
  return Compared(node, Comparison::kGreaterEqual);
}
absl::StatusOr<ExactResults> ExactLess(ExactNode& node) { return Compared(node, Comparison::kLess); }
absl::StatusOr<ExactResults> ExactLessOrEqual(ExactNode& node) {
  return Compared(node, Comparison::kLessEqual);
}
absl::StatusOr<ExactResults> ExactAnd(ExactNode& node) { return Connected(node, "logical_and"); }
absl::StatusOr<ExactResults> ExactOr(ExactNode& node) { return Connected(node, "logical_or"); }
absl::StatusOr<ExactResults> ExactXor(ExactNode& node) { return Connected(node, "logical_xor"); }
absl::StatusOr<ExactResults> ExactNot(ExactNode& node) { return Connected(node, "logical_not"); }

absl::StatusOr<ExactResults> ExactWhere(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue condition, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(1));
  ASSIGN_OR_RETURN(const ExactValue y, node.Input(2));
  ASSIGN_OR_RETURN(const ExactValue r, node.Select(condition.value, x, y));
  return ExactResults{r};
}

}  // namespace tally::onnx
