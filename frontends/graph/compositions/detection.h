// From the scores and box deltas of a detector to the boxes that it found. How many these are depends on the
// data: results have room for the most, and a count for each image.
//
//   ASSIGN_OR_RETURN(const Detections found, DetectionOutput(emitter, {deltas, scores, priors, variances}, how));
//   ASSIGN_OR_RETURN(const Operand rows, DetectionRows(emitter, found));
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// R rows; in those that are not there the image is -1 and all else is 0.
struct Detections {
  Operand images;  // [R], integers
  Operand labels;  // [R], integers
  Operand scores;  // [R]
  Operand boxes;   // [R, 4]: x1, y1, x2, y2
  Operand counts;  // [N], integers: the rows of each image, which are one after the other
};

struct DetectionOperands {
  Operand deltas;     // [N, P * L * 4]: L is 1, or the classes where each has boxes of its own
  Operand scores;     // [N, P * classes]
  Operand priors;     // [P, 4]: x1, y1, x2, y2
  Operand variances;  // [P, 4], factors of the deltas
  // A first stage that moves the priors, and says which are background where its second score is below
  // `least_objectness`: [N, P * 2] and [N, P * 4].
  std::optional<Operand> first_scores = {}, first_deltas = {};
};

struct DetectionOptions {
  enum class Code { kCorners, kCenterSize };
  int64_t classes = 1;
  std::optional<int64_t> background = {};  // no detection is of this class
  bool share_location = true;
  bool decrease_label = false;  // labels count without the background
  Code code = Code::kCorners;
  // The largest x and y, to which boxes are cut, or nothing.
  std::optional<std::vector<float>> bounds_before = {}, bounds_after = {};
  float side_offset = 0;  // 1 where boxes end with their last pixel
  float iou_threshold = 0.5f;
  float score_threshold = -std::numeric_limits<float>::infinity();  // only larger scores are looked at
  int64_t top_k = quant::kMaxAttribute;                             // boxes of a class that are compared
  int64_t keep_top_k = quant::kMaxAttribute;                        // boxes of an image
  float least_objectness = 0;
  bool mixes_classes = false;  // rows of an image by their scores, instead of class by class
};

// Single shot detection. Errors: model_shape where operands do not fit each other.
absl::StatusOr<Detections> DetectionOutput(Emitter& emitter, const DetectionOperands& operands,
                                           const DetectionOptions& how);

// As one tensor [1, 1, R, 7] of rows (image, label, score, x1, y1, x2, y2), on one grid.
absl::StatusOr<Operand> DetectionRows(Emitter& emitter, const Detections& found);

// A grid with the same boxes around the middle of each cell.
struct BoxGrid {
  int64_t rows = 1, columns = 1;
  double first_x = 0, first_y = 0;               // the middle of the first cell, in pixels
  double step_x = 1, step_y = 1;                 // from one cell to the next, in pixels
  double width = 1, height = 1;                  // the image, in pixels
  std::vector<std::pair<double, double>> sides;  // each box of a cell, across and down, in pixels
  bool clip = false;                             // to the image
};

// Caffe's boxes of a cell: for each least side a square of it, one of its mean with the largest side that
// goes with it, and rectangles as large as the first, by these ratios of width to height.
struct CellOrder {
  bool ratios_first = false;  // before the square of the largest side
  bool scales_all = true;     // else there are rectangles of the first least side alone, after all squares
};
std::vector<std::pair<double, double>> SidesOfCells(const std::vector<float>& least,
                                                    const std::vector<float>& largest,
                                                    const std::vector<double>& ratios,
                                                    const CellOrder& order = {});

// The corners x1, y1, x2, y2 as parts of the image: [rows * columns * sides, 4], a constant. Errors:
// model_too_large; model_malformed, where one is infinite or no number.
absl::StatusOr<Operand> GridBoxes(Emitter& emitter, const BoxGrid& grid);

// A map of a YOLO head, [N, A * (5 + C), H, W]: for each anchor x, y, w, h, objectness and C classes, as
// logarithms of odds but for w and h, which are those of ratios to the anchor.
struct AnchorMap {
  Operand x;
  std::vector<float> anchors;  // w and h of each, as parts of the image
};

struct YoloOptions {
  float score_threshold = 0;  // the least product of objectness and class that counts
  float iou_threshold = 0.5f;
  // The classes of a box exclude each other: its scores are the sigmoid of its objectness o times the softmax
  // of its classes. Else a class c scores 1 / (1 + exp(-o) (1 + exp(-c))).
  bool classes_exclude = false;
};

// The boxes of all maps together, as parts of the image, each of its best class. A box is suppressed by a
// better one of whatever class. Errors: model_shape where a map is not one of its anchors.
absl::StatusOr<Detections> YoloDetections(Emitter& emitter, const std::vector<AnchorMap>& maps,
                                          const YoloOptions& how);

struct ProposalOptions {
  int64_t base_size = 16, stride = 16;  // pixels
  std::vector<float> ratios = {1}, scales = {1};
  bool round_ratios = true;  // sides by ratios are whole pixels
  // Around the middle of the anchor of `base_size` at a cell; or around the corner of the cell, with x along
  // rows and y along columns, and cut to the image.
  enum class Placing { kMiddles, kCornersSwapped };
  Placing placing = Placing::kMiddles;
  float pixel = 1;                          // 1 where a box ends with its last pixel, else 0
  float height = 1, width = 1;              // the image, in pixels
  float least_height = 0, least_width = 0;  // smaller boxes score 0
  float center_variance = 1, size_variance = 1;
  bool clip_before = true, clip_after = false;
  float iou_threshold = 0.5f;
  int64_t before = quant::kMaxAttribute;  // boxes that are compared, the best
  int64_t after = 1;                      // rows of an image
};

// The regions of an image that may hold something: probabilities [N, 2 K, H, W] of nothing and of something,
// deltas [N, 4 K, H, W], for the K anchors of each cell -> N * `after` rows, image by image; rows that are
// not there are of the image, and 0. Labels are 0. Errors: model_shape where operands do not fit each other.
absl::StatusOr<Detections> Proposal(Emitter& emitter, const Operand& probabilities, const Operand& deltas,
                                    const ProposalOptions& how);

}  // namespace tally::frontend
