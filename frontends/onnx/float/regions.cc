// Operators that read images between their pixels.
#include "frontends/graph/compositions/regions.h"

#include <array>
#include <string_view>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/windows.h"
#include "frontends/onnx/float/operators.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/read_node.h"
#include "frontends/onnx/model/read_windows.h"

namespace tally::onnx {
absl::Status ImportGridSample(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand grid, node.Input(1));
  ASSIGN_OR_RETURN(const GridForm read, ReadGridSample(node));
  return node.Finish(quant::GridSample{read.mode, read.padding, read.align_corners}, {x, grid});
}

// Mode max is the largest of weighted neighbours, as ONNX computes it.
absl::Status ImportRoiAlign(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 3));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand regions, node.Input(1));
  ASSIGN_OR_RETURN(const Operand images, node.Input(2));
  quant::RoiAlign align;
  ASSIGN_OR_RETURN(align.size.y, node.attributes().Int("output_height", 1));
  ASSIGN_OR_RETURN(align.size.x, node.attributes().Int("output_width", 1));
  ASSIGN_OR_RETURN(align.scale, node.attributes().Float("spatial_scale", 1));
  ASSIGN_OR_RETURN(align.sampling_ratio, node.attributes().Int("sampling_ratio", 0));
  constexpr std::array<std::string_view, 2> kModes = {"avg", "max"},
                                            kCoordinates = {"output_half_pixel", "half_pixel"};
  ASSIGN_OR_RETURN(const bool is_max, ReadChoice<bool>(node, "mode", "avg", kModes));
  align.mode = is_max ? RoiAlignMode::kMaxTap : RoiAlignMode::kAverage;
  align.half_pixel = false;
  if (node.opset() >= 16) {
    ASSIGN_OR_RETURN(align.half_pixel,
                     ReadChoice<bool>(node, "coordinate_transformation_mode", "half_pixel", kCoordinates));
  }
  return node.Finish(align, {x, regions, images});
}

absl::Status ImportMaxRoiPool(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Operand rows, node.Input(1));
  ASSIGN_OR_RETURN(const auto size, node.attributes().Ints("pooled_shape"));
  if (!size.has_value() || size->size() != 2) {
    return MakeError(label::model_malformed, "attribute pooled_shape has no two numbers");
  }
  quant::RoiMaxPool pool = {.size = {(*size)[0], (*size)[1]}};
  ASSIGN_OR_RETURN(pool.scale, node.attributes().Float("spatial_scale", 1));
  ASSIGN_OR_RETURN(const frontend::RegionOperands split, frontend::SplitRegions(node, rows));
  return node.Finish(pool, {x, split.regions, split.images});
}

absl::Status ImportDeformConv(NodeContext& node) {
  RETURN_IF_ERROR(node.CheckInputCount(3, 5));
  ConvOperands read;
  frontend::MovedTaps taps;
  ASSIGN_OR_RETURN(read.x, node.Input(0));
  ASSIGN_OR_RETURN(read.weight, node.Input(1));
  ASSIGN_OR_RETURN(taps.offset, node.Input(2));
  if (node.HasInput(3)) {
    ASSIGN_OR_RETURN(read.bias, node.Input(3));
  }
  if (node.HasInput(4)) {
    ASSIGN_OR_RETURN(taps.mask, node.Input(4));
  }
  RETURN_IF_ERROR(CheckConvOperands(read));
  if (read.x.shape().size() != 4) {
    return MakeError(label::model_shape, "DeformConv of other shapes than [N, C, H, W] is not imported");
  }
  if (!read.weight.is_constant()) {
    return MakeError(label::model_unsupported_operand, "the weight of DeformConv is not a constant");
  }
  ASSIGN_OR_RETURN(const LayerWindows windows, ReadWindows(node.attributes(), SpatialDims(read.x.shape()),
                                                           KernelOf(read.weight.shape())));
  ASSIGN_OR_RETURN(const int64_t groups, node.attributes().Int("group", 1));
  ASSIGN_OR_RETURN(taps.groups, node.attributes().Int("offset_group", 1));
  return node.FinishAs(DeformableConvolution(node, read, taps, windows, groups));
}

}  // namespace tally::onnx
