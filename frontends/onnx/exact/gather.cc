#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"
#include "ops/gather/attrs.h"
#include "ops/gather/lowering/attrs.h"

namespace tally::onnx {
namespace {

// The sizes of the axes of x that `indices` of the second input index: one axis, or as many as a tuple is
// long.
absl::StatusOr<std::vector<int64_t>> IndexedAxis(ExactNode& node, const ExactValue& x, int64_t axis) {
  const auto dims = node.c().shape(x.value).dims();
  ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, dims.size()));
  return std::vector<int64_t>{dims[static_cast<size_t>(axis)]};
}

absl::StatusOr<std::vector<int64_t>> IndexedByTuples(ExactNode& node, const ExactValue& x, Value indices,
                                                     int64_t batch_dims) {
  const auto dims = node.c().shape(x.value).dims(), tuples = node.c().shape(indices).dims();
  const auto rank = static_cast<int64_t>(dims.size());
  if (tuples.empty() || batch_dims < 0 || batch_dims >= static_cast<int64_t>(tuples.size()) ||
      tuples.back() < 1 || tuples.back() > rank - batch_dims) {
    return MakeError(label::model_shape, "the tuples of indices do not fit the tensor");
  }
  const auto first = dims.begin() + batch_dims;
  return std::vector<int64_t>(first, first + tuples.back());
}

template <typename Attrs>
absl::StatusOr<std::vector<int64_t>> IndexedBy(ExactNode& node, const ExactValue& x, Value indices,
                                               const Attrs& attrs) {
  if constexpr (std::is_same_v<Attrs, GatherNdAttrs>) {
    return IndexedByTuples(node, x, indices, attrs.batch_dims);
  } else if constexpr (std::is_same_v<Attrs, ScatterNdAttrs>) {
    return IndexedByTuples(node, x, indices, 0);
  } else {
    return IndexedAxis(node, x, attrs.axis);
  }
}

template <typename Attrs>
absl::StatusOr<ExactResults> Gathered(ExactNode& node, Opcode op, const Attrs& attrs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue indices, node.Input(1));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IndexedBy(node, x, indices.value, attrs));
  RETURN_IF_ERROR(node.CheckIndices(indices.value, sizes));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(op, {x.value, indices.value}, attrs));
  return ExactResults{x.With(y)};
}

// Products of fractions would each have a scale of their own.
template <typename Attrs>
absl::StatusOr<ExactResults> Scattered(ExactNode& node, Opcode op, const Attrs& attrs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue indices, node.Input(1));
  ASSIGN_OR_RETURN(const ExactValue updates, node.Input(2));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, IndexedBy(node, x, indices.value, attrs));
  RETURN_IF_ERROR(node.CheckIndices(indices.value, sizes));
  ASSIGN_OR_RETURN(const ExactValues aligned, node.Aligned({x, updates}));
  if (attrs.kind == ScatterKind::kMul && aligned[0].fraction_bits > 0) {
    return MakeError(label::model_inexact, "products of fractions");
  }
  ASSIGN_OR_RETURN(const Value y,
                   node.c().Apply(op, {aligned[0].value, indices.value, aligned[1].value}, attrs));
  return ExactResults{aligned[0].With(y)};
}

}  // namespace

absl::StatusOr<ExactResults> ExactGather(ExactNode& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 0));
  return Gathered(node, Opcode::kGather, GatherAttrs{axis});
}

absl::StatusOr<ExactResults> ExactGatherElements(ExactNode& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 0));
  return Gathered(node, Opcode::kGatherElements, GatherAttrs{axis});
}

absl::StatusOr<ExactResults> ExactGatherNd(ExactNode& node) {
  ASSIGN_OR_RETURN(const int64_t batch_dims, node.attributes().Int("batch_dims", 0));
  return Gathered(node, Opcode::kGatherNd, GatherNdAttrs{batch_dims});
}

absl::StatusOr<ExactResults> ExactScatterElements(ExactNode& node) {
  ScatterAttrs attrs;
  ASSIGN_OR_RETURN(attrs.axis, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(attrs.kind, ReadScatterKind(node));
  return Scattered(node, Opcode::kScatterElements, attrs);
}

absl::StatusOr<ExactResults> ExactScatterNd(ExactNode& node) {
  ASSIGN_OR_RETURN(const ScatterKind kind, ReadScatterKind(node));
  return Scattered(node, Opcode::kScatterNd, ScatterNdAttrs{kind});
}

// values holds off and on.
absl::StatusOr<ExactResults> ExactOneHot(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue indices, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue depth, node.Input(1));
  ASSIGN_OR_RETURN(const ExactValue values, node.Input(2));
  const TensorView* elements = node.c().constant(depth.value);
  const TensorView* pair = node.c().constant(values.value);
  if (elements == nullptr || pair == nullptr || pair->shape.num_elements() != 2 ||
      indices.fraction_bits != 0 || depth.fraction_bits != 0) {
    return MakeError(label::model_unsupported_operand,
                     "depth and values must be constants, and indices integers");
  }
  OneHotAttrs attrs = {.depth = elements->at(0), .from_back = true};
  ASSIGN_OR_RETURN(attrs.axis, node.attributes().Int("axis", -1));
  const Value on = node.c().Constant({}, {pair->at(1)}), off = node.c().Constant({}, {pair->at(0)});
  ASSIGN_OR_RETURN(const Value y, node.Lower("one_hot", {indices.value, on, off}, attrs));
  return ExactResults{values.With(y)};
}

}  // namespace tally::onnx
