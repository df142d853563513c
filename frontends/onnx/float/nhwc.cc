// The operators of the NHWC dialect besides windows and ONNX's own.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/graph/compositions/resize.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {
namespace {

using quant::Shape;

// f of all inputs, which have one shape.
absl::Status FinishOfOneShape(NodeContext& node, Pairwise f) {
  std::vector<Operand> operands;
  for (size_t i = 0; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
    if (operands[i].shape() == operands[0].shape()) continue;
    return MakeError(label::model_shape, "its operands are " + quant::ToString(operands[0].shape()) +
                                             " and " + quant::ToString(operands[i].shape()) +
                                             "; in the NHWC dialect it does not broadcast");
  }
  if (operands.empty()) return MakeError(label::model_malformed, "it has no inputs");
  return node.FinishAs(OfAll(node, operands, f));
}

}  // namespace

absl::Status ImportNhwcAdd(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  return FinishOfOneShape(node, Sum);
}

absl::Status ImportNhwcMul(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  return FinishOfOneShape(node, Product);
}

absl::Status ImportNhwcSum(NodeContext& node) { return FinishOfOneShape(node, Sum); }

absl::Status ImportNhwcAddBias(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand bias, node.Input(1));
  const bool is_list = !x.shape().empty() && bias.shape() == Shape{x.shape().back()};
  if (is_list || bias.shape() == x.shape()) return node.FinishAs(Sum(node, x, bias));
  return MakeError(label::model_shape, "the bias is " + quant::ToString(bias.shape()) +
                                           " for the channels of " + quant::ToString(x.shape()));
}

// x, [scale], bias, mean, variance; where scale is left out, the others may move up.
absl::Status ImportNhwcBatchNormalization(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 5));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  if (x.shape().size() < 2) return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()));
  ASSIGN_OR_RETURN(const float epsilon, node.attributes().Float("epsilon", 1e-5f));
  node.attributes().Ignore("momentu");  // as the document spells it; for training
  node.attributes().Ignore("momentum");
  ASSIGN_OR_RETURN(const bool spatial, node.attributes().Bool("spatial", true));
  if (!spatial) return MakeError(label::model_unsupported_attribute, "spatial = 0 is not imported");
  ASSIGN_OR_RETURN(const Operand first, ChannelsFirst(node, x));
  std::vector<Operand> operands = {first};
  const bool has_scale = node.num_inputs() == 5 && node.HasInput(1);
  if (!has_scale) {
    const int64_t channels = x.shape().back();
    const std::vector<float> ones(static_cast<size_t>(channels), 1.0f);
    ASSIGN_OR_RETURN(Operand scale, node.NewConstant(quant::FloatTensor{{channels}, ones}, "scale"));
    operands.push_back(std::move(scale));
  }
  for (size_t i = node.num_inputs() + operands.size() - 5; i < node.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    operands.push_back(std::move(operand));
  }
  ASSIGN_OR_RETURN(const Operand y, node.Emit(quant::BatchNorm{epsilon}, operands, "normalized"));
  return node.FinishAs(ChannelsLast(node, y));
}

// Attributes are those of Conv in the document, where they say nothing.
absl::Status ImportNhwcDense(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 3));
  for (const char* name : {"dilations", "group", "kernel_shape", "pads", "strides"})
    node.attributes().Ignore(name);
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  RETURN_IF_ERROR(node.FloatConstant(1).status());
  ASSIGN_OR_RETURN(Operand weight, node.Input(1));
  std::optional<Operand> bias;
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(bias, node.Input(2));
  }
  const Shape& shape = weight.shape();
  const int64_t in = x.shape().empty() ? 0 : x.shape().back();
  if (shape.size() != 2 || (shape[0] != in && shape[1] != in)) {
    return MakeError(label::model_shape,
                     "the weight is " + quant::ToString(shape) + " for x " + quant::ToString(x.shape()));
  }
  if (shape[0] == in) {
    if (shape[1] == in) node.Note("the weight is square and is taken for [in, units], as Keras has it");
    ASSIGN_OR_RETURN(weight, Transposed(node, weight, "weight"));
  }
  return node.FinishAs(DenseLayer(node, x, weight, bias));
}

// A list of int32 in the order of tf.pad: before and after axis 0, before and after axis 1, ..
absl::Status ImportNhwcPad(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "constant"));
  ASSIGN_OR_RETURN(const float value, node.attributes().Float("value", 0));
  if (mode != "constant" || value != 0) {
    return MakeError(label::model_unsupported_attribute,
                     "mode " + PrintableStart(mode) + " is not imported; zeros are");
  }
  ASSIGN_OR_RETURN(const auto pads, node.attributes().Ints("pads"));
  const size_t rank = x.shape().size();
  const auto fits = [](int64_t pad) { return pad >= 0 && pad <= quant::kMaxAttribute; };
  if (!pads.has_value() || pads->size() != 2 * rank || !std::ranges::all_of(*pads, fits)) {
    return MakeError(label::model_malformed,
                     "attribute pads is not a pair of numbers for each of " + std::to_string(rank) + " axes");
  }
  quant::Pad pad;
  for (size_t i = 0; i < rank; ++i) {
    pad.before.push_back((*pads)[2 * i]);
    pad.after.push_back((*pads)[2 * i + 1]);
  }
  if (std::ranges::count(*pads, 0) == static_cast<int64_t>(pads->size())) return node.FinishAs(x);
  return node.Finish(std::move(pad), {x});
}

absl::Status ImportNhwcRelu6(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  return node.FinishAs(Clip(node, x, 0, 6));
}

absl::Status ImportNhwcScale(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const float scale, node.attributes().Float("scale", 1));
  ASSIGN_OR_RETURN(const Operand factor, node.NewConstant(scale, "scale"));
  return node.FinishAs(Product(node, x, factor));
}

absl::Status ImportNhwcSpaceToDepth(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t size, node.attributes().Int("blocksize", 0));
  ASSIGN_OR_RETURN(const Operand first, ChannelsFirst(node, x));
  ASSIGN_OR_RETURN(const Operand y, SpaceToDepth(node, first, size, true));
  return node.FinishAs(ChannelsLast(node, y));
}

absl::Status ImportNhwcSqueeze(NodeContext& node) {
  if (node.attributes().Find("axes") == nullptr)
    return MakeError(label::model_malformed, "attribute axes is missing");
  return ImportSqueeze(node);
}

// `size` is that of images, or of all axes with 1 for batch and channels.
absl::Status ImportNhwcUpSampling2D(NodeContext& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "nearest"));
  if (mode != "nearest") {
    return MakeError(label::model_unsupported_attribute,
                     "mode " + PrintableStart(mode) +
                         " is not imported: the NHWC dialect does not say where "
                         "the points are");
  }
  ASSIGN_OR_RETURN(const auto read, node.attributes().Ints("size"));
  std::vector<int64_t> size = read.value_or(std::vector<int64_t>());
  if (size.size() == 4 && size[0] == 1 && size[3] == 1) size = {size[1], size[2]};
  const auto fits = [](int64_t factor) { return factor >= 1 && factor <= 1 << 20; };
  if (size.size() != 2 || !std::ranges::all_of(size, fits) || x.shape().size() != 4) {
    return MakeError(label::model_malformed,
                     "attribute size is not a number for each of height and width of [N, H, W, C]");
  }
  ASSIGN_OR_RETURN(const Operand first, ChannelsFirst(node, x));
  const std::vector<float> scales = {1, 1, static_cast<float>(size[0]), static_cast<float>(size[1])};
  ASSIGN_OR_RETURN(ResizeTarget target, ByScales(scales, first.shape()));
  const quant::Resize resize = {.coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor};
  ASSIGN_OR_RETURN(const Operand y, Resized(node, first, std::move(target), resize));
  return node.FinishAs(ChannelsLast(node, y));
}

}  // namespace tally::onnx
