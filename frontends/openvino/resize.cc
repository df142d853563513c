// Images of another size.
#include "frontends/graph/compositions/resize.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

absl::Status CheckPads(IrNode& node) {
  for (const char* name : {"pads_begin", "pads_end"}) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> pads, node.Ints(name));
    if (std::ranges::any_of(pads, [](int64_t pad) { return pad != 0; }))
      return Unsupported("Interpolate with pads");
  }
  return absl::OkStatus();
}

absl::StatusOr<ResizeTarget> TargetOf(const Operand& x, const std::vector<int64_t>& axes,
                                      const std::vector<int64_t>& sizes) {
  ResizeTarget target;
  ASSIGN_OR_RETURN(target.shape, AtAxes(sizes, axes, x.shape()));
  RETURN_IF_ERROR(quant::CheckShape(target.shape));
  return target;
}

// Opset 1: points lie where the corners align, or from the first corner on.
absl::Status FinishFirst(IrNode& node, const Operand& x) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> axes, node.Ints("axes"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.List(1));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  ASSIGN_OR_RETURN(const bool aligns, node.Flag("align_corners", true));
  ASSIGN_OR_RETURN(const bool antialias, node.Flag("antialias", false));
  if (mode != "nearest" && mode != "linear")
    return Unsupported("mode " + PrintableStart(mode) + " of opset 1");
  if (antialias) return Unsupported("antialias");
  ASSIGN_OR_RETURN(ResizeTarget target, TargetOf(x, axes, sizes));
  const quant::Resize resize = {.linear = mode == "linear",
                                .coordinates = aligns ? Coordinates::kAlignCorners : Coordinates::kAsymmetric,
                                .nearest = Nearest::kFloor};
  return node.FinishAs(Resized(node, x, std::move(target), resize));
}

}  // namespace

// From opset 4 on x, sizes, scales and [axes]; from 11 on x, sizes or scales, and [axes].
absl::Status ImportInterpolate(IrNode& node) {
  const bool has_both = node.opset() >= 4 && node.opset() < 11;
  RETURN_IF_ERROR(node.CheckInputCount(2, has_both ? 4 : 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  RETURN_IF_ERROR(CheckPads(node));
  if (node.opset() < 4) return FinishFirst(node, x);
  const size_t scales_input = has_both ? 2 : 1, axes_input = scales_input + 1;
  std::vector<int64_t> axes = AxesFrom(0, x.shape().size());
  if (node.HasInput(axes_input)) {
    ASSIGN_OR_RETURN(axes, node.List(axes_input));
  }
  ASSIGN_OR_RETURN(const std::string from, node.Word("shape_calculation_mode"));
  ResizeTarget target;
  if (from == "sizes") {
    ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, node.List(1));
    ASSIGN_OR_RETURN(target, TargetOf(x, axes, sizes));
  } else {
    if (from != "scales") return Malformed("shape_calculation_mode is " + PrintableStart(from));
    ASSIGN_OR_RETURN(const quant::FloatTensor* scales, node.FloatConstant(scales_input));
    ASSIGN_OR_RETURN(const std::vector<float> of_all,
                     AtAxes(scales->data, axes, std::vector<float>(x.shape().size(), 1)));
    ASSIGN_OR_RETURN(target, ByScales(of_all, x.shape()));
  }
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  ASSIGN_OR_RETURN(const std::string where, node.Word("coordinate_transformation_mode", "half_pixel"));
  ASSIGN_OR_RETURN(const Coordinates coordinates, ByName<Coordinates>(kCoordinatesNames, where));
  ASSIGN_OR_RETURN(const std::string nearest, node.Word("nearest_mode", "round_prefer_floor"));
  ASSIGN_OR_RETURN(const bool antialias, node.Flag("antialias", false));
  ASSIGN_OR_RETURN(const float coefficient, node.Float("cube_coeff", -0.75f));
  if (coordinates >= Coordinates::kTfCropAndResize) return Unsupported("points " + PrintableStart(where));
  if (mode == "cubic") {
    quant::ResizeCubic cubic;
    cubic.coordinates = coordinates;
    cubic.coefficient = coefficient;
    if (antialias) return Unsupported("antialias");
    return node.FinishAs(Resized(node, x, std::move(target), std::move(cubic)));
  }
  if (mode != "nearest" && mode != "linear" && mode != "linear_onnx")
    return Unsupported("mode " + PrintableStart(mode));
  if (antialias && mode != "nearest") return Unsupported("antialias");
  quant::Resize resize = {.linear = mode != "nearest", .coordinates = coordinates};
  ASSIGN_OR_RETURN(resize.nearest, ByName<Nearest>(kNearestNames, nearest));
  return node.FinishAs(Resized(node, x, std::move(target), resize));
}

}  // namespace tally::openvino
