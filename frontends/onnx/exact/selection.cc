// Operators that keep some of what they see: a bound is known, and a count reports how much of it is meant.
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/exact/operators.h"
#include "ops/gather/lowering/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/sort/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

ExactValue Indices(Value indices, const ExactCount& count) {
  return {indices, 0, ::onnx::TensorProto::INT64, count};
}

// The axis that is given, if any, counted from the front.
absl::StatusOr<std::vector<int64_t>> OptionalAxis(ExactNode& node, int rank) {
  if (node.attributes().Find("axis") == nullptr) return std::vector<int64_t>();
  ASSIGN_OR_RETURN(const int64_t given, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, static_cast<size_t>(rank)));
  return std::vector<int64_t>{axis};
}

}  // namespace

// At most as many slices as the condition has elements.
absl::StatusOr<ExactResults> ExactCompress(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue condition, node.Input(1));
  CompressAttrs attrs = {.bound = node.c().shape(condition.value).num_elements()};
  ASSIGN_OR_RETURN(attrs.axis, OptionalAxis(node, node.c().shape(x.value).rank()));
  ASSIGN_OR_RETURN(const std::vector<Value> kept,
                   tally::Lower(node.c(), "compress", {{x.value, condition.value}}, Pack(attrs)));
  ExactValue y = x.With(kept[0]);
  y.count = {.axis = attrs.axis.empty() ? 0 : static_cast<int>(attrs.axis[0]), .number = kept[1]};
  return ExactResults{y};
}

// One column for each element that is not 0.
absl::StatusOr<ExactResults> ExactNonZero(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  const NonzeroAttrs attrs = {.bound = node.c().shape(x.value).num_elements(), .value = 0};
  ASSIGN_OR_RETURN(const std::vector<Value> rows,
                   tally::Lower(node.c(), "nonzero", {{x.value}}, Pack(attrs)));
  ASSIGN_OR_RETURN(const Value columns,
                   node.c().Apply(Opcode::kTranspose, {rows[0]}, TransposeAttrs{.axes = {1, 0}}));
  return ExactResults{Indices(columns, {.axis = 1, .number = rows[1]})};
}

absl::StatusOr<ExactResults> ExactUnique(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  const Shape& shape = node.c().shape(x.value);
  UniqueAttrs attrs;
  ASSIGN_OR_RETURN(attrs.axis, OptionalAxis(node, shape.rank()));
  ASSIGN_OR_RETURN(attrs.sorted, node.attributes().Bool("sorted", true));
  const int axis = attrs.axis.empty() ? 0 : static_cast<int>(attrs.axis[0]);
  attrs.bound = attrs.axis.empty() ? shape.num_elements() : shape[axis];
  ASSIGN_OR_RETURN(const std::vector<Value> unique, node.c().Emit(Opcode::kUnique, {x.value}, Pack(attrs)));
  const Value number = unique[4];
  ExactValue y = x.With(unique[0]);
  y.count = {.axis = axis, .number = number};
  const ExactCount entries = {.axis = 0, .number = number};
  return ExactResults{y, Indices(unique[1], entries), ExactValue{unique[2], 0, ::onnx::TensorProto::INT64},
                      Indices(unique[3], entries)};
}

}  // namespace tally::onnx
