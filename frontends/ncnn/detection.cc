// Layers that give boxes. How many there are depends on the data: a further output says it.
#include "frontends/graph/compositions/detection.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

// Rows (class, score, x1, y1, x2, y2), the class counted from `first`.
absl::Status FinishRows(NcnnLayer& layer, const Detections& found, int64_t first) {
  ASSIGN_OR_RETURN(const Operand offset, layer.NewConstant(first, "first"));
  ASSIGN_OR_RETURN(const Operand labels, Sum(layer, found.labels, offset));
  ASSIGN_OR_RETURN(const Operand floats, layer.Emit(quant::ToFloat{}, {labels}, "floats"));
  const int64_t rows = found.scores.shape()[0];
  std::vector<Operand> columns;
  for (const Operand& column : {floats, found.scores}) {
    ASSIGN_OR_RETURN(Operand shaped, layer.Emit(quant::Reshape{{rows, 1}}, {column}, "column"));
    columns.push_back(std::move(shaped));
  }
  columns.push_back(found.boxes);
  ASSIGN_OR_RETURN(const Operand all, layer.Emit(quant::Concat{1}, columns, "rows"));
  RETURN_IF_ERROR(layer.Finish(quant::Reshape{{1, rows, 6}}, {all}));
  return layer.CountRows(found.counts, /*axis=*/1);
}

}  // namespace

// A converter from Caffe writes scores prior by prior, and priors with their variances; one from MXNet (no
// number of classes) writes scores class by class, and the variances are the layer's.
absl::Status ImportDetectionOutput(NcnnLayer& layer) {
  DetectionOperands operands;
  ASSIGN_OR_RETURN(operands.deltas, layer.Input(0));
  ASSIGN_OR_RETURN(operands.scores, layer.Input(1));
  ASSIGN_OR_RETURN(const Operand priors, layer.Input(2));
  DetectionOptions how = {
      .background = 0, .code = DetectionOptions::Code::kCenterSize, .mixes_classes = true};
  ASSIGN_OR_RETURN(how.classes, layer.Int(0, 0));
  ASSIGN_OR_RETURN(how.iou_threshold, layer.Float(1, 0.05f));
  ASSIGN_OR_RETURN(how.top_k, layer.Int(2, 300));
  ASSIGN_OR_RETURN(how.keep_top_k, layer.Int(3, 100));
  ASSIGN_OR_RETURN(how.score_threshold, layer.Float(4, 0.5f));
  quant::FloatTensor variances{{4}, {}};
  for (const int i : {0, 1, 2, 3}) {
    ASSIGN_OR_RETURN(const float variance, layer.Float(5 + i, i < 2 ? 0.1f : 0.2f));
    variances.data.push_back(variance);
  }
  if (how.top_k < 1 || how.keep_top_k < 1) return Malformed("it keeps no box");
  how.top_k = std::min(how.top_k, quant::kMaxAttribute);
  how.keep_top_k = std::min(how.keep_top_k, quant::kMaxAttribute);
  if (how.classes == kNone) {
    if (BlobRank(operands.scores) != 2) return MakeError(label::model_shape, "its scores have no classes");
    how.classes = operands.scores.shape()[1];
    operands.priors = priors;
    const int64_t boxes = quant::NumElements(priors.shape()) / 4;
    RETURN_IF_ERROR(layer.Charge(4 * boxes));
    quant::FloatTensor repeated{{boxes, 4}, {}};
    for (int64_t i = 0; i < 4 * boxes; ++i)
      repeated.data.push_back(variances.data[static_cast<size_t>(i % 4)]);
    ASSIGN_OR_RETURN(operands.variances, layer.NewConstant(std::move(repeated), "variances"));
    ASSIGN_OR_RETURN(operands.scores, layer.Emit(quant::Transpose{{0, 2, 1}}, {operands.scores}, "by_prior"));
  } else {
    if (BlobRank(priors) != 2 || priors.shape()[1] != 2) {
      return MakeError(label::model_shape, "its priors are not rows of boxes and of variances");
    }
    ASSIGN_OR_RETURN(operands.priors, Part(layer, priors, 1, 0, 1, "boxes"));
    ASSIGN_OR_RETURN(operands.variances, Part(layer, priors, 1, 1, 2, "variances"));
  }
  if (how.classes < 1) return Malformed("it has no classes");
  ASSIGN_OR_RETURN(const Detections found, DetectionOutput(layer, operands, how));
  return FinishRows(layer, found, /*first=*/0);
}

// Version 2: each map has all anchors, in cells.
absl::Status ImportYoloDetectionOutput(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const int64_t classes, layer.Int(0, 20));
  ASSIGN_OR_RETURN(const int64_t boxes, layer.Int(1, 5));
  YoloOptions how = {.classes_exclude = true};
  ASSIGN_OR_RETURN(how.score_threshold, layer.Float(2, 0.01f));
  ASSIGN_OR_RETURN(how.iou_threshold, layer.Float(3, 0.45f));
  ASSIGN_OR_RETURN(const std::vector<float> sides, layer.params().Floats(4));
  std::vector<AnchorMap> maps;
  for (size_t i = 0; i < layer.num_inputs(); ++i) {
    AnchorMap map;
    ASSIGN_OR_RETURN(map.x, layer.Input(i));
    const quant::Shape& s = map.x.shape();
    if (boxes < 1 || s.size() != 4 || s[1] / boxes != classes + 5 || s[1] % boxes != 0 ||
        std::ssize(sides) / 2 < boxes) {
      return Malformed("its maps and its anchors do not fit each other");
    }
    for (size_t side = 0; side < 2 * static_cast<size_t>(boxes); ++side) {
      map.anchors.push_back(sides[side] / static_cast<float>(s[3 - side % 2]));
    }
    maps.push_back(std::move(map));
  }
  if (maps.empty()) return Malformed("it has no map");
  ASSIGN_OR_RETURN(const Detections found, YoloDetections(layer, maps, how));
  return FinishRows(layer, found, /*first=*/1);
}

absl::Status ImportYolov3DetectionOutput(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const int64_t classes, layer.Int(0, 20));
  ASSIGN_OR_RETURN(const int64_t boxes, layer.Int(1, 5));
  YoloOptions how;
  ASSIGN_OR_RETURN(how.score_threshold, layer.Float(2, 0.01f));
  ASSIGN_OR_RETURN(how.iou_threshold, layer.Float(3, 0.45f));
  ASSIGN_OR_RETURN(const std::vector<float> sides, layer.params().Floats(4));
  ASSIGN_OR_RETURN(const std::vector<float> mask, layer.params().Floats(5));
  ASSIGN_OR_RETURN(const std::vector<float> scales, layer.params().Floats(6));
  std::vector<AnchorMap> maps;
  for (size_t i = 0; i < layer.num_inputs(); ++i) {
    AnchorMap map;
    ASSIGN_OR_RETURN(map.x, layer.Input(i));
    const quant::Shape& s = map.x.shape();
    const size_t first = i * static_cast<size_t>(std::max<int64_t>(boxes, 0));
    if (boxes < 1 || s.size() != 4 || s[1] != boxes * (classes + 5) || i >= scales.size() ||
        first + static_cast<size_t>(boxes) > mask.size()) {
      return Malformed("its maps, its anchors and its scales do not fit each other");
    }
    for (int64_t box = 0; box < boxes; ++box) {
      const float place = mask[first + static_cast<size_t>(box)];
      if (!(place >= 0) || 2 * place + 1 >= static_cast<float>(sides.size())) {
        return Malformed("its mask names an anchor beyond its list");
      }
      const size_t at = 2 * static_cast<size_t>(place);
      for (const size_t axis : {size_t{0}, size_t{1}}) {  // across and down, of an image of whole pixels
        const float pixels = std::trunc(scales[i] * static_cast<float>(s[3 - axis]));
        if (!(pixels >= 1)) return Malformed("a scale of its maps is too small");
        map.anchors.push_back(sides[at + axis] / pixels);
      }
    }
    maps.push_back(std::move(map));
  }
  if (maps.empty()) return Malformed("it has no map");
  ASSIGN_OR_RETURN(const Detections found, YoloDetections(layer, maps, how));
  return FinishRows(layer, found, /*first=*/1);
}

}  // namespace tally::ncnn
