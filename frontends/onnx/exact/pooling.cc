#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_windows.h"
#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/lowerings.h"
#include "ops/pooling/attrs.h"
#include "ops/reduction/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

absl::StatusOr<LayerWindows> ReadPool(ExactNode& node, const ExactValue& x, bool has_ceil_mode) {
  const auto dims = node.c().shape(x.value).dims();
  if (dims.size() < 3) return MakeError(label::model_shape, "the input has no spatial axes");
  return ReadWindows(node.attributes(), dims.subspan(2), std::nullopt, has_ceil_mode);
}

}  // namespace

absl::StatusOr<ExactResults> ExactMaxPool(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const LayerWindows windows, ReadPool(node, x, true));
  ASSIGN_OR_RETURN(const bool column_major, node.attributes().Bool("storage_order", false));
  PoolAttrs attrs = {.kernel = windows.kernel};
  windows.CopyTo(attrs);
  attrs.ceil_mode = windows.ceil_mode;
  if (node.num_outputs() == 1) {
    ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kMaxPool, {x.value}, attrs));
    return ExactResults{x.With(y)};
  }
  ASSIGN_OR_RETURN(const std::vector<Value> y,
                   column_major ? tally::Lower(node.c(), "max_pool_indices_column_major",
                                               std::vector<Value>{x.value}, Pack(attrs))
                                : node.c().Emit(Opcode::kMaxPoolIndices, {x.value}, Pack(attrs)));
  return ExactResults{x.With(y[0]), ExactValue{y[1], 0, ::onnx::TensorProto::INT64}};
}

absl::StatusOr<ExactResults> ExactGlobalMaxPool(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ReduceAttrs attrs = {.kind = ReduceKind::kMax, .keepdims = true};
  for (int axis = 2; axis < node.c().shape(x.value).rank(); ++axis) attrs.axes.push_back(axis);
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kReduce, {x.value}, attrs));
  return ExactResults{x.With(y)};
}

// Each element goes to its row-major position in a tensor of the size that a MaxPool of these windows would
// have had; the rest is 0, and so is what a larger output_shape adds at the ends.
absl::StatusOr<ExactResults> ExactMaxUnpool(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue at, node.Input(1));
  ASSIGN_OR_RETURN(const LayerWindows windows, ReadPool(node, x, false));
  Composition& c = node.c();
  if (c.shape(at.value) != c.shape(x.value))
    return MakeError(label::model_shape, "values and indices differ");
  std::vector<int64_t> dims(c.shape(x.value).dims().begin(), c.shape(x.value).dims().end());
  const int64_t elements = c.shape(x.value).num_elements();
  for (size_t i = 2; i < dims.size(); ++i) {
    // All terms are below 2^31.
    dims[i] = (dims[i] - 1) * windows.stride[i - 2] + windows.kernel[i - 2] - windows.pad_begin[i - 2] -
              windows.pad_end[i - 2];
  }
  const auto shape = Shape::Create(dims);
  if (!shape.ok()) return MakeError(label::model_shape, "the pads leave nothing");
  const int64_t places_of_all[] = {shape->num_elements()};
  RETURN_IF_ERROR(node.CheckIndices(at.value, places_of_all));
  PadAttrs room = {.before = std::vector<int64_t>(dims.size(), 0),
                   .after = std::vector<int64_t>(dims.size(), 0)};
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, node.Ints(2));
    if (wanted.size() != dims.size()) return MakeError(label::model_shape, "output_shape has another rank");
    for (size_t i = 0; i < dims.size(); ++i) {
      if (wanted[i] < dims[i] || wanted[i] > kMaxDim)
        return MakeError(label::model_shape, "output_shape is too small");
      room.after[i] = wanted[i] - dims[i];
    }
  }
  ASSIGN_OR_RETURN(const Value zeros, c.Apply(Opcode::kFill, {}, FillAttrs{{shape->num_elements()}, 0}));
  const ReshapeAttrs flat = {.shape = {elements}};
  ASSIGN_OR_RETURN(const Value values, c.Apply(Opcode::kReshape, {x.value}, flat));
  ASSIGN_OR_RETURN(const Value places, c.Apply(Opcode::kReshape, {at.value}, flat));
  ASSIGN_OR_RETURN(Value y,
                   c.Apply(Opcode::kScatterElements, {zeros, places, values}, ScatterAttrs{.axis = 0}));
  ASSIGN_OR_RETURN(y, c.Apply(Opcode::kReshape, {y}, ReshapeAttrs{.shape = dims}));
  ASSIGN_OR_RETURN(y, c.Apply(Opcode::kPad, {y}, room));
  return ExactResults{x.With(y)};
}

}  // namespace tally::onnx
