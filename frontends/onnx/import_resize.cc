#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/resize.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Shape;

absl::StatusOr<std::string> ReadResizeMode(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "nearest"));
  if (mode == "nearest" || mode == "linear" || mode == "cubic") return mode;
  if (mode == "bilinear") return std::string("linear");
  return MakeError(label::model_unsupported_attribute, "mode " + PrintableStart(mode) + " is not imported");
}

absl::StatusOr<Coordinates> ReadCoordinates(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string coordinates,
                   node.attributes().String("coordinate_transformation_mode", "half_pixel"));
  ASSIGN_OR_RETURN(const Coordinates read, ByName<Coordinates>(kCoordinatesNames, coordinates));
  if (read < Coordinates::kTfCropAndResize) return read;
  return MakeError(label::model_unsupported_attribute, coordinates + " is not imported");
}

absl::StatusOr<quant::ResizeCubic> ReadCubic(NodeContext& node) {
  quant::ResizeCubic resize;
  ASSIGN_OR_RETURN(resize.coordinates, ReadCoordinates(node));
  ASSIGN_OR_RETURN(const float coefficient, node.attributes().Float("cubic_coeff_a", -0.75f));
  resize.coefficient = coefficient;
  ASSIGN_OR_RETURN(resize.antialias, node.attributes().Bool("antialias", false));
  ASSIGN_OR_RETURN(resize.exclude_outside, node.attributes().Bool("exclude_outside", false));
  node.attributes().Ignore("nearest_mode");
  return resize;
}

// Attributes of mode cubic say nothing.
absl::StatusOr<quant::Resize> ReadResize(NodeContext& node, bool linear) {
  quant::Resize resize = {.linear = linear};
  ASSIGN_OR_RETURN(resize.coordinates, ReadCoordinates(node));
  ASSIGN_OR_RETURN(const std::string nearest, node.attributes().String("nearest_mode", "round_prefer_floor"));
  ASSIGN_OR_RETURN(resize.nearest, ByName<Nearest>(kNearestNames, nearest));
  node.attributes().Ignore("cubic_coeff_a");
  for (const char* name : {"antialias", "exclude_outside"}) {
    ASSIGN_OR_RETURN(const bool is_set, node.attributes().Bool(name, false));
    if (is_set && linear) {
      return MakeError(label::model_unsupported_attribute, std::string(name) + " = 1 is not imported");
    }
  }
  return resize;
}

}  // namespace

// x, [regions of interest], [scales], [sizes]: one of the last two.
absl::Status ImportResize(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 4));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  node.attributes().Ignore("extrapolation_value");  // for a mode that is refused
  ASSIGN_OR_RETURN(const std::string policy, node.attributes().String("keep_aspect_ratio_policy", "stretch"));
  if (policy != "stretch") {
    return MakeError(label::model_unsupported_attribute, PrintableStart(policy) + " is not imported");
  }
  ASSIGN_OR_RETURN(const auto axes, node.attributes().Ints("axes"));
  const std::vector<int64_t> resized = axes.value_or(AxesFrom(0, x.shape().size()));
  ResizeTarget target;
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* sizes, node.IntConstant(3));
    ASSIGN_OR_RETURN(target.shape, AtAxes(sizes->data, resized, x.shape()));
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* scales, node.FloatConstant(2));
    ASSIGN_OR_RETURN(const std::vector<float> of_all,
                     AtAxes(scales->data, resized, std::vector<float>(x.shape().size(), 1)));
    ASSIGN_OR_RETURN(target, ByScales(of_all, x.shape()));
  }
  ASSIGN_OR_RETURN(const std::string mode, ReadResizeMode(node));
  if (mode == "cubic") {
    ASSIGN_OR_RETURN(quant::ResizeCubic cubic, ReadCubic(node));
    return node.FinishAs(Resized(node, x, std::move(target), std::move(cubic)));
  }
  ASSIGN_OR_RETURN(quant::Resize resize, ReadResize(node, mode == "linear"));
  return node.FinishAs(Resized(node, x, std::move(target), std::move(resize)));
}

// Upsample, whose scales were an attribute at first, and Resize as it was in opset 10.
absl::Status ImportUpsample(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(node.opset() < 9 ? 1 : 2, node.opset() < 9 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  quant::Resize resize = {.coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor};
  ASSIGN_OR_RETURN(const std::string mode, ReadResizeMode(node));
  if (mode == "cubic") return MakeError(label::model_unsupported_attribute, "mode cubic is none of Upsample");
  resize.linear = mode == "linear";
  std::vector<float> scales;
  if (node.opset() < 9) {
    const ::onnx::AttributeProto* attribute = node.attributes().Find("scales");
    if (attribute == nullptr) return MakeError(label::model_malformed, "Upsample has no scales");
    scales.assign(attribute->floats().begin(), attribute->floats().end());
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* constant, node.FloatConstant(1));
    scales = constant->data;
  }
  ASSIGN_OR_RETURN(const std::vector<float> of_all,
                   AtAxes(scales, AxesFrom(0, x.shape().size()), std::vector<float>(x.shape().size(), 1)));
  ASSIGN_OR_RETURN(ResizeTarget target, ByScales(of_all, x.shape()));
  return node.FinishAs(Resized(node, x, std::move(target), std::move(resize)));
}

}  // namespace tally::onnx
