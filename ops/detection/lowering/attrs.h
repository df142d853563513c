// Attributes of the lowerings of the detection family. A real number is a numerator over a denominator.
#pragma once

#include <vector>

#include "ops/detection/attrs.h"

namespace tally {

// a fraction's, a size, a coordinate.
inline constexpr int64_t kMaxPart = std::numeric_limits<int32_t>::max();

struct BoxFormAttrs {
  bool halve = false;  // back to the grid of the operand; otherwise the result is doubled, and exact

  static constexpr auto Fields() { return std::tuple(BoolField("halve", &BoxFormAttrs::halve)); }
};

enum class BoxCode { kCenterSize, kCorner };
inline constexpr std::array<std::string_view, 2> kBoxCodeNames = {"center_size", "corner"};

struct BoxDecodeAttrs {
  BoxCode code = BoxCode::kCenterSize;
  int64_t fraction = 1;         // bits after the point of variances and table
  int64_t table_offset = 0;     // the delta of the table's first entry
  int64_t side_offset = 0;      // added to the sides of priors
  std::vector<int64_t> limits;  // none, or the greatest coordinate of either axis; the least is 0 then

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(EnumField("code", &BoxDecodeAttrs::code, kBoxCodeNames),
                      IntField("fraction", &BoxDecodeAttrs::fraction, 1, 30),
                      IntField("table_offset", &BoxDecodeAttrs::table_offset, kElement.lo, kElement.hi),
                      IntField("side_offset", &BoxDecodeAttrs::side_offset, 0, kMaxPart),
                      ListField("limits", &BoxDecodeAttrs::limits, 0, kMaxPart, 0, 2));
  }
};

struct DetectionOutputAttrs {
  int64_t classes = 1;
  std::vector<int64_t> background;  // none, or the class that is no detection
  bool share_location = true;       // one box for all classes
  bool decrease_label = false;
  BoxCode code = BoxCode::kCenterSize;
  int64_t fraction = 1;
  int64_t table_offset = 0;
  int64_t side_offset = 0;  // for the overlaps; 0 for normalized coordinates
  std::vector<int64_t> limits_before_nms, limits_after_nms;
  int64_t iou_numerator = 1;
  int64_t iou_denominator = 2;
  int64_t min_score = 0;
  int64_t top_k = kNoNmsLimit;
  int64_t keep_top_k = kNoNmsLimit;

  static constexpr auto Fields() {
    using A = DetectionOutputAttrs;
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(
        IntField("classes", &A::classes, 1, 4096), ListField("background", &A::background, 0, 4095, 0, 1),
        BoolField("share_location", &A::share_location), BoolField("decrease_label", &A::decrease_label),
        EnumField("code", &A::code, kBoxCodeNames), IntField("fraction", &A::fraction, 1, 30),
        IntField("table_offset", &A::table_offset, kElement.lo, kElement.hi),
        IntField("side_offset", &A::side_offset, 0, kMaxPart),
        ListField("limits_before_nms", &A::limits_before_nms, 0, kMaxPart, 0, 2),
        ListField("limits_after_nms", &A::limits_after_nms, 0, kMaxPart, 0, 2),
        IntField("iou_numerator", &A::iou_numerator, 0, kMaxPart),
        IntField("iou_denominator", &A::iou_denominator, 1, kMaxPart),
        IntField("min_score", &A::min_score, kElement.lo, kElement.hi),
        IntField("top_k", &A::top_k, 1, kNoNmsLimit), IntField("keep_top_k", &A::keep_top_k, 1, kNoNmsLimit));
  }
};

struct RefinedDetectionOutputAttrs : DetectionOutputAttrs {
  int64_t min_objectness = 0;  // for a prior whose classes count

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple_cat(DetectionOutputAttrs::Fields(),
                          std::tuple(IntField("min_objectness", &RefinedDetectionOutputAttrs::min_objectness,
                                              kElement.lo, kElement.hi)));
  }
};

struct ProposalAttrs {
  int64_t grid_bits = 0;  // a pixel is 2^grid_bits units
  int64_t base_size = 16, feat_stride = 16;
  std::vector<int64_t> ratios, scales;  // numerators
  int64_t ratio_denominator = 1, scale_denominator = 1;
  bool round_ratios = true;  // sides of the ratios are whole pixels
  int64_t pixel = 1;         // added to sides: 1 where the high corner is the last pixel
  std::vector<int64_t> image_size = {1, 1}, min_size = {0, 0};  // height and width in pixels
  int64_t fraction = 1;
  int64_t center_factor = 1;  // for the deltas of centers
  int64_t table_offset = 0;
  bool clip_before_nms = true, clip_after_nms = false;
  int64_t iou_numerator = 1, iou_denominator = 2;
  int64_t pre_nms = kNoNmsLimit, post_nms = 1;

  static constexpr auto Fields() {
    using A = ProposalAttrs;
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(
        IntField("grid_bits", &A::grid_bits, 0, 16), IntField("base_size", &A::base_size, 1, 65535),
        IntField("feat_stride", &A::feat_stride, 1, 65535),
        ListField("ratios", &A::ratios, 1, kMaxPart, 1, 64),
        ListField("scales", &A::scales, 1, kMaxPart, 1, 64),
        IntField("ratio_denominator", &A::ratio_denominator, 1, kMaxPart),
        IntField("scale_denominator", &A::scale_denominator, 1, kMaxPart),
        BoolField("round_ratios", &A::round_ratios), IntField("pixel", &A::pixel, 0, 1),
        ListField("image_size", &A::image_size, 1, 65535, 2, 2),
        ListField("min_size", &A::min_size, 0, 65535, 2, 2), IntField("fraction", &A::fraction, 1, 30),
        IntField("center_factor", &A::center_factor, 1, kMaxPart),
        IntField("table_offset", &A::table_offset, kElement.lo, kElement.hi),
        BoolField("clip_before_nms", &A::clip_before_nms), BoolField("clip_after_nms", &A::clip_after_nms),
        IntField("iou_numerator", &A::iou_numerator, 0, kMaxPart),
        IntField("iou_denominator", &A::iou_denominator, 1, kMaxPart),
        IntField("pre_nms", &A::pre_nms, 1, kNoNmsLimit), IntField("post_nms", &A::post_nms, 1, kNoNmsLimit));
  }
};

struct PriorBoxAttrs {
  std::vector<int64_t> grid_size = {1, 1}, image_size = {1, 1};  // height and width
  int64_t units = 1;                                             // for a coordinate of 1
  std::vector<int64_t> min_size, max_size, fixed_size;           // numerators over size_denominator
  int64_t size_denominator = 1;
  std::vector<int64_t> aspect_ratio, fixed_ratio;  // numerators over ratio_denominator
  int64_t ratio_denominator = 1;
  std::vector<int64_t> density;
  int64_t step = 0, step_denominator = 1;
  int64_t offset = 0, offset_denominator = 1;
  bool flip = false, clip = false, scale_all_sizes = true;

  static constexpr auto Fields() {
    using A = PriorBoxAttrs;
    return std::tuple(
        ListField("grid_size", &A::grid_size, 1, 65535, 2, 2),
        ListField("image_size", &A::image_size, 1, 65535, 2, 2), IntField("units", &A::units, 1, kMaxPart),
        ListField("min_size", &A::min_size, 0, kMaxPart, 0, 64),
        ListField("max_size", &A::max_size, 0, kMaxPart, 0, 64),
        ListField("fixed_size", &A::fixed_size, 0, kMaxPart, 0, 64),
        IntField("size_denominator", &A::size_denominator, 1, kMaxPart),
        ListField("aspect_ratio", &A::aspect_ratio, 1, kMaxPart, 0, 64),
        ListField("fixed_ratio", &A::fixed_ratio, 1, kMaxPart, 0, 64),
        IntField("ratio_denominator", &A::ratio_denominator, 1, kMaxPart),
        ListField("density", &A::density, 1, 16, 0, 64), IntField("step", &A::step, 0, kMaxPart),
        IntField("step_denominator", &A::step_denominator, 1, kMaxPart),
        IntField("offset", &A::offset, -kMaxPart, kMaxPart),
        IntField("offset_denominator", &A::offset_denominator, 1, kMaxPart), BoolField("flip", &A::flip),
        BoolField("clip", &A::clip), BoolField("scale_all_sizes", &A::scale_all_sizes));
  }
};

struct PriorBoxClusteredAttrs {
  std::vector<int64_t> grid_size = {1, 1}, image_size = {1, 1};
  int64_t units = 1;
  std::vector<int64_t> width, height;  // per box, numerators over size_denominator
  int64_t size_denominator = 1;
  std::vector<int64_t> step = {0, 0};  // vertical and horizontal; 0 for image / grid
  int64_t step_denominator = 1;
  int64_t offset = 0, offset_denominator = 1;
  bool clip = true;

  static constexpr auto Fields() {
    using A = PriorBoxClusteredAttrs;
    return std::tuple(
        ListField("grid_size", &A::grid_size, 1, 65535, 2, 2),
        ListField("image_size", &A::image_size, 1, 65535, 2, 2), IntField("units", &A::units, 1, kMaxPart),
        ListField("width", &A::width, 0, kMaxPart, 1, 64),
        ListField("height", &A::height, 0, kMaxPart, 1, 64),
        IntField("size_denominator", &A::size_denominator, 1, kMaxPart),
        ListField("step", &A::step, 0, kMaxPart, 2, 2),
        IntField("step_denominator", &A::step_denominator, 1, kMaxPart),
        IntField("offset", &A::offset, -kMaxPart, kMaxPart),
        IntField("offset_denominator", &A::offset_denominator, 1, kMaxPart), BoolField("clip", &A::clip));
  }
};

struct RegionYoloAttrs {
  int64_t regions = 1;  // boxes of each cell
  int64_t coords = 4;
  int64_t classes = 1;
  int64_t table_offset = 0;  // the operand that reads the first entry of the tables
  // None: sigmoid of classes; else 2^bits stands for 1, and the result is flat.
  std::vector<int64_t> softmax_bits;

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(IntField("regions", &RegionYoloAttrs::regions, 1, 4096),
                      IntField("coords", &RegionYoloAttrs::coords, 2, 4096),
                      IntField("classes", &RegionYoloAttrs::classes, 1, 65535),
                      IntField("table_offset", &RegionYoloAttrs::table_offset, kElement.lo, kElement.hi),
                      ListField("softmax_bits", &RegionYoloAttrs::softmax_bits, 7, 15, 0, 1));
  }
};

struct NmsBoxesAttrs {
  int64_t iou_numerator = 1, iou_denominator = 2;
  int64_t min_score = 0;
  int64_t max_boxes = 1;
  bool per_class = false;
  bool at_least_one = true;

  static constexpr auto Fields() {
    using A = NmsBoxesAttrs;
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(IntField("iou_numerator", &A::iou_numerator, 0, kMaxPart),
                      IntField("iou_denominator", &A::iou_denominator, 1, kMaxPart),
                      IntField("min_score", &A::min_score, kElement.lo, kElement.hi),
                      IntField("max_boxes", &A::max_boxes, 1, kNoNmsLimit),
                      BoolField("per_class", &A::per_class), BoolField("at_least_one", &A::at_least_one));
  }
};

}  // namespace tally
