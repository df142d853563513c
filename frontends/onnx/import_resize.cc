#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/axis.h"
#include "frontends/onnx/image.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/operators.h"

namespace tally::onnx {
namespace {

using quant::Shape;

// A positive float as a fraction of integers of at most 30 bits, exactly.
struct Fraction {
  int64_t numerator = 1;
  int64_t denominator = 1;
};

absl::StatusOr<Fraction> FractionOf(float scale) {
  int exponent = 0;
  constexpr int kMantissaBits = 24;
  if (!std::isfinite(scale) || scale <= 0) return MakeError(label::onnx_malformed, "a scale is not positive");
  int64_t mantissa = static_cast<int64_t>(std::ldexp(std::frexp(scale, &exponent), kMantissaBits));
  exponent -= kMantissaBits;
  const int zeros = std::countr_zero(static_cast<uint64_t>(mantissa));
  mantissa >>= zeros;
  exponent += zeros;
  const int bits = std::bit_width(static_cast<uint64_t>(mantissa));
  if (exponent < -30 || bits + std::max(exponent, 0) > 30) {
    return MakeError(label::onnx_unsupported_operand, "a scale is no fraction of 30 bits");
  }
  return exponent < 0 ? Fraction{mantissa, int64_t{1} << -exponent} : Fraction{mantissa << exponent, 1};
}

// What is read of Resize and Upsample, by axis of x.
struct Target {
  Shape shape;
  std::vector<Fraction> scales;  // none: the ratios of the sizes
};

// `values` are the sizes or scales of `axes`.
template <typename T>
absl::StatusOr<std::vector<T>> OfAllAxes(const std::vector<T>& values, const std::vector<int64_t>& axes,
                                         std::vector<T> of_all) {
  if (values.size() != axes.size()) {
    return MakeError(label::onnx_malformed, "there are " + std::to_string(values.size()) + " numbers for " +
                                                std::to_string(axes.size()) + " axes");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(axes[i], of_all.size()));
    of_all[static_cast<size_t>(axis)] = values[i];
  }
  return of_all;
}

absl::StatusOr<Target> ByScales(const std::vector<float>& scales, const std::vector<int64_t>& axes,
                                const Shape& x) {
  ASSIGN_OR_RETURN(const std::vector<float> of_all, OfAllAxes(scales, axes, std::vector<float>(x.size(), 1)));
  Target target;
  for (size_t i = 0; i < x.size(); ++i) {
    ASSIGN_OR_RETURN(const Fraction scale, FractionOf(of_all[i]));
    if (x[i] > (int64_t{1} << 31) || scale.numerator > (int64_t{1} << 30)) {
      return MakeError(label::onnx_shape, "the result is too large");
    }
    target.shape.push_back(x[i] * scale.numerator / scale.denominator);
    target.scales.push_back(scale);
  }
  return target;
}

// Finishes with the last two axes, or the last one of three, resized.
absl::Status FinishResize(NodeContext& node, const Operand& x, Target target, quant::Resize resize) {
  const size_t rank = x.shape().size();
  if (rank != 3 && rank != 4) {
    return MakeError(label::onnx_shape,
                     "x is " + quant::ToString(x.shape()) + "; only [N, C, L] and [N, C, H, W] are resized");
  }
  RETURN_IF_ERROR(quant::CheckShape(target.shape));
  if (target.shape[0] != x.shape()[0] || target.shape[1] != x.shape()[1]) {
    return MakeError(label::onnx_unsupported_operand, "batch and channels are not resized");
  }
  if (target.shape == x.shape() && std::ranges::all_of(target.scales, [](const Fraction& scale) {
        return scale.numerator == scale.denominator;
      })) {
    return node.FinishAs(x);
  }
  if (rank == 3) {
    target.shape.insert(target.shape.begin() + 2, 1);
    if (!target.scales.empty()) target.scales.insert(target.scales.begin() + 2, Fraction{});
  }
  resize.size = {target.shape[2], target.shape[3]};
  for (size_t axis = 2; axis < target.scales.size(); ++axis) {
    const auto [numerator, denominator] = target.scales[axis];
    resize.scales.insert(resize.scales.end(), {numerator, denominator});
  }
  ASSIGN_OR_RETURN(const Operand image, AsImage(node, x, "image"));
  return FinishFromImage(node, std::move(resize), {image}, rank);
}

absl::StatusOr<bool> ReadLinear(NodeContext& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "nearest"));
  if (mode == "nearest" || mode == "linear" || mode == "bilinear") return mode != "nearest";
  return MakeError(label::onnx_unsupported_attribute, "mode " + PrintableStart(mode) + " is not imported");
}

// The value of a name in a list of them.
template <typename Enum, size_t kCount>
absl::StatusOr<Enum> ByName(const std::array<std::string_view, kCount>& names, const std::string& name) {
  const auto it = std::ranges::find(names, name);
  if (it != names.end()) return static_cast<Enum>(it - names.begin());
  return MakeError(label::onnx_unsupported_attribute, PrintableStart(name) + " is not imported");
}

std::vector<int64_t> AllAxes(const Shape& x) {
  std::vector<int64_t> axes(x.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Attributes of mode cubic, and of what is refused, say nothing.
absl::StatusOr<quant::Resize> ReadResize(NodeContext& node) {
  quant::Resize resize;
  ASSIGN_OR_RETURN(resize.linear, ReadLinear(node));
  Attributes& attributes = node.attributes();
  ASSIGN_OR_RETURN(const std::string coordinates,
                   attributes.String("coordinate_transformation_mode", "half_pixel"));
  ASSIGN_OR_RETURN(resize.coordinates, ByName<Coordinates>(kCoordinatesNames, coordinates));
  if (resize.coordinates >= Coordinates::kTfCropAndResize) {
    return MakeError(label::onnx_unsupported_attribute, coordinates + " is not imported");
  }
  ASSIGN_OR_RETURN(const std::string nearest, attributes.String("nearest_mode", "round_prefer_floor"));
  ASSIGN_OR_RETURN(resize.nearest, ByName<Nearest>(kNearestNames, nearest));
  for (const char* name : {"cubic_coeff_a", "extrapolation_value"}) attributes.Ignore(name);
  for (const char* name : {"antialias", "exclude_outside"}) {
    ASSIGN_OR_RETURN(const bool is_set, attributes.Bool(name, false));
    if (is_set && resize.linear) {
      return MakeError(label::onnx_unsupported_attribute, std::string(name) + " = 1 is not imported");
    }
  }
  ASSIGN_OR_RETURN(const std::string policy, attributes.String("keep_aspect_ratio_policy", "stretch"));
  if (policy != "stretch") {
    return MakeError(label::onnx_unsupported_attribute, PrintableStart(policy) + " is not imported");
  }
  return resize;
}

}  // namespace

// x, [regions of interest], [scales], [sizes]: one of the last two.
absl::Status ImportResize(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 4));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(quant::Resize resize, ReadResize(node));
  ASSIGN_OR_RETURN(const auto axes, node.attributes().Ints("axes"));
  const std::vector<int64_t> resized = axes.value_or(AllAxes(x.shape()));
  Target target;
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* sizes, node.IntConstant(3));
    ASSIGN_OR_RETURN(target.shape, OfAllAxes(sizes->data, resized, x.shape()));
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* scales, node.FloatConstant(2));
    ASSIGN_OR_RETURN(target, ByScales(scales->data, resized, x.shape()));
  }
  return FinishResize(node, x, std::move(target), std::move(resize));
}

// Upsample, whose scales were an attribute at first, and Resize as it was in opset 10.
absl::Status ImportUpsample(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(node.opset() < 9 ? 1 : 2, node.opset() < 9 ? 1 : 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  quant::Resize resize = {.coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor};
  ASSIGN_OR_RETURN(resize.linear, ReadLinear(node));
  std::vector<float> scales;
  if (node.opset() < 9) {
    const ::onnx::AttributeProto* attribute = node.attributes().Find("scales");
    if (attribute == nullptr) return MakeError(label::onnx_malformed, "Upsample has no scales");
    scales.assign(attribute->floats().begin(), attribute->floats().end());
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* constant, node.FloatConstant(1));
    scales = constant->data;
  }
  ASSIGN_OR_RETURN(Target target, ByScales(scales, AllAxes(x.shape()), x.shape()));
  return FinishResize(node, x, std::move(target), std::move(resize));
}

}  // namespace tally::onnx
