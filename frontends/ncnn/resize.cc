// Interp: nearest, bilinear and bicubic.
#include "frontends/graph/compositions/resize.h"

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {

// Sizes, or where there are none scales, of which the whole part of the result counts. A list is an image of
// equal pixels, and of rows only their length changes.
absl::Status ImportInterp(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(Operand x, layer.Input(0));
  ASSIGN_OR_RETURN(const int64_t type, layer.Int(0, 0));
  ASSIGN_OR_RETURN(const float scale_y, layer.Float(1, 1));
  ASSIGN_OR_RETURN(const float scale_x, layer.Float(2, 1));
  ASSIGN_OR_RETURN(int64_t height, layer.Int(3, 0));
  ASSIGN_OR_RETURN(int64_t width, layer.Int(4, 0));
  ASSIGN_OR_RETURN(const bool by_input, layer.Flag(5, false));
  ASSIGN_OR_RETURN(const bool aligns_corners, layer.Flag(6, false));
  if (type < 1 || type > 3)
    return UnknownValue("resize_type", type, "1 (nearest), 2 (bilinear) and 3 (bicubic)");
  ASSIGN_OR_RETURN(const std::string sizes, layer.params().Text(9));
  if (!sizes.empty()) {  // the width, and of images the height
    ASSIGN_OR_RETURN(const std::vector<int64_t> list, SizesOf(layer, sizes));
    if (list.empty() || list.size() > 2)
      return MakeError(label::model_malformed, "its sizes are not a width, or a width and a height");
    width = list[0];
    height = list.size() == 2 ? list[1] : BlobRank(x) >= 2 ? x.shape()[x.shape().size() - 2] : 1;
  }
  if (by_input) {
    ASSIGN_OR_RETURN(const Operand like, layer.Input(1));
    width = like.shape().back();
    if (BlobRank(like) >= 2) height = like.shape()[like.shape().size() - 2];
  }
  const size_t rank = BlobRank(x);
  if (rank > 3) return MakeError(label::model_shape, "it resizes no volume");
  if (rank == 1) {
    ASSIGN_OR_RETURN(x, AsBlob(layer, x, {x.shape()[1], 1, 1}, "pixel"));
    return layer.Finish(quant::Expand{{1, x.shape()[1], height, width}}, {x});
  }
  ResizeTarget target = {.shape = x.shape()};
  if (width == 0) {
    std::vector<float> scales(x.shape().size(), 1);
    scales.back() = scale_x;
    if (rank == 3) scales[2] = scale_y;
    ASSIGN_OR_RETURN(target, ByScales(scales, x.shape()));
  } else {
    target.shape.back() = width;
    if (rank == 3) target.shape[2] = height;
  }
  if (type != 1) target.scales.clear();  // points are apart by the ratio of the sizes
  const Coordinates coordinates = type == 1        ? Coordinates::kAsymmetric
                                  : aligns_corners ? Coordinates::kAlignCorners
                                                   : Coordinates::kHalfPixel;
  if (type == 3) {
    return layer.FinishAs(
        Resized(layer, x, std::move(target), quant::ResizeCubic{.coordinates = coordinates}));
  }
  return layer.FinishAs(
      Resized(layer, x, std::move(target),
              quant::Resize{.linear = type == 2, .coordinates = coordinates, .nearest = Nearest::kFloor}));
}

}  // namespace tally::ncnn
