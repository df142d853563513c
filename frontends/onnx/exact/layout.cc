#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"
#include "ops/layout/attrs.h"
#include "ops/layout/lowering/attrs.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

// Empty where it is left out.
absl::StatusOr<std::vector<int64_t>> AttributeOrInput(ExactNode& node, std::string_view name, size_t input,
                                                      int64_t since) {
  ASSIGN_OR_RETURN(const auto list, ReadList(node, name, input, since));
  return list.value_or(std::vector<int64_t>());
}

template <typename Attrs>
absl::StatusOr<ExactResults> Lowered(ExactNode& node, std::string_view name, const Attrs& attrs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const Value y, node.Lower(name, {x.value}, attrs));
  return ExactResults{x.With(y)};
}

template <typename Attrs>
absl::StatusOr<ExactResults> Applied(ExactNode& node, Opcode op, const Attrs& attrs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(op, {x.value}, attrs));
  return ExactResults{x.With(y)};
}

}  // namespace

absl::StatusOr<ExactResults> ExactIdentity(ExactNode& node) {
  if (!node.HasInput(0)) return MakeError(label::model_malformed, "no input");
  return ExactResults{node.inputs()[0]};  // with its count
}

// At inference everything is kept.
absl::StatusOr<ExactResults> ExactDropout(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  node.attributes().Ignore("ratio");
  node.attributes().Ignore("seed");
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> training, node.Ints(2));
    bool drops_nothing = training == std::vector<int64_t>{0};
    if (!drops_nothing && node.HasInput(1)) {
      ASSIGN_OR_RETURN(const ExactValue ratio, node.Input(1));
      const TensorView* constant = node.c().constant(ratio.value);
      drops_nothing = constant != nullptr && constant->shape.num_elements() == 1 && constant->at(0) == 0;
    }
    if (!drops_nothing) {
      return MakeError(label::model_unsupported_operand,
                       "it is in training mode; export the model for inference");
    }
  }
  const auto dims = node.c().shape(x.value).dims();
  const FillAttrs kept = {.shape = std::vector<int64_t>(dims.begin(), dims.end()), .value = 1};
  ASSIGN_OR_RETURN(const Value mask, node.c().Apply(Opcode::kFill, {}, kept));
  return ExactResults{x, ExactValue{mask, 0, ::onnx::TensorProto::BOOL}};
}

absl::StatusOr<ExactResults> ExactTranspose(ExactNode& node) {
  ASSIGN_OR_RETURN(const auto perm, node.attributes().Ints("perm"));
  return Applied(node, Opcode::kTranspose, TransposeAttrs{.axes = perm.value_or(std::vector<int64_t>())});
}

absl::StatusOr<ExactResults> ExactConcat(ExactNode& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 1));
  ExactValues parts;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    if (!node.HasInput(i)) continue;  // an empty tensor adds nothing
    ASSIGN_OR_RETURN(parts.emplace_back(), node.Input(i));
  }
  if (parts.empty()) return ExactResults{MaybeExactValue()};
  ASSIGN_OR_RETURN(const ExactValues x, node.Aligned(std::move(parts)));
  std::vector<Value> operands;
  for (const ExactValue& value : x) operands.push_back(value.value);
  ASSIGN_OR_RETURN(const Value y,
                   node.c().Apply(Opcode::kConcatenate, operands, ConcatenateAttrs{.axis = axis}));
  return ExactResults{x[0].With(y)};
}

// 0 takes the dim of the input (unless allowzero), -1 what is left.
absl::StatusOr<ExactResults> ExactReshape(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, node.Ints(1));
  ASSIGN_OR_RETURN(const bool allow_zero, node.attributes().Bool("allowzero", false));
  const Shape& from = node.c().shape(x.value);
  int64_t known = 1, open = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allow_zero && static_cast<int>(i) < from.rank())
      shape[i] = from[static_cast<int>(i)];
    if (shape[i] == -1) {
      open = static_cast<int64_t>(i);
    } else if (shape[i] <= 0 || shape[i] > from.num_elements()) {
      return MakeError(label::model_shape, "a dim of the shape is out of range");
    } else {
      known *= shape[i];
      if (known > from.num_elements())
        return MakeError(label::model_shape, "the shape has more elements than the input");
    }
  }
  if (open >= 0) shape[open] = from.num_elements() / known;
  return Applied(node, Opcode::kReshape, ReshapeAttrs{.shape = shape});
}

absl::StatusOr<ExactResults> ExactFlatten(ExactNode& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.attributes().Int("axis", 1));
  return Lowered(node, "flatten_2d", AxisAttrs{axis});
}

absl::StatusOr<ExactResults> ExactSqueeze(ExactNode& node) {
  ASSIGN_OR_RETURN(std::vector<int64_t> axes, AttributeOrInput(node, "axes", 1, 13));
  if (axes.empty()) {  // all of one element; where nothing is left, a scalar, which the operator squeeze does not make
    ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
    const Shape& shape = node.c().shape(x.value);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] == 1) axes.push_back(axis);
    }
    if (axes.empty()) return ExactResults{x};
  }
  return Lowered(node, "squeeze_axes", AxesAttrs{axes});
}

absl::StatusOr<ExactResults> ExactUnsqueeze(ExactNode& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, AttributeOrInput(node, "axes", 1, 13));
  return Lowered(node, "unsqueeze", AxesAttrs{axes});
}

absl::StatusOr<ExactResults> ExactExpand(ExactNode& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, node.Ints(1));
  return Lowered(node, "expand", BroadcastToAttrs{shape});
}

absl::StatusOr<ExactResults> ExactTile(ExactNode& node) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> reps, node.Ints(1));
  return Applied(node, Opcode::kTile, TileAttrs{.reps = reps});
}

absl::StatusOr<ExactResults> ExactSlice(ExactNode& node) {
  SliceAttrs attrs;
  // Exporters write "to the end" as the largest number, and "to the front" backwards as the least.
  ASSIGN_OR_RETURN(attrs.begin, node.SaturatedInts(1));
  ASSIGN_OR_RETURN(attrs.end, node.SaturatedInts(2));
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(attrs.axes, node.Ints(3));
  }
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(attrs.steps, node.SaturatedInts(4));
  }
  return Lowered(node, "slice", attrs);
}

// Parts of one size; from opset 18 on the last may be smaller.
absl::StatusOr<ExactResults> ExactSplit(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  SplitAttrs attrs;
  ASSIGN_OR_RETURN(attrs.axis, node.attributes().Int("axis", 0));
  ASSIGN_OR_RETURN(attrs.sizes, AttributeOrInput(node, "split", 1, 13));
  const auto count = static_cast<int64_t>(node.num_outputs());
  ASSIGN_OR_RETURN(const int64_t stated, node.attributes().Int("num_outputs", count));
  if (stated != count) return MakeError(label::model_malformed, "num_outputs is not that of its outputs");
  if (attrs.sizes.empty()) {
    ASSIGN_OR_RETURN(const int64_t axis,
                     NormalizeAxis(attrs.axis, static_cast<size_t>(node.c().shape(x.value).rank())));
    const int64_t size = node.c().shape(x.value)[static_cast<int>(axis)];
    if (node.opset() < 18 && size % count != 0)
      return MakeError(label::model_shape, "its parts are not equal");
    attrs.count = count;
  }
  ASSIGN_OR_RETURN(const std::vector<Value> parts, tally::Lower(node.c(), "split", {{x.value}}, Pack(attrs)));
  ExactResults results;
  for (const Value part : parts) results.push_back(x.With(part));
  return results;
}

// Pads come as [begins, ends]; a negative one removes elements.
absl::StatusOr<ExactResults> ExactPad(ExactNode& node) {
  ASSIGN_OR_RETURN(ExactValue x, node.Input(0));
  const auto rank = static_cast<size_t>(node.c().shape(x.value).rank());
  ASSIGN_OR_RETURN(PadAmounts pads, ReadPads(node, rank, TensorLimit(Profile::kCore).hi));
  PadOrCropAttrs attrs;
  attrs.before = std::move(pads.before);
  attrs.after = std::move(pads.after);
  ASSIGN_OR_RETURN(attrs.mode, ReadChoice<PadMode>(node, "mode", "constant", kPadModeNames));
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(const ExactValue value, node.Input(2));
    const int fraction_bits = std::max(x.fraction_bits, value.fraction_bits);
    ASSIGN_OR_RETURN(x, node.WithFractionBits(x, fraction_bits));
    ASSIGN_OR_RETURN(attrs.value, node.ConstantInFractionBits(value, fraction_bits));
  }
  ASSIGN_OR_RETURN(const Value y, node.Lower("pad_or_crop", {x.value}, attrs));
  return ExactResults{x.With(y)};
}

absl::StatusOr<ExactResults> ExactDepthToSpace(ExactNode& node) {
  ASSIGN_OR_RETURN(const BlockForm read, ReadBlocks(node, /*has_mode=*/true));
  const BlockMode order = read.block_first ? BlockMode::kBlocksFirst : BlockMode::kDepthFirst;
  return Lowered(node, "depth_to_space", BlockAttrs{read.size, order});
}

absl::StatusOr<ExactResults> ExactSpaceToDepth(ExactNode& node) {
  ASSIGN_OR_RETURN(const BlockForm read, ReadBlocks(node, /*has_mode=*/false));
  return Lowered(node, "space_to_depth", BlockAttrs{read.size, BlockMode::kBlocksFirst});
}

absl::StatusOr<ExactResults> ExactReverseSequence(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue lengths, node.Input(1));
  ReverseSequenceAttrs attrs;
  ASSIGN_OR_RETURN(attrs.batch_axis, node.attributes().Int("batch_axis", 1));
  ASSIGN_OR_RETURN(attrs.seq_axis, node.attributes().Int("time_axis", 0));
  const auto dims = node.c().shape(x.value).dims();
  ASSIGN_OR_RETURN(const int64_t time_axis, NormalizeAxis(attrs.seq_axis, dims.size()));
  RETURN_IF_ERROR(node.host().RequireWithin(lengths.value, {0, dims[static_cast<size_t>(time_axis)]}));
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kReverseSequence, {x.value, lengths.value}, attrs));
  return ExactResults{x.With(y)};
}

absl::StatusOr<ExactResults> ExactTrilu(ExactNode& node) {
  ASSIGN_OR_RETURN(const TriangleForm read, ReadTriangle(node));
  // Beyond the matrix a diagonal keeps all or nothing, wherever it is.
  constexpr int64_t kFar = std::numeric_limits<int32_t>::max();
  const int64_t k = std::clamp(read.k, -kFar, kFar);
  return Lowered(node, "band", read.upper ? BandAttrs{.lowest = {k}} : BandAttrs{.highest = {k}});
}

}  // namespace tally::onnx
