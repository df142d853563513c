#include "frontends/graph/compositions/resize.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"

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
  return ByName<Coordinates>(kCoordinatesNames, coordinates);
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
  ASSIGN_OR_RETURN(const bool excludes, node.attributes().Bool("exclude_outside", false));
  if (excludes && linear)
    return MakeError(label::model_unsupported_attribute, "exclude_outside = 1 is not imported");
  return resize;
}

// Sizes of one scale for all axes: the largest with which none is larger than asked for, or the smallest with
// which none is smaller.
absl::StatusOr<ResizeTarget> KeepingAspect(const Shape& x, const std::vector<int64_t>& axes,
                                           const std::vector<int64_t>& sizes, const std::string& policy) {
  ResizeTarget target;
  ASSIGN_OR_RETURN(target.shape, AtAxes(sizes, axes, x));
  if (policy == "stretch") return target;
  if (policy != "not_larger" && policy != "not_smaller") {
    return MakeError(label::model_malformed, "keep_aspect_ratio_policy is " + PrintableStart(policy));
  }
  if (sizes.size() != axes.size() || sizes.empty())
    return MakeError(label::model_malformed, "it has another number of sizes than of axes");
  std::optional<Fraction> scale;
  target.scales.assign(x.size(), Fraction{});
  std::vector<size_t> places;
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(axes[i], x.size()));
    places.push_back(static_cast<size_t>(axis));
    const Fraction own = {sizes[i], x[places.back()]};
    if (own.numerator < 1 || own.numerator > quant::kMaxAttribute || own.denominator > quant::kMaxAttribute)
      return MakeError(label::model_shape, "a size is out of range");
    const bool is_larger =
        scale.has_value() && own.numerator * scale->denominator > scale->numerator * own.denominator;
    if (!scale.has_value() || is_larger == (policy == "not_smaller")) scale = own;
  }
  for (const size_t axis : places) {
    target.scales[axis] = *scale;
    target.shape[axis] = (2 * x[axis] * scale->numerator + scale->denominator) / (2 * scale->denominator);
  }
  return target;
}

// Resizes a region of x; points outside of x have a value of their own.
absl::Status FinishRegion(NodeContext& node, const Operand& x, const std::vector<int64_t>& axes,
                          const ResizeTarget& target, std::optional<quant::Resize> resize) {
  ASSIGN_OR_RETURN(const float outside, node.attributes().Float("extrapolation_value", 0));
  ASSIGN_OR_RETURN(const quant::FloatTensor* region, node.FloatConstant(1));
  if (!resize.has_value())
    return MakeError(label::model_unsupported_attribute,
                     "tf_crop_and_resize is imported as nearest and linear");
  if (region->data.size() != 2 * axes.size())
    return MakeError(label::model_malformed, "its region is not two numbers for each axis");
  std::vector<AxisWeights> weights;
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t given, NormalizeAxis(axes[i], x.shape().size()));
    const auto axis = static_cast<size_t>(given);
    const double first = region->data[i], last = region->data[axes.size() + i];
    const bool is_whole = target.shape[axis] == x.shape()[axis] && (axis + 2 < x.shape().size());
    if (is_whole) continue;
    ASSIGN_OR_RETURN(weights.emplace_back(),
                     RegionWeights(node, axis, x.shape()[axis], target.shape[axis], first, last,
                                   resize->linear ? std::nullopt : std::optional(resize->nearest)));
  }
  return node.FinishAs(ResizedByWeights(node, x, weights, outside));
}

// Along each axis by a triangle that is as wide as a step.
absl::Status FinishAntialiased(NodeContext& node, const Operand& x, const ResizeTarget& target,
                               Coordinates coordinates) {
  std::vector<AxisWeights> weights;
  for (size_t axis = 0; axis < x.shape().size(); ++axis) {
    const int64_t elements = x.shape()[axis], size = target.shape[axis];
    if (elements == size) continue;
    const double ratio = static_cast<double>(size) / static_cast<double>(elements);
    const double scale = target.scales.empty() ? ratio
                                               : static_cast<double>(target.scales[axis].numerator) /
                                                     static_cast<double>(target.scales[axis].denominator);
    ASSIGN_OR_RETURN(weights.emplace_back(), TriangleWeights(node, axis, elements, size, scale, coordinates));
  }
  if (weights.empty()) return node.FinishAs(x);
  return node.FinishAs(ResizedByWeights(node, x, weights, 0));
}

}  // namespace

// x, [regions of interest], [scales], [sizes]: one of the last two.
absl::Status ImportResize(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 4));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  node.attributes().Ignore("extrapolation_value");  // only regions read it
  ASSIGN_OR_RETURN(const std::string policy, node.attributes().String("keep_aspect_ratio_policy", "stretch"));
  ASSIGN_OR_RETURN(const auto axes, node.attributes().Ints("axes"));
  const std::vector<int64_t> resized = axes.value_or(AxesFrom(0, x.shape().size()));
  ResizeTarget target;
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* sizes, node.IntConstant(3));
    ASSIGN_OR_RETURN(target, KeepingAspect(x.shape(), resized, sizes->data, policy));
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* scales, node.FloatConstant(2));
    ASSIGN_OR_RETURN(const std::vector<float> of_all,
                     AtAxes(scales->data, resized, std::vector<float>(x.shape().size(), 1)));
    ASSIGN_OR_RETURN(target, ByScales(of_all, x.shape()));
  }
  ASSIGN_OR_RETURN(const std::string mode, ReadResizeMode(node));
  ASSIGN_OR_RETURN(const Coordinates coordinates, ReadCoordinates(node));
  if (mode == "cubic") {
    ASSIGN_OR_RETURN(quant::ResizeCubic cubic, ReadCubic(node));
    if (coordinates == Coordinates::kTfCropAndResize)
      return FinishRegion(node, x, resized, target, std::nullopt);
    return node.FinishAs(Resized(node, x, std::move(target), std::move(cubic)));
  }
  ASSIGN_OR_RETURN(quant::Resize resize, ReadResize(node, mode == "linear"));
  ASSIGN_OR_RETURN(const bool antialias, node.attributes().Bool("antialias", false));
  if (coordinates == Coordinates::kTfCropAndResize) return FinishRegion(node, x, resized, target, resize);
  if (antialias && resize.linear) return FinishAntialiased(node, x, target, coordinates);
  return node.FinishAs(Resized(node, x, std::move(target), std::move(resize)));
}

// Upsample, whose scales were an attribute at first, and Resize as it was in opset 10.
absl::Status ImportUpsample(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(node.opset() < 9 ? 1 : 2, node.opset() < 9 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  quant::Resize resize = {.coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor};
  ASSIGN_OR_RETURN(const std::string mode, ReadResizeMode(node));
  if (mode == "cubic")
    return MakeError(label::model_unsupported_attribute,
                     "mode is cubic; those of Upsample are nearest and linear");
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
