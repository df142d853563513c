// Images with borders, without them, and of another size.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/operators.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/resize.h"

namespace tally::coreml {
namespace {

using quant::Shape;

absl::StatusOr<Shape> TargetSize(const google::protobuf::RepeatedField<uint64_t>& field) {
  if (field.empty()) return Shape{1, 1};
  Shape size;
  for (const uint64_t value : field) {
    ASSIGN_OR_RETURN(size.emplace_back(), SizeOf(value));
  }
  if (size.size() == 2) return size;
  return Malformed(absl::StrCat("targetSize has ", size.size(), " numbers; 2 are right"));
}

// x as it is where ranks are exact, else as images.
absl::StatusOr<Operand> Planes(CoremlLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.Real(0));
  if (layer.is_exact()) return x;
  ASSIGN_OR_RETURN(Images images, layer.AsImages(x));
  return images.x;
}

absl::StatusOr<Operand> Padded(Emitter& emitter, const Operand& x, float value, List before, List after) {
  if (value == 0)
    return emitter.Emit(quant::Pad{quant::Pad::Mode::kZero, std::move(before), std::move(after)}, {x},
                        "padded");
  return emitter.Emit(quant::PadConstant{value, std::move(before), std::move(after)}, {x}, "padded");
}

}  // namespace

absl::Status ImportCrop(CoremlLayer& layer) {
  const schema::Crop& params = layer.file().crop();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, Planes(layer));
  const size_t rank = x.shape().size();
  if (rank < 3) return BadShape("x is " + quant::ToString(x.shape()));
  ASSIGN_OR_RETURN(const Borders borders, BordersOf(params.crop_amounts()));
  quant::Slice slice = All(x.shape());
  Shape like;
  if (layer.num_inputs() == 2) {  // as large as another value
    ASSIGN_OR_RETURN(const Operand second, layer.Input(1));
    like = second.shape();
    if (like.size() == 2 && !layer.is_exact()) like.insert(like.end(), 2, 1);
    if (like.size() < 2 || params.offset_size() > 2)
      return BadShape("its second input is " + quant::ToString(like));
  }
  for (size_t i = 0; i < 2; ++i) {
    const size_t axis = rank - 2 + i;
    int64_t begin = borders.before[i], end = x.shape()[axis] - borders.after[i];
    if (!like.empty()) {
      begin = 0;
      if (std::cmp_less(i, params.offset_size())) {
        ASSIGN_OR_RETURN(begin, NumberOf(params.offset(static_cast<int>(i))));
      }
      end = begin + like[like.size() - 2 + i];
    }
    if (begin >= end || end > x.shape()[axis])
      return BadShape(absl::StrCat("it keeps ", begin, " to ", end, " of ", x.shape()[axis]));
    slice.begin[axis] = begin;
    slice.end[axis] = end;
  }
  return layer.Finish(std::move(slice), {x});
}

absl::Status ImportPadding(CoremlLayer& layer) {
  const schema::Padding& params = layer.file().padding();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Operand x, Planes(layer));
  const size_t rank = x.shape().size();
  if (rank < 2) return BadShape("x is " + quant::ToString(x.shape()));
  ASSIGN_OR_RETURN(const Borders borders, BordersOf(params.padding_amounts()));
  List before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < 2; ++i) {
    before[rank - 2 + i] = borders.before[i];
    after[rank - 2 + i] = borders.after[i];
    const bool is_long = std::max(borders.before[i], borders.after[i]) >= x.shape()[rank - 2 + i];
    if (params.has_reflection() && is_long) return BadShape("a reflection is as long as its axis");
  }
  switch (params.type_case()) {
    case schema::Padding::kConstant:
      return layer.FinishAs(Padded(layer, x, params.constant().value(), std::move(before), std::move(after)));
    case schema::Padding::kReflection:
      return layer.Finish(quant::Pad{quant::Pad::Mode::kReflect, std::move(before), std::move(after)}, {x});
    case schema::Padding::kReplication:
      return layer.Finish(quant::Pad{quant::Pad::Mode::kEdge, std::move(before), std::move(after)}, {x});
    case schema::Padding::TYPE_NOT_SET: break;
  }
  return Malformed("its padding is neither constant, reflection nor replication");
}

// Two numbers for each axis: what is before and after it, or, of which one is 0, the size that it grows to on
// the side of the other.
absl::Status ImportConstantPad(CoremlLayer& layer) {
  const schema::ConstantPad& params = layer.file().constant_pad();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 2));
  ASSIGN_OR_RETURN(const Operand x, layer.Real(0));
  const size_t rank = x.shape().size();
  List amounts;
  if (layer.num_inputs() == 2) {
    ASSIGN_OR_RETURN(amounts, layer.Listed(1));
  } else {
    ASSIGN_OR_RETURN(amounts, ListOf(params.pad_amounts()));
  }
  if (amounts.size() != 2 * rank) return Malformed("padAmounts are not two for each axis");
  List before, after;
  for (size_t i = 0; i < rank; ++i) {
    int64_t first = amounts[2 * i], last = amounts[2 * i + 1];
    if (first < 0 || last < 0) return Malformed("a pad is negative");
    if (params.pad_to_given_output_size_mode()) {
      if (first > 0 && last > 0) return Malformed("an axis grows on both sides to a given size");
      first = std::max<int64_t>(first > 0 ? first - x.shape()[i] : 0, 0);
      last = std::max<int64_t>(last > 0 ? last - x.shape()[i] : 0, 0);
    }
    before.push_back(first);
    after.push_back(last);
  }
  return layer.FinishAs(Padded(layer, x, params.value(), std::move(before), std::move(after)));
}

absl::Status ImportUpsample(CoremlLayer& layer) {
  const schema::Upsample& params = layer.file().upsample();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  const bool is_linear = params.mode() == schema::Upsample::BILINEAR;
  if (!is_linear && params.mode() != schema::Upsample::NN)
    return UnknownValue("mode", params.mode(), "0 (nearest) and 1 (bilinear)");
  const auto mode = params.linear_upsample_mode();
  ResizeTarget target = {.shape = images.x.shape()};
  const int fractions = params.fractional_scaling_factor_size(), wholes = params.scaling_factor_size();
  if ((fractions != 0 && fractions != 2) || (wholes != 0 && wholes != 2))
    return Malformed(absl::StrCat("it has ", fractions, " fractional factors and ", wholes,
                                  " whole ones; 0 or 2 are right"));
  if (fractions > 0 && (!is_linear || mode == schema::Upsample::DEFAULT))
    return Malformed("fractional factors are of bilinear modes with corners");
  for (int i = 0; i < 2; ++i) {
    const size_t axis = 2 + static_cast<size_t>(i);
    if (fractions > 0) {
      const double size =
          std::floor(static_cast<double>(target.shape[axis]) * params.fractional_scaling_factor(i));
      if (!(size >= 1 && size <= static_cast<double>(quant::kMaxElements)))
        return Malformed("a factor is out of range");
      target.shape[axis] = static_cast<int64_t>(size);
    } else if (wholes > 0) {
      ASSIGN_OR_RETURN(const int64_t factor, SizeOf(std::max<uint64_t>(params.scaling_factor(i), 1)));
      target.shape[axis] *= factor;
    }
  }
  quant::Resize how = {
      .linear = is_linear, .coordinates = Coordinates::kAsymmetric, .nearest = Nearest::kFloor};
  if (is_linear && mode == schema::Upsample::ALIGN_CORNERS_TRUE) how.coordinates = Coordinates::kAlignCorners;
  if (is_linear && mode == schema::Upsample::ALIGN_CORNERS_FALSE) how.coordinates = Coordinates::kHalfPixel;
  if (mode < schema::Upsample::DEFAULT || mode > schema::Upsample::ALIGN_CORNERS_FALSE)
    return UnknownValue("linearUpsampleMode", mode,
                        "0 (default), 1 and 2 (with and without aligned corners)");
  return layer.FinishImages(Resized(layer, images.x, std::move(target), std::move(how)), images.leading);
}

absl::Status ImportResizeBilinear(CoremlLayer& layer) {
  const schema::ResizeBilinear& params = layer.file().resize_bilinear();
  RETURN_IF_ERROR(layer.CheckInputCount(1, 1));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  ASSIGN_OR_RETURN(const Shape size, TargetSize(params.target_size()));
  quant::Resize how = {.linear = true};
  switch (params.mode().sampling_method()) {
    case schema::SamplingMode::STRICT_ALIGN_ENDPOINTS_MODE:
      how.coordinates = Coordinates::kAlignCorners;
      break;
    case schema::SamplingMode::ALIGN_ENDPOINTS_MODE: how.coordinates = Coordinates::kAlignEndpoints; break;
    case schema::SamplingMode::UPSAMPLE_MODE: how.coordinates = Coordinates::kAsymmetric; break;
    case schema::SamplingMode::ROI_ALIGN_MODE: how.coordinates = Coordinates::kRoiAlign; break;
    default: return UnknownValue("samplingMethod", params.mode().sampling_method(), "0 to 3");
  }
  ResizeTarget target = {.shape = {images.x.shape()[0], images.x.shape()[1], size[0], size[1]}};
  return layer.FinishImages(Resized(layer, images.x, std::move(target), std::move(how)), images.leading);
}

// x [1, B, C, H, W], N boxes of 4 numbers, each of all images, or of 5, the first of which says of which
// image.
absl::Status ImportCropResize(CoremlLayer& layer) {
  const schema::CropResize& params = layer.file().crop_resize();
  RETURN_IF_ERROR(layer.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Images images, layer.ImageInput(0));
  ASSIGN_OR_RETURN(Operand boxes, layer.Real(1));
  ASSIGN_OR_RETURN(const Shape size, TargetSize(params.target_size()));
  const Shape &x = images.x.shape(), &rows = boxes.shape();
  const int64_t count = rows.empty() ? 0 : rows[0], width = count == 0 ? 0 : quant::NumElements(rows) / count;
  const bool has_images = !layer.is_exact() || images.leading.size() == 2;
  if ((width != 4 && width != 5) || !has_images || (layer.is_exact() && images.leading[0] != 1))
    return BadShape("its boxes are " + quant::ToString(rows) + ", and x " + quant::ToString(x));
  quant::CropResize crop = {.size = {size[0], size[1]},
                            .normalized = params.normalized_coordinates(),
                            .scale = params.spatial_scale()};
  const int grid = params.mode().sampling_method(), form = params.box_indices_mode().box_mode();
  if (grid < 0 || grid > 3) return UnknownValue("samplingMethod", grid, "0 to 3");
  if (form < 0 || form > 3) return UnknownValue("boxMode", form, "0 to 3");
  crop.grid = static_cast<CropGrid>(grid);
  crop.boxes = static_cast<BoxForm>(form);
  if (crop.scale == 0) return Unsupported("spatialScale 0, which leaves nothing of the boxes");
  ASSIGN_OR_RETURN(boxes, layer.Emit(quant::Reshape{{count, width}}, {boxes}, "boxes"));
  Operand of_image;
  int64_t each = 1;  // results of a box
  if (width == 5) {
    ASSIGN_OR_RETURN(const Operand first, Part(layer, boxes, 1, 0, 1, "image"));
    ASSIGN_OR_RETURN(const Operand list, layer.Emit(quant::Reshape{{count}}, {first}, "images"));
    ASSIGN_OR_RETURN(of_image, layer.Emit(quant::ToInteger{}, {list}, "places"));
    ASSIGN_OR_RETURN(boxes, Part(layer, boxes, 1, 1, 5, "corners"));
  } else {
    each = x[0];
    quant::Int64Tensor places{{count * each}, {}};
    RETURN_IF_ERROR(layer.Charge(count * each));
    for (int64_t i = 0; i < count * each; ++i) places.data.push_back(i % each);
    ASSIGN_OR_RETURN(of_image, layer.NewConstant(std::move(places), "places"));
    if (each > 1) {
      ASSIGN_OR_RETURN(boxes, layer.Emit(quant::Tile{{1, each}}, {boxes}, "of_each"));
      ASSIGN_OR_RETURN(boxes, layer.Emit(quant::Reshape{{count * each, 4}}, {boxes}, "all"));
    }
  }
  ASSIGN_OR_RETURN(const Operand y, layer.Emit(crop, {images.x, boxes, of_image}, "cropped"));
  if (!layer.is_exact()) {
    layer.SetSequence(count);
    return layer.FinishAs(y);
  }
  return layer.FinishShape(y, {count, each, x[1], size[0], size[1]});
}

}  // namespace tally::coreml
