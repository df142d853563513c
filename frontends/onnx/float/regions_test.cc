#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Op;

TEST(ImportGridSample, ModesHaveTwoNames) {
  const auto sample = [](int64_t opset, const std::string& mode) {
    ModelBuilder model(opset);
    model.Input("x", {1, 2, 4, 5}).Input("grid", {1, 3, 3, 2}).Output("y");
    NodeBuilder node = model.Node("GridSample", {"x", "grid"}, {"y"});
    if (!mode.empty()) node.String("mode", mode);
    node.String("padding_mode", "border").Int("align_corners", 1);
    return model;
  };
  const auto op = [&](GridSampleMode mode) {
    return Op(quant::GridSample{mode, GridPadding::kBorder, true});
  };
  EXPECT_EQ(sample(16, "").Import()->nodes.back().op, op(GridSampleMode::kBilinear));
  EXPECT_EQ(sample(20, "").Import()->nodes.back().op, op(GridSampleMode::kBilinear));
  EXPECT_EQ(sample(16, "bicubic").Import()->nodes.back().op, op(GridSampleMode::kCubic));
  EXPECT_EQ(sample(20, "cubic").Import()->nodes.back().op, op(GridSampleMode::kCubic));
  EXPECT_EQ(sample(16, "nearest").Import()->nodes.back().op, op(GridSampleMode::kNearest));
  EXPECT_EQ(sample(20, "bicubic").ImportLabel(), "model_malformed");
  ModelBuilder folded = sample(20, "cubic");
  folded.graph().mutable_node(0)->mutable_attribute(1)->set_s("reflection");
  EXPECT_EQ(folded.ImportLabel(), "model_unsupported_attribute");
}

TEST(ImportRoiAlign, AttributesAndTheirDefaults) {
  const auto align = [](int64_t opset, bool has_attributes) {
    ModelBuilder model(opset);
    model.Input("x", {2, 3, 6, 6}).Input("rois", {4, 4}).IntegerInput("images", {4}).Output("y");
    NodeBuilder node = model.Node("RoiAlign", {"x", "rois", "images"}, {"y"});
    if (has_attributes) {
      node.String("mode", "max")
          .Int("output_height", 2)
          .Int("output_width", 3)
          .Int("sampling_ratio", 4)
          .Float("spatial_scale", 0.5f);
    }
    return model.Import()->nodes.back().op;
  };
  EXPECT_EQ(align(10, false), Op(quant::RoiAlign{.size = {1, 1}, .half_pixel = false}));
  EXPECT_EQ(align(16, false), Op(quant::RoiAlign{.size = {1, 1}}));
  EXPECT_EQ(align(16, true), Op(quant::RoiAlign{{2, 3}, 0.5f, RoiAlignMode::kMaxTap, true, 4}));
}

// A region is the number of its image and its corners, and the last pixel is a part of it.
TEST(ImportMaxRoiPool, TakesTheImageFromTheRow) {
  ModelBuilder model;
  model.Input("x", {2, 1, 1, 4}).Input("rois", {2, 5}).Output("y");
  model.Node("MaxRoiPool", {"x", "rois"}, {"y"}).Ints("pooled_shape", {1, 2}).Float("spatial_scale", 0.5f);
  EXPECT_EQ(
      model.Run({{{2, 1, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}, {{2, 5}, {1, 2, 0, 4, 0, 0, 0, 0, 6, 0}}}).at(0),
      quant::Tensor(FloatTensor{{2, 1, 1, 2}, {6, 7, 2, 4}}));
  ModelBuilder sizeless;
  sizeless.Input("x", {2, 1, 1, 4})
      .Input("rois", {2, 5})
      .Output("y")
      .Node("MaxRoiPool", {"x", "rois"}, {"y"});
  EXPECT_EQ(sizeless.ImportLabel(), "model_malformed");
  ModelBuilder corners;
  corners.Input("x", {2, 1, 1, 4}).Input("rois", {2, 4}).Output("y");
  corners.Node("MaxRoiPool", {"x", "rois"}, {"y"}).Ints("pooled_shape", {1, 2});
  EXPECT_EQ(corners.ImportLabel(), "model_shape");
}

TEST(ImportDeformConv, MovesTapsAndAddsTheBias) {
  ModelBuilder model(19);
  model.Input("x", {1, 1, 1, 3}).Weight("w", {{1, 1, 1, 1}, {1}}).Weight("b", {{1}, {100}});
  model.Input("offset", {1, 2, 1, 3}).Input("mask", {1, 1, 1, 3}).Output("y");
  model.Node("DeformConv", {"x", "w", "offset", "b", "mask"}, {"y"});
  EXPECT_EQ(model
                .Run({{{1, 1, 1, 3}, {4, 8, 16}},
                      {{1, 2, 1, 3}, {0, 0, 0, 0.5f, 0, -0.5f}},
                      {{1, 1, 1, 3}, {2, 0, 1}}})
                .at(0),
            quant::Tensor(FloatTensor{{1, 1, 1, 3}, {112, 100, 112}}));
  ModelBuilder computed(19);
  computed.Input("x", {1, 1, 1, 3}).Input("w", {1, 1, 1, 1}).Input("offset", {1, 2, 1, 3}).Output("y");
  computed.Node("DeformConv", {"x", "w", "offset"}, {"y"});
  EXPECT_EQ(computed.ImportLabel(), "model_unsupported_operand");
}

}  // namespace
}  // namespace tally::onnx
