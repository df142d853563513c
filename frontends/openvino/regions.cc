// Regions of images, maps of YOLO, the best of many, and what decodes sequences.
#include "frontends/graph/compositions/regions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/resize.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// An image, and regions of it as rows (image, x1, y1, x2, y2).
struct Pooled {
  Operand x;
  RegionOperands of;
};

absl::StatusOr<Pooled> ReadPooled(IrNode& node, size_t most_inputs = 2) {
  RETURN_IF_ERROR(node.CheckInputCount(2, most_inputs));
  Pooled read;
  ASSIGN_OR_RETURN(read.x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand rows, node.Input(1));
  ASSIGN_OR_RETURN(read.of, SplitRegions(node, rows));
  return read;
}

}  // namespace

absl::Status ImportROIPooling(IrNode& node) {
  ASSIGN_OR_RETURN(const Pooled read, ReadPooled(node));
  quant::RoiMaxPool pool;
  ASSIGN_OR_RETURN(const int64_t height, node.Int("pooled_h"));
  ASSIGN_OR_RETURN(const int64_t width, node.Int("pooled_w"));
  pool.size = {height, width};
  ASSIGN_OR_RETURN(pool.scale, node.Float("spatial_scale"));
  ASSIGN_OR_RETURN(const std::string method, node.Word("method", "max"));
  if (method ==
      "bilinear") {  // corners as parts of the image, and points from border to border, or one between
    quant::CropResize crop = {.size = pool.size,
                              .grid = CropGrid::kAlignEndpoints,
                              .boxes = BoxForm::kCornersWidthFirst,
                              .normalized = true,
                              .zero_outside = true};
    return node.Finish(std::move(crop), {read.x, read.of.regions, read.of.images});
  }
  if (method != "max") return Malformed("method is " + PrintableStart(method));
  return node.Finish(std::move(pool), {read.x, read.of.regions, read.of.images});
}

absl::Status ImportPSROIPooling(IrNode& node) {
  ASSIGN_OR_RETURN(const Pooled read, ReadPooled(node));
  quant::PsroiPool pool;
  RETURN_IF_ERROR(node.Int("output_dim").status());  // the meaning of the channels
  ASSIGN_OR_RETURN(const int64_t group, node.Int("group_size", 1));
  ASSIGN_OR_RETURN(const int64_t bins_y, node.Int("spatial_bins_y", 1));
  ASSIGN_OR_RETURN(const int64_t bins_x, node.Int("spatial_bins_x", 1));
  ASSIGN_OR_RETURN(pool.scale, node.Float("spatial_scale"));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode", "average"));
  if (mode != "average" && mode != "bilinear") return Malformed("mode is " + PrintableStart(mode));
  pool.size = {group, group};
  pool.mode = mode == "average" ? PsroiMode::kAverage : PsroiMode::kBilinear;
  pool.parts = mode == "average" ? quant::Extents{1, 1} : quant::Extents{bins_y, bins_x};
  return node.Finish(std::move(pool), {read.x, read.of.regions, read.of.images});
}

// Bins as PSROIPooling has them, each of samples that offsets move.
absl::Status ImportDeformablePSROIPooling(IrNode& node) {
  ASSIGN_OR_RETURN(const Pooled read, ReadPooled(node, 3));
  const Operand& x = read.x;
  quant::DeformablePsroiPool pool;
  ASSIGN_OR_RETURN(const int64_t channels, node.Int("output_dim"));
  ASSIGN_OR_RETURN(const int64_t group, node.Int("group_size", 1));
  ASSIGN_OR_RETURN(pool.parts.y, node.Int("spatial_bins_y", 1));
  ASSIGN_OR_RETURN(pool.parts.x, node.Int("spatial_bins_x", 1));
  ASSIGN_OR_RETURN(pool.scale, node.Float("spatial_scale"));
  ASSIGN_OR_RETURN(pool.offset_scale, node.Float("trans_std", 1));
  ASSIGN_OR_RETURN(const int64_t part, node.Int("part_size", 1));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode", "bilinear_deformable"));
  if (mode != "bilinear_deformable") return Malformed("mode is " + PrintableStart(mode));
  pool.size = {group, group};
  if (x.shape().size() != 4 || group < 1 || group > 1 << 15 || x.shape()[1] / (group * group) != channels)
    return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()) + ", not that of its groups");
  std::vector<Operand> operands = {read.x, read.of.regions, read.of.images};
  if (node.HasInput(2)) {
    ASSIGN_OR_RETURN(operands.emplace_back(), node.Input(2));
    const quant::Shape& shape = operands.back().shape();
    if (shape.size() != 4 || shape[2] != part || shape[3] != part)
      return MakeError(label::model_shape, "offsets are " + quant::ToString(shape) + ", and part_size is " +
                                               std::to_string(part));
  }
  return node.Finish(std::move(pool), operands);
}

// Mode max is the largest of the samples between pixels.
absl::Status ImportROIAlign(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand regions, node.Input(1));
  ASSIGN_OR_RETURN(const Operand images, node.Input(2));
  quant::RoiAlign align;
  ASSIGN_OR_RETURN(align.size.y, node.Int("pooled_h"));
  ASSIGN_OR_RETURN(align.size.x, node.Int("pooled_w"));
  ASSIGN_OR_RETURN(align.scale, node.Float("spatial_scale"));
  ASSIGN_OR_RETURN(align.sampling_ratio, node.Int("sampling_ratio"));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  ASSIGN_OR_RETURN(const std::string aligned, node.Word("aligned_mode", "asymmetric"));
  if (mode != "avg" && mode != "max") return Malformed("mode is " + PrintableStart(mode));
  align.mode = mode == "avg" ? RoiAlignMode::kAverage : RoiAlignMode::kMax;
  align.half_pixel = aligned == "half_pixel";
  if (aligned != "asymmetric" && aligned != "half_pixel")
    return Unsupported("aligned_mode " + PrintableStart(aligned));
  return node.Finish(std::move(align), {x, regions, images});
}

// For each anchor x, y: sigmoid; w, h: as they are; objectness: sigmoid; classes: sigmoid, or softmax of all.
absl::Status ImportRegionYolo(IrNode& node) {
  ASSIGN_OR_RETURN(const Operand x, node.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t coords, node.Int("coords"));
  ASSIGN_OR_RETURN(const int64_t classes, node.Int("classes"));
  ASSIGN_OR_RETURN(int64_t regions, node.Int("num"));
  ASSIGN_OR_RETURN(const bool softmax, node.Flag("do_softmax", true));
  ASSIGN_OR_RETURN(const std::vector<int64_t> mask, node.Ints("mask"));
  ASSIGN_OR_RETURN(int64_t first, node.Int("axis"));
  ASSIGN_OR_RETURN(int64_t last, node.Int("end_axis"));
  RETURN_IF_ERROR(node.Floats("anchors").status());
  if (!softmax) regions = std::ssize(mask);
  const quant::Shape& shape = x.shape();
  const bool in_range = coords == 4 && classes >= 1 && classes <= quant::kMaxAttribute && regions >= 1 &&
                        regions <= quant::kMaxAttribute;
  if (shape.size() != 4 || !in_range || shape[1] != regions * (classes + coords + 1)) {
    return MakeError(label::model_shape, "x is " + quant::ToString(shape) + ", not that of its regions");
  }
  const int64_t each = classes + coords + 1;
  ASSIGN_OR_RETURN(const Operand split,
                   node.Emit(quant::Reshape{{shape[0], regions, each, shape[2] * shape[3]}}, {x}, "split"));
  std::vector<Operand> parts;
  const auto add = [&](int64_t begin, int64_t end, const std::optional<quant::Op>& op,
                       const char* name) -> absl::Status {
    ASSIGN_OR_RETURN(Operand part, Part(node, split, 2, begin, end, name));
    if (op.has_value()) {
      ASSIGN_OR_RETURN(part, node.Emit(*op, {part}, std::string(name) + "_of"));
    }
    parts.push_back(std::move(part));
    return absl::OkStatus();
  };
  const quant::Op sigmoid = quant::Unary{RecipeFunction::kSigmoid};
  RETURN_IF_ERROR(add(0, 2, sigmoid, "places"));
  RETURN_IF_ERROR(add(2, 4, std::nullopt, "sizes"));
  RETURN_IF_ERROR(add(4, 5, sigmoid, "objectness"));
  RETURN_IF_ERROR(add(5, each, softmax ? quant::Op(quant::Softmax{2}) : sigmoid, "classes"));
  ASSIGN_OR_RETURN(const Operand joined, node.Emit(quant::Concat{2}, parts, "joined"));
  quant::Shape result = shape;
  if (softmax) {  // axes first .. last become one
    ASSIGN_OR_RETURN(first, NormalizeAxis(first, 4));
    ASSIGN_OR_RETURN(last, NormalizeAxis(last, 4));
    if (first > last) return Malformed("axis is after end_axis");
    int64_t count = 1;
    for (int64_t i = first; i <= last; ++i) count *= shape[static_cast<size_t>(i)];
    result.erase(result.begin() + first, result.begin() + last + 1);
    result.insert(result.begin() + first, count);
  }
  return node.Finish(quant::Reshape{std::move(result)}, {joined});
}

// Places in x as parts of its sides, from -1 to 1.
absl::Status ImportGridSample(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand grid, node.Input(1));
  constexpr std::array<std::string_view, 3> kModes = {"nearest", "bilinear", "bicubic"};
  quant::GridSample sample;
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode", "bilinear"));
  ASSIGN_OR_RETURN(sample.mode, ByName<GridSampleMode>(kModes, mode));
  ASSIGN_OR_RETURN(const std::string padding, node.Word("padding_mode", "zeros"));
  ASSIGN_OR_RETURN(sample.padding, ByName<GridPadding>(kGridPaddingNames, padding));
  ASSIGN_OR_RETURN(sample.align_corners, node.Flag("align_corners", false));
  if (sample.mode == GridSampleMode::kCubic && sample.padding == GridPadding::kReflection)
    return Unsupported("mode bicubic with padding_mode reflection");
  return node.Finish(sample, {x, grid});
}

// Values and places. Any order is one by index; by value is one by none.
absl::Status ImportTopK(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t k, node.Number(1));
  ASSIGN_OR_RETURN(const int64_t given, node.Int("axis"));
  ASSIGN_OR_RETURN(const std::string mode, node.Word("mode"));
  ASSIGN_OR_RETURN(const std::string sort, node.Word("sort"));
  RETURN_IF_ERROR(node.Word("index_element_type", "i32").status());
  if (mode != "max" && mode != "min") return Malformed("mode is " + PrintableStart(mode));
  if (sort == "index" && k > 1) return Unsupported("results in the order of their places (sort = index)");
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, x.shape().size()));
  constexpr quant::TopKResult kResults[] = {quant::TopKResult::kValues, quant::TopKResult::kIndices};
  for (size_t i = 0; i < std::min<size_t>(2, node.num_outputs()); ++i) {
    if (!node.IsRead(i) && i > 0) continue;
    RETURN_IF_ERROR(node.FinishOutput(i, quant::TopK{axis, k, mode == "min", kResults[i]}, {x}));
  }
  return absl::OkStatus();
}

// x [T, N, C] and a mask [T, N] -> the classes of each sequence without the last, [N, T, 1, 1], then -1.
absl::Status ImportCTCGreedyDecoder(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(Operand mask, node.Input(1));
  quant::CtcGreedyDecoder decode;
  ASSIGN_OR_RETURN(decode.merge_repeated, node.Flag("ctc_merge_repeated", true));
  if (x.shape().size() != 3) return MakeError(label::model_shape, "x is " + quant::ToString(x.shape()));
  decode.blank = x.shape()[2] - 1;
  if (!mask.is_integer()) {
    ASSIGN_OR_RETURN(mask, node.Emit(quant::ToInteger{}, {mask}, "mask"));
  }
  ASSIGN_OR_RETURN(const Operand symbols, node.Emit(decode, {x, mask}, "symbols"));
  ASSIGN_OR_RETURN(const Operand floats, node.Emit(quant::ToFloat{}, {symbols}, "floats"));
  return node.Finish(quant::Reshape{{x.shape()[1], x.shape()[0], 1, 1}}, {floats});
}

absl::Status ImportGatherTree(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(4, 4));
  std::vector<Operand> operands;
  bool is_float = false;
  for (size_t i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(Operand operand, node.Input(i));
    if (!operand.is_integer()) {
      is_float = true;
      ASSIGN_OR_RETURN(operand, node.Emit(quant::ToInteger{}, {operand}, "integers"));
    }
    operands.push_back(std::move(operand));
  }
  if (operands[3].shape() != quant::Shape()) {
    ASSIGN_OR_RETURN(operands[3], node.Emit(quant::Reshape{{}}, {operands[3]}, "end"));
  }
  ASSIGN_OR_RETURN(const Operand y, node.Emit(quant::GatherTree{}, operands, "tree"));
  if (is_float) return node.Finish(quant::ToFloat{}, {y});
  return node.FinishAs(y);
}

}  // namespace tally::openvino
