#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/exact_window.h"
#include "frontends/onnx/exact/operators.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/reduction/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

// Row-major positions in a tensor of `shape` as positions in the one whose spatial axes are in reverse: channels stay where
// they are, and the first spatial axis grows fastest.
absl::StatusOr<Value> ColumnMajor(Composition& c, Value at, const Shape& shape) {
  const auto by = [&](Opcode op, Value x, int64_t number) -> absl::StatusOr<Value> {
    const Value constant = c.Constant({}, {number});
    if (op == Opcode::kDivide) return c.Apply(op, {x, constant}, DivideAttrs{Rounding::kFloor});
    if (op == Opcode::kModulo) return c.Apply(op, {x, constant}, ModuloAttrs{Remainder::kFloor});
    return c.Apply(op, {x, constant});
  };
  int64_t area = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) area *= shape[axis];
  ASSIGN_OR_RETURN(const Value channel, by(Opcode::kDivide, at, area));
  ASSIGN_OR_RETURN(Value position, by(Opcode::kBroadcastMul, channel, area));
  int64_t stride_in = area, stride_out = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) {
    stride_in /= shape[axis];
    ASSIGN_OR_RETURN(Value coordinate, by(Opcode::kDivide, at, stride_in));
    ASSIGN_OR_RETURN(coordinate, by(Opcode::kModulo, coordinate, shape[axis]));
    ASSIGN_OR_RETURN(coordinate, by(Opcode::kBroadcastMul, coordinate, stride_out));
    ASSIGN_OR_RETURN(position, c.Apply(Opcode::kBroadcastAdd, {position, coordinate}));
    stride_out *= shape[axis];
  }
  return position;
}

}  // namespace

absl::StatusOr<ExactResults> ExactMaxPool(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactWindows windows, ReadExactWindows(node, x, nullptr));
  ASSIGN_OR_RETURN(const bool column_major, node.attributes().Bool("storage_order", false));
  PoolAttrs attrs = {.kernel = windows.kernel};
  windows.CopyTo(attrs);
  ASSIGN_OR_RETURN(attrs.ceil_mode, node.attributes().Bool("ceil_mode", false));
  if (node.num_outputs() == 1) {
    ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kMaxPool, {x.value}, attrs));
    return ExactResults{x.With(y)};
  }
  ASSIGN_OR_RETURN(const std::vector<Value> y,
                   node.c().Emit(Opcode::kMaxPoolIndices, {x.value}, Pack(attrs)));
  Value at = y[1];
  if (column_major) {
    ASSIGN_OR_RETURN(at, ColumnMajor(node.c(), at, node.c().shape(x.value)));
  }
  return ExactResults{x.With(y[0]), ExactValue{at, 0, ::onnx::TensorProto::INT64}};
}

absl::StatusOr<ExactResults> ExactGlobalMaxPool(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ReduceAttrs attrs = {.kind = ReduceKind::kMax, .keepdims = true};
  for (int axis = 2; axis < node.c().shape(x.value).rank(); ++axis) attrs.axes.push_back(axis);
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kReduce, {x.value}, attrs));
  return ExactResults{x.With(y)};
}

// Each element goes to its row-major position in a tensor of the size that a MaxPool of these windows would have had; the
// rest is 0, and so is what a larger output_shape adds at the ends.
absl::StatusOr<ExactResults> ExactMaxUnpool(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue at, node.Input(1));
  ASSIGN_OR_RETURN(const ExactWindows windows, ReadExactWindows(node, x, nullptr));
  Composition& c = node.c();
  if (c.shape(at.value) != c.shape(x.value)) return MakeError("onnx_shape", "values and indices differ");
  std::vector<int64_t> dims(c.shape(x.value).dims().begin(), c.shape(x.value).dims().end());
  const int64_t elements = c.shape(x.value).num_elements();
  for (size_t i = 2; i < dims.size(); ++i) {
    // All terms are below 2^31.
    dims[i] = (dims[i] - 1) * windows.stride[i - 2] + windows.kernel[i - 2] - windows.pad_begin[i - 2] -
              windows.pad_end[i - 2];
  }
  const auto shape = Shape::Create(dims);
  if (!shape.ok()) return MakeError("onnx_shape", "the pads leave nothing");
  PadAttrs room = {.before = std::vector<int64_t>(dims.size(), 0),
                   .after = std::vector<int64_t>(dims.size(), 0)};
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, node.Ints(2));
    if (wanted.size() != dims.size()) return MakeError("onnx_shape", "output_shape has another rank");
    for (size_t i = 0; i < dims.size(); ++i) {
      if (wanted[i] < dims[i] || wanted[i] > kMaxDim)
        return MakeError("onnx_shape", "output_shape is too small");
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
