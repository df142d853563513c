// PriorBox: the boxes around each cell of a map, which are constants.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/detection.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {
namespace {

// Each ratio, and where they flip its reciprocal after it.
absl::StatusOr<std::vector<std::pair<double, double>>> SidesOfCaffe(const std::vector<float>& least,
                                                                    const std::vector<float>& largest,
                                                                    const std::vector<float>& ratios,
                                                                    bool flip) {
  if (!largest.empty() && largest.size() != least.size()) {
    return Malformed("it has another number of largest sizes than of least ones");
  }
  std::vector<double> all;
  for (const float ratio : ratios) {
    all.push_back(ratio);
    if (flip) all.push_back(1 / static_cast<double>(ratio));
  }
  return SidesOfCells(least, largest, all);
}

// Sides as parts of the image: squares of all sizes, then the other ratios of the first size.
std::vector<std::pair<double, double>> SidesOfMxnet(const std::vector<float>& sizes,
                                                    const std::vector<float>& ratios,
                                                    double height_by_width) {
  std::vector<std::pair<double, double>> sides;
  for (const float size : sizes) sides.emplace_back(size * height_by_width, size);
  for (size_t i = 1; i < ratios.size(); ++i) {
    const double root = std::sqrt(static_cast<double>(ratios[i]));
    sides.emplace_back(sizes[0] * height_by_width * root, sizes[0] / root);
  }
  return sides;
}

}  // namespace

absl::Status ImportPriorBox(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand map, layer.Input(0));
  if (BlobRank(map) < 2) return MakeError(label::model_shape, "its first blob has no rows");
  Params& params = layer.params();
  ASSIGN_OR_RETURN(const std::vector<float> least, params.Floats(0));
  ASSIGN_OR_RETURN(const std::vector<float> largest, params.Floats(1));
  ASSIGN_OR_RETURN(const std::vector<float> ratios, params.Floats(2));
  std::vector<float> variances(4);
  for (const int i : {0, 1, 2, 3}) {
    ASSIGN_OR_RETURN(variances[static_cast<size_t>(i)], layer.Float(3 + i, i < 2 ? 0.1f : 0.2f));
  }
  ASSIGN_OR_RETURN(const bool flip, layer.Flag(7, true));
  BoxGrid grid = {.rows = map.shape()[map.shape().size() - 2], .columns = map.shape().back()};
  ASSIGN_OR_RETURN(grid.clip, layer.Flag(8, false));
  ASSIGN_OR_RETURN(int64_t width, layer.Int(9, 0));
  ASSIGN_OR_RETURN(int64_t height, layer.Int(10, 0));
  ASSIGN_OR_RETURN(const float step_x, layer.Float(11, kNone));
  ASSIGN_OR_RETURN(const float step_y, layer.Float(12, kNone));
  ASSIGN_OR_RETURN(const float offset, layer.Float(13, 0));
  ASSIGN_OR_RETURN(const bool whole_steps, layer.Flag(14, false));
  ASSIGN_OR_RETURN(const bool by_pixels, layer.Flag(15, false));
  const auto is_positive = [](float v) { return v > 0; };
  for (const auto* list : {&least, &largest, &ratios}) {
    if (!std::ranges::all_of(*list, is_positive)) return Malformed("a size or a ratio is not above 0");
  }
  if (least.empty()) return Malformed("it has no sizes");
  const bool is_mxnet = layer.num_inputs() == 1 && width == kNone && height == kNone && largest.empty();
  if (is_mxnet) {
    width = height = 1;
    grid.sides =
        SidesOfMxnet(least, ratios, static_cast<double>(grid.rows) / static_cast<double>(grid.columns));
  } else {
    ASSIGN_OR_RETURN(grid.sides, SidesOfCaffe(least, largest, ratios, flip));
    if (width == kNone || height == kNone) {
      ASSIGN_OR_RETURN(const Operand image, layer.Input(1));
      if (BlobRank(image) < 2) return MakeError(label::model_shape, "its second blob has no rows");
      if (width == kNone) width = image.shape().back();
      if (height == kNone) height = image.shape()[image.shape().size() - 2];
    }
    if (width < 1 || height < 1) return Malformed("its image has no size");
  }
  grid.width = static_cast<double>(width), grid.height = static_cast<double>(height);
  const auto step = [&](float given, double image, int64_t cells) {
    if (given != kNone) return static_cast<double>(given);
    const double step = image / static_cast<double>(cells);
    return whole_steps && !is_mxnet ? std::ceil(step) : step;
  };
  grid.step_x = step(step_x, grid.width, grid.columns);
  grid.step_y = step(step_y, grid.height, grid.rows);
  const double less = by_pixels && !is_mxnet ? 1 : 0;
  grid.first_x = offset * (grid.step_x - less), grid.first_y = offset * (grid.step_y - less);
  ASSIGN_OR_RETURN(const Operand boxes, GridBoxes(layer, grid));
  const int64_t count = quant::NumElements(boxes.shape());
  if (is_mxnet) return layer.FinishAs(AsBlob(layer, boxes, {count}, "flat"));
  RETURN_IF_ERROR(layer.Charge(count));
  quant::FloatTensor factors{{1, 1, count}, {}};
  for (int64_t i = 0; i < count; ++i) factors.data.push_back(variances[static_cast<size_t>(i % 4)]);
  ASSIGN_OR_RETURN(const Operand second, layer.NewConstant(std::move(factors), "variances"));
  ASSIGN_OR_RETURN(const Operand first, AsBlob(layer, boxes, {1, count}, "flat"));
  return layer.Finish(quant::Concat{1}, {first, second});
}

}  // namespace tally::ncnn
