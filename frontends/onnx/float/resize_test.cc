#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Op;
using quant::Resize;

// Resize of x [1, 2, 4, 6] by scales, from opset 11 on.
ModelBuilder Scaled(int64_t opset, const std::vector<float>& scales) {
  ModelBuilder model(opset);
  model.Input("x", {1, 2, 4, 6})
      .Output("y")
      .Weight("scales", {{static_cast<int64_t>(scales.size())}, scales});
  return model;
}

TEST(ImportResize, ByScalesInEveryOpset) {
  for (const int64_t opset : {11, 13, 18, 19}) {
    ModelBuilder model = Scaled(opset, {1, 1, 2, 0.5f});
    model.Node("Resize", {"x", "", "scales"}, {"y"}).String("mode", "linear");
    EXPECT_EQ(model.Import()->nodes.back().op,
              Op(Resize{.size = {8, 3}, .linear = true, .scales = {2, 1, 1, 2}}));
  }
  ModelBuilder ten = Scaled(10, {1, 1, 2, 2});
  ten.Node("Resize", {"x", "scales"}, {"y"});
  const Op asymmetric = Resize{.size = {8, 12},
                               .coordinates = Coordinates::kAsymmetric,
                               .nearest = Nearest::kFloor,
                               .scales = {2, 1, 2, 1}};
  EXPECT_EQ(ten.Import()->nodes.back().op, asymmetric);
  ModelBuilder nine = Scaled(9, {1, 1, 2, 2});
  nine.Node("Upsample", {"x", "scales"}, {"y"}).String("mode", "nearest");
  EXPECT_EQ(nine.Import()->nodes.back().op, asymmetric);
  ModelBuilder seven(7);
  seven.Input("x", {1, 2, 4, 6}).Output("y");
  seven.Node("Upsample", {"x"}, {"y"}).String("mode", "nearest").Floats("scales", {1, 1, 2, 2});
  EXPECT_EQ(seven.Import()->nodes.back().op, asymmetric);
}

TEST(ImportResize, BySizesAndAxes) {
  ModelBuilder model(18);
  model.Input("x", {1, 2, 4, 6}).Output("y").Integers("sizes", {{2}, {5, 9}});
  model.Node("Resize", {"x", "", "", "sizes"}, {"y"})
      .Ints("axes", {-1, 2})
      .String("coordinate_transformation_mode", "align_corners")
      .String("nearest_mode", "ceil");
  EXPECT_EQ(model.Import()->nodes.back().op,
            Op(Resize{.size = {9, 5}, .coordinates = Coordinates::kAlignCorners, .nearest = Nearest::kCeil}));
}

TEST(ImportResize, OfOneSpatialAxis) {
  ModelBuilder model(13);
  model.Input("x", {1, 1, 2}).Output("y").Weight("scales", {{3}, {1, 1, 2}});
  model.Node("Resize", {"x", "", "scales"}, {"y"}).String("mode", "linear");
  EXPECT_EQ(model.Run({{{1, 1, 2}, {0, 8}}}).at(0), quant::Tensor(FloatTensor{{1, 1, 4}, {0, 2, 6, 8}}));
}

TEST(ImportResize, ToTheSameSizeIsTheValueItself) {
  ModelBuilder model = Scaled(13, {1, 1, 1, 1});
  model.Node("Resize", {"x", "", "scales"}, {"y"});
  EXPECT_TRUE(model.Import()->nodes.empty());
}

TEST(ImportResize, ByCubicCurves) {
  ModelBuilder model = Scaled(18, {1, 1, 0.5f, 2});
  model.Node("Resize", {"x", "", "scales"}, {"y"})
      .String("mode", "cubic")
      .Float("cubic_coeff_a", -0.5f)
      .Int("antialias", 1)
      .Int("exclude_outside", 1);
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto* cubic = std::get_if<quant::ResizeCubic>(&graph->nodes.back().op);
  ASSERT_NE(cubic, nullptr);
  EXPECT_EQ(cubic->size, (quant::Extents{2, 12}));
  EXPECT_EQ(cubic->coefficient, -0.5);
  EXPECT_TRUE(cubic->antialias && cubic->exclude_outside);
}

// A file of some bytes must not take gigabytes for its weights.
TEST(ImportResize, WeightsAreBounded) {
  const auto label = [](int64_t elements, int64_t size) {
    ModelBuilder model(18);
    model.Input("x", {1, 1, 2, elements}).Output("y").Integers("sizes", {{4}, {1, 1, 2, size}});
    model.Node("Resize", {"x", "", "", "sizes"}, {"y"}).String("mode", "linear").Int("antialias", 1);
    return model.ImportLabel();
  };
  EXPECT_EQ(label(64, 16), "");
  EXPECT_EQ(label(1 << 20, 1 << 16), "model_shape");
  EXPECT_EQ(label(1 << 15, 1 << 14), "model_too_large");
  EXPECT_NE(label(1 << 16, 1 << 29), "");
}

TEST(ImportResize, Refusals) {
  const auto label = [](const std::vector<float>& scales, const std::string& attribute,
                        const std::string& value) {
    ModelBuilder model = Scaled(13, scales);
    NodeBuilder node = model.Node("Resize", {"x", "", "scales"}, {"y"});
    if (!attribute.empty()) node.String(attribute, value);
    return model.ImportLabel();
  };
  EXPECT_EQ(label({1, 2, 2, 2}, "", ""), "model_unsupported_operand");
  EXPECT_EQ(label({1, 1, 2}, "", ""), "model_malformed");
  EXPECT_EQ(label({1, 1, 0, 2}, "", ""), "model_malformed");
  EXPECT_EQ(label({1, 1, 1e-9f, 2}, "", ""), "model_unsupported_operand");
  EXPECT_EQ(label({1, 1, 1e9f, 2}, "", ""), "model_shape");
  EXPECT_EQ(label({1, 1, 1e5f, 2}, "", ""), "model_malformed");  // more points than a table has
  EXPECT_EQ(label({1, 1, 2, 2}, "mode", "quintic"), "model_unsupported_attribute");
  EXPECT_EQ(label({1, 1, 2, 2}, "coordinate_transformation_mode", "tf_crop_and_resize"),
            "model_malformed");  // without a region
  EXPECT_EQ(label({1, 1, 2, 2}, "nearest_mode", "best"), "model_unsupported_attribute");
  EXPECT_EQ(label({1, 1, 2, 2}, "keep_aspect_ratio_policy", "not_larger"), "");  // which is of sizes
  ModelBuilder nothing(13);
  nothing.Input("x", {1, 2, 4, 6}).Weight("roi", {{1}, {0}}).Output("y").Node("Resize", {"x", "roi"}, {"y"});
  EXPECT_EQ(nothing.ImportLabel(), "model_malformed");
}

}  // namespace
}  // namespace tally::onnx
