#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/onnx/exact/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"
#include "ops/image/attrs.h"
#include "ops/image/lowering/attrs.h"

namespace tally::onnx {
namespace {

// The value of a name in a list of them.
template <typename Enum, size_t kCount>
absl::StatusOr<Enum> ByName(const std::array<std::string_view, kCount>& names, const std::string& name) {
  const auto it = std::ranges::find(names, name);
  if (it == names.end()) return MakeError(label::model_unsupported_attribute, name);
  return static_cast<Enum>(it - names.begin());
}

// The sizes of the result and the scales that positions follow: given, or the ratios of the sizes.
absl::Status ReadSizes(ExactNode& node, const Shape& from, size_t scales_input, size_t sizes_input,
                       ResizeAttrs* attrs) {
  const int rank = from.rank();
  attrs->axes.clear();
  attrs->sizes.clear();
  if (node.HasInput(sizes_input)) {
    ASSIGN_OR_RETURN(attrs->sizes, node.Ints(sizes_input));
  } else {
    ASSIGN_OR_RETURN(const ExactValue scales, node.Input(scales_input));
    const TensorView* values = node.c().constant(scales.value);
    constexpr int kMostBits = 30;  // for a term of a scale
    if (values == nullptr || values->shape.num_elements() != rank || scales.fraction_bits > kMostBits) {
      return MakeError(label::model_unsupported_operand, "the scales are not constants of 30 bits");
    }
    const int64_t denominator = int64_t{1} << scales.fraction_bits;
    for (int axis = 0; axis < rank; ++axis) {
      const int64_t numerator = values->at(axis);
      if (numerator < 1 || numerator >= int64_t{1} << kMostBits) {
        return MakeError(label::model_unsupported_operand, "a scale is out of range");
      }
      attrs->sizes.push_back(from[axis] * numerator / denominator);
      attrs->scales.insert(attrs->scales.end(), {numerator, denominator});
    }
  }
  for (int axis = 0; axis < rank; ++axis) attrs->axes.push_back(axis);
  return absl::OkStatus();
}

absl::StatusOr<ExactResults> Resized(ExactNode& node, size_t scales_input, size_t sizes_input,
                                     ResizeAttrs attrs) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  RETURN_IF_ERROR(ReadSizes(node, node.c().shape(x.value), scales_input, sizes_input, &attrs));
  ASSIGN_OR_RETURN(const Value y, node.Lower("resize", {x.value}, attrs));
  return ExactResults{x.With(y)};
}

}  // namespace

// A bilinear weight has twice the fraction bits of a position, and a bicubic one six times and four more, so
// that the sums are exact as long as they fit.
absl::StatusOr<ExactResults> ExactGridSample(ExactNode& node) {
  ASSIGN_OR_RETURN(const ExactValue x, node.Input(0));
  ASSIGN_OR_RETURN(const ExactValue grid, node.Input(1));
  ASSIGN_OR_RETURN(const GridForm read, ReadGridSample(node));
  GridSampleAttrs attrs = {.mode = read.mode,
                           .padding = read.padding,
                           .align_corners = read.align_corners,
                           .fraction = grid.fraction_bits};
  const bool cubic = attrs.mode == GridSampleMode::kCubic;
  if (grid.fraction_bits > 30) return MakeError(label::model_inexact, "positions of more than 30 bits");
  const int position_bits = grid.fraction_bits + 1;
  attrs.result_fraction = cubic                                     ? 6 * position_bits + 4
                          : attrs.mode == GridSampleMode::kBilinear ? 2 * position_bits
                                                                    : 0;
  if (attrs.result_fraction > 46) return MakeError(label::model_inexact, "an interpolation is rounded");
  ASSIGN_OR_RETURN(const Value y, node.c().Apply(Opcode::kGridSample, {x.value, grid.value}, attrs));
  const int fraction_bits = x.fraction_bits + static_cast<int>(attrs.result_fraction);
  return ExactResults{ExactValue{y, fraction_bits, x.data_type}};
}

// A choice of the nearest pixels alone: an interpolation is rounded.
absl::StatusOr<ExactResults> ExactResize(ExactNode& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "nearest"));
  if (mode != "nearest") return MakeError(label::model_inexact, "an interpolation is rounded");
  ResizeAttrs attrs;
  ASSIGN_OR_RETURN(const std::string coordinates,
                   node.attributes().String("coordinate_transformation_mode", "half_pixel"));
  ASSIGN_OR_RETURN(attrs.coordinates, ByName<Coordinates>(kCoordinatesNames, coordinates));
  ASSIGN_OR_RETURN(const std::string nearest, node.attributes().String("nearest_mode", "round_prefer_floor"));
  ASSIGN_OR_RETURN(attrs.nearest, ByName<Nearest>(kNearestNames, nearest));
  return Resized(node, 2, 3, attrs);
}

// Resize as it was before opset 11, and Upsample: pixel floor(o / scale).
absl::StatusOr<ExactResults> ExactUpsample(ExactNode& node) {
  ASSIGN_OR_RETURN(const std::string mode, node.attributes().String("mode", "nearest"));
  if (mode != "nearest") return MakeError(label::model_inexact, "an interpolation is rounded");
  constexpr size_t kNone = 2;
  return Resized(node, 1, kNone, {.coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor});
}

}  // namespace tally::onnx
