// Boxes of detectors.
#include "frontends/graph/compositions/detection.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using Sides = std::vector<std::pair<double, double>>;

// The map, and the image that it is of, as height and width.
struct Map {
  int64_t rows = 1, columns = 1;
  double height = 1, width = 1;
};

absl::StatusOr<Map> ReadMap(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const std::vector<int64_t> map, node.List(0));
  ASSIGN_OR_RETURN(const std::vector<int64_t> image, node.List(1));
  if (map.size() != 2 || image.size() != 2) return Malformed("its inputs are not two sizes each");
  for (const int64_t size : {map[0], map[1], image[0], image[1]}) {
    if (size < 1 || size > quant::kMaxAttribute) return Malformed("a size is out of range");
  }
  return Map{map[0], map[1], static_cast<double>(image[0]), static_cast<double>(image[1])};
}

// The boxes and, in a second row, the variances of each.
absl::Status FinishPriors(IrNode& node, const BoxGrid& grid) {
  ASSIGN_OR_RETURN(std::vector<float> variances, node.Floats("variance"));
  if (variances.empty()) variances = {0.1f};
  if (variances.size() == 1) variances.assign(4, variances[0]);
  if (variances.size() != 4) return Malformed("it has neither one variance nor four");
  ASSIGN_OR_RETURN(const Operand boxes, GridBoxes(node, grid));
  const int64_t count = quant::NumElements(boxes.shape());
  ASSIGN_OR_RETURN(const Operand row, node.Emit(quant::Reshape{{1, count}}, {boxes}, "boxes"));
  ASSIGN_OR_RETURN(const Operand four, node.NewConstant(quant::FloatTensor{{1, 4}, variances}, "variances"));
  ASSIGN_OR_RETURN(const Operand each, node.Emit(quant::Tile{{1, count / 4}}, {four}, "variance_row"));
  return node.Finish(quant::Concat{0}, {row, each});
}

// A square of each least size, one of the mean with its largest, and the ratios: before that mean where
// min_max_aspect_ratios_order is false.
absl::StatusOr<Sides> SidesOfPriors(IrNode& node) {
  ASSIGN_OR_RETURN(const std::vector<float> least, node.Floats("min_size"));
  ASSIGN_OR_RETURN(const std::vector<float> largest, node.Floats("max_size"));
  ASSIGN_OR_RETURN(const std::vector<float> given, node.Floats("aspect_ratio"));
  ASSIGN_OR_RETURN(const bool flip, node.Flag("flip", false));
  ASSIGN_OR_RETURN(const bool scales_all, node.Flag("scale_all_sizes", true));
  ASSIGN_OR_RETURN(const bool ratios_last, node.Flag("min_max_aspect_ratios_order", true));
  for (const char* name : {"fixed_ratio", "fixed_size", "density"}) {
    ASSIGN_OR_RETURN(const std::vector<float> list, node.Floats(name));
    if (!list.empty()) return Unsupported(std::string(name) + " of a PriorBox");
  }
  if (largest.size() > least.size()) return Malformed("it has more largest sizes than least ones");
  std::vector<double> ratios;  // each once, and 1 is that of the square
  for (const float ratio : given) {
    if (!(ratio > 0)) return Malformed("a ratio is not positive");
    for (const double one : flip ? std::vector<double>{ratio, 1.0 / ratio} : std::vector<double>{ratio}) {
      const auto is_known = [&](double known) { return std::abs(known - one) < 1e-6; };
      if (!is_known(1) && std::ranges::none_of(ratios, is_known)) ratios.push_back(one);
    }
  }
  const Sides sides =
      SidesOfCells(least, largest, ratios, {.ratios_first = !ratios_last, .scales_all = scales_all});
  if (sides.empty()) return Malformed("it has no sizes");
  return sides;
}

struct PriorForm {
  bool in_target = false;  // deltas are multiplied by their variances already
  bool in_pixels = false;  // a number before each box, and sides of an image of this size
  int64_t height = 1, width = 1;
};

// Priors [1, 1 or 2, P * 4 or 5]: the boxes, and in a second row their variances, four of each.
absl::Status ReadPriors(IrNode& node, const Operand& priors, const PriorForm& form,
                        DetectionOperands& operands) {
  const quant::Shape& shape = priors.shape();
  const int64_t rows = form.in_target ? 1 : 2, each = form.in_pixels ? 5 : 4;
  if (shape.size() != 3 || shape[0] != 1 || shape[1] != rows || shape[2] % each != 0) {
    return MakeError(label::model_shape, absl::StrCat("its priors are ", quant::ToString(shape), ", not [1, ",
                                                      rows, ", ", each, " P]"));
  }
  const int64_t count = shape[2] / each;
  const quant::Shape list = {count, 4};
  ASSIGN_OR_RETURN(Operand boxes, Part(node, priors, 1, 0, 1, "prior_boxes"));
  ASSIGN_OR_RETURN(boxes, node.Emit(quant::Reshape{{count, each}}, {boxes}, "boxes"));
  if (form.in_pixels) {
    const float x = 1 / static_cast<float>(form.width), y = 1 / static_cast<float>(form.height);
    ASSIGN_OR_RETURN(boxes, Part(node, boxes, 1, 1, 5, "corners"));
    ASSIGN_OR_RETURN(const Operand parts, node.NewConstant(quant::FloatTensor{{4}, {x, y, x, y}}, "parts"));
    ASSIGN_OR_RETURN(boxes, node.Emit(quant::Mul{}, {boxes, parts}, "of_image"));
  }
  operands.priors = boxes;
  if (form.in_target) {
    ASSIGN_OR_RETURN(const Operand one, node.NewConstant(quant::FloatTensor{{1, 1}, {1}}, "one"));
    ASSIGN_OR_RETURN(operands.variances, node.Emit(quant::Expand{list}, {one}, "variances"));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Operand variances, Part(node, priors, 1, 1, 2, "prior_variances"));
  ASSIGN_OR_RETURN(variances, Part(node, variances, 2, 0, count * 4, "four_each"));
  ASSIGN_OR_RETURN(operands.variances, node.Emit(quant::Reshape{list}, {variances}, "variances"));
  return absl::OkStatus();
}

}  // namespace

absl::Status ImportPriorBox(IrNode& node) {
  ASSIGN_OR_RETURN(const Map map, ReadMap(node));
  BoxGrid grid = {.rows = map.rows, .columns = map.columns, .width = map.width, .height = map.height};
  ASSIGN_OR_RETURN(grid.sides, SidesOfPriors(node));
  ASSIGN_OR_RETURN(const float step, node.Float("step", 0));
  ASSIGN_OR_RETURN(const float offset, node.Float("offset"));
  ASSIGN_OR_RETURN(grid.clip, node.Flag("clip", false));
  grid.step_x = step == 0 ? map.width / static_cast<double>(map.columns) : step;
  grid.step_y = step == 0 ? map.height / static_cast<double>(map.rows) : step;
  grid.first_x = (step == 0 ? 0.5 : offset) * grid.step_x;
  grid.first_y = (step == 0 ? 0.5 : offset) * grid.step_y;
  return FinishPriors(node, grid);
}

absl::Status ImportPriorBoxClustered(IrNode& node) {
  ASSIGN_OR_RETURN(Map map, ReadMap(node));
  ASSIGN_OR_RETURN(const float height, node.Float("img_h", 0));
  ASSIGN_OR_RETURN(const float width, node.Float("img_w", 0));
  if (height > 0) map.height = height;
  if (width > 0) map.width = width;
  BoxGrid grid = {.rows = map.rows, .columns = map.columns, .width = map.width, .height = map.height};
  ASSIGN_OR_RETURN(const std::vector<float> widths, node.Floats("width"));
  ASSIGN_OR_RETURN(const std::vector<float> heights, node.Floats("height"));
  if (widths.size() != heights.size() || widths.empty()) return Malformed("it has other widths than heights");
  for (size_t i = 0; i < widths.size(); ++i) grid.sides.emplace_back(widths[i], heights[i]);
  ASSIGN_OR_RETURN(const float step, node.Float("step", 0));
  ASSIGN_OR_RETURN(const float step_w, node.Float("step_w", step));
  ASSIGN_OR_RETURN(const float step_h, node.Float("step_h", step));
  ASSIGN_OR_RETURN(const float offset, node.Float("offset"));
  ASSIGN_OR_RETURN(grid.clip, node.Flag("clip", true));
  grid.step_x = step_w == 0 ? map.width / static_cast<double>(map.columns) : step_w;
  grid.step_y = step_h == 0 ? map.height / static_cast<double>(map.rows) : step_h;
  grid.first_x = offset * grid.step_x;
  grid.first_y = offset * grid.step_y;
  return FinishPriors(node, grid);
}

absl::Status ImportDetectionOutput(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 5));
  DetectionOptions how;
  ASSIGN_OR_RETURN(how.classes, node.Int("num_classes"));
  ASSIGN_OR_RETURN(const int64_t background, node.Int("background_label_id", 0));
  if (background >= 0) how.background = background;
  ASSIGN_OR_RETURN(const int64_t top_k, node.Int("top_k", -1));
  if (top_k > 0) how.top_k = top_k;
  ASSIGN_OR_RETURN(const bool in_target, node.Flag("variance_encoded_in_target", false));
  ASSIGN_OR_RETURN(const std::vector<int64_t> keep, node.Ints("keep_top_k"));
  if (keep.size() != 1) return Malformed("keep_top_k is not one number");
  if (keep[0] > 0) how.keep_top_k = keep[0];
  ASSIGN_OR_RETURN(const std::string code, node.Word("code_type", "caffe.priorboxparameter.corner"));
  how.code =
      code.ends_with("center_size") ? DetectionOptions::Code::kCenterSize : DetectionOptions::Code::kCorners;
  ASSIGN_OR_RETURN(how.share_location, node.Flag("share_location", true));
  ASSIGN_OR_RETURN(how.iou_threshold, node.Float("nms_threshold"));
  ASSIGN_OR_RETURN(how.score_threshold, node.Float("confidence_threshold", 0));
  ASSIGN_OR_RETURN(how.decrease_label, node.Flag("decrease_label_id", false));
  ASSIGN_OR_RETURN(how.least_objectness, node.Float("objectness_score", 0));
  ASSIGN_OR_RETURN(const bool normalized, node.Flag("normalized", false));
  ASSIGN_OR_RETURN(const int64_t height, node.Int("input_height", 1));
  ASSIGN_OR_RETURN(const int64_t width, node.Int("input_width", 1));
  ASSIGN_OR_RETURN(const bool clips_before, node.Flag("clip_before_nms", false));
  ASSIGN_OR_RETURN(const bool clips_after, node.Flag("clip_after_nms", false));
  if (height < 1 || width < 1) return Malformed("the image has no size");
  if (how.classes < 1 || how.classes > quant::kMaxAttribute) return Malformed("num_classes is out of range");
  if (clips_before) how.bounds_before = {1, 1};
  if (clips_after) how.bounds_after = {1, 1};
  DetectionOperands operands;
  ASSIGN_OR_RETURN(operands.deltas, node.Input(0));
  ASSIGN_OR_RETURN(operands.scores, node.Input(1));
  ASSIGN_OR_RETURN(const Operand priors, node.Input(2));
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(operands.first_scores, node.Input(3));
    ASSIGN_OR_RETURN(operands.first_deltas, node.Input(4));
  }
  RETURN_IF_ERROR(ReadPriors(
      node, priors, {.in_target = in_target, .in_pixels = !normalized, .height = height, .width = width},
      operands));
  ASSIGN_OR_RETURN(const Detections found, DetectionOutput(node, operands, how));
  ASSIGN_OR_RETURN(const Operand table, DetectionRows(node, found));
  RETURN_IF_ERROR(node.FinishAs(table));
  return node.CountRows(found.counts, 2);
}

}  // namespace tally::openvino
