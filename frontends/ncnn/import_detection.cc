// Layers that give boxes. How many there are depends on the data: a further output says it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/detection.h"
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
      return MakeError(label::model_malformed, "its maps, its anchors and its scales do not fit each other");
    }
    for (int64_t box = 0; box < boxes; ++box) {
      const float place = mask[first + static_cast<size_t>(box)];
      if (!(place >= 0) || 2 * place + 1 >= static_cast<float>(sides.size())) {
        return MakeError(label::model_malformed, "its mask names an anchor that there is not");
      }
      const size_t at = 2 * static_cast<size_t>(place);
      for (const size_t axis : {size_t{0}, size_t{1}}) {  // across and down, of an image of whole pixels
        const float pixels = std::trunc(scales[i] * static_cast<float>(s[3 - axis]));
        if (!(pixels >= 1)) return MakeError(label::model_malformed, "a scale of its maps is too small");
        map.anchors.push_back(sides[at + axis] / pixels);
      }
    }
    maps.push_back(std::move(map));
  }
  if (maps.empty()) return MakeError(label::model_malformed, "it has no map");
  ASSIGN_OR_RETURN(const Detections found, YoloDetections(layer, maps, how));
  return FinishRows(layer, found, /*first=*/1);
}

}  // namespace tally::ncnn
