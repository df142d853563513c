#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "ops/layout/attrs.h"

namespace tally::onnx {

absl::StatusOr<ExactValues> ExactIdentity(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  return ExactValues{x};
}

absl::StatusOr<ExactValues> ExactTranspose(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const auto perm, node.attributes().Ints("perm"));
  const TransposeAttrs attrs = {.axes = perm.value_or(std::vector<int64_t>())};
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kTranspose, {x.value}, attrs));
  return ExactValues{x.With(y)};
}

}  // namespace tally::onnx
