#include <gtest/gtest.h>

#include <algorithm>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::AveragePool;
using quant::MaxPool;
using quant::Pads;

struct PoolModel {
  PoolModel(const std::string& op, const std::vector<int64_t>& kernel, int64_t opset = 13) : model(opset) {
    model.Input("x", {1, 2, 6, 7}).Output("y");
    node = model.Node(op, {"x"}, {"y"});
    if (!kernel.empty()) node.Ints("kernel_shape", kernel);
  }

  template <typename Pool>
  Pool Imported() const {
    const auto graph = model.Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return {};
    EXPECT_EQ(graph->nodes.size(), 1u);
    return std::get<Pool>(graph->nodes[0].op);
  }

  ModelBuilder model;
  NodeBuilder node{nullptr};
};

TEST(ImportPooling, MaxPoolReadsItsAttributes) {
  PoolModel pool("MaxPool", {3, 2});
  pool.node.Ints("strides", {2, 1})
      .Ints("pads", {1, 0, 2, 1})
      .Ints("dilations", {1, 1})
      .Int("storage_order", 1);
  EXPECT_EQ(pool.Imported<MaxPool>(), (MaxPool{{3, 2}, {2, 1}, {1, 0, 2, 1}}));
  EXPECT_EQ(PoolModel("MaxPool", {2, 2}).Imported<MaxPool>(), (MaxPool{{2, 2}, {1, 1}, {}}));
}

TEST(ImportPooling, AutoPad) {
  PoolModel pool("MaxPool", {3, 2});
  pool.node.String("auto_pad", "SAME_LOWER");
  EXPECT_EQ(pool.Imported<MaxPool>().pad, (Pads{1, 1, 1, 0}));
}

TEST(ImportPooling, CeilModeBecomesPadsAtTheEnd) {
  // Along y, 6 elements hold windows of 3 at 0 and 2, and a partial one at 4; along x, 7 hold whole ones.
  PoolModel pool("MaxPool", {3, 3});
  pool.node.Ints("strides", {2, 2}).Int("ceil_mode", 1);
  EXPECT_EQ(pool.Imported<MaxPool>().pad, (Pads{0, 0, 1, 0}));
}

TEST(ImportPooling, CeilModeDropsAWindowThatWouldStartInTheEndPadding) {
  // With one pad on each side, y has 8 elements and a window of 2 with stride 7 would start at 7: in the
  // end padding.
  PoolModel pool("MaxPool", {2, 2});
  pool.node.Ints("strides", {7, 1}).Ints("pads", {1, 0, 1, 0}).Int("ceil_mode", 1);
  EXPECT_EQ(pool.Imported<MaxPool>().pad, (Pads{1, 0, 1, 0}));
  EXPECT_EQ(pool.model.Import()->values.back().type.shape, (quant::Shape{1, 2, 1, 6}));
}

TEST(ImportPooling, CountIncludePadMattersOnlyWithPads) {
  PoolModel without("AveragePool", {2, 2});
  without.node.Int("count_include_pad", 1);
  EXPECT_FALSE(without.Imported<AveragePool>().count_include_pad);
  PoolModel with("AveragePool", {2, 2});
  with.node.Int("count_include_pad", 1).Ints("pads", {1, 0, 0, 0});
  EXPECT_TRUE(with.Imported<AveragePool>().count_include_pad);
  PoolModel default_is_off("AveragePool", {2, 2});
  default_is_off.node.Ints("pads", {1, 0, 0, 0});
  EXPECT_FALSE(default_is_off.Imported<AveragePool>().count_include_pad);
}

TEST(ImportPooling, AverageWithCeilModeCountsRealElementsOnly) {
  ModelBuilder model;
  model.Input("x", {1, 1, 1, 3}).Output("y");
  model.Node("AveragePool", {"x"}, {"y"})
      .Ints("kernel_shape", {1, 2})
      .Ints("strides", {1, 2})
      .Int("ceil_mode", 1)
      .Int("count_include_pad", 1);
  EXPECT_EQ(model.Run({{{1, 1, 1, 3}, {1, 2, 7}}}),
            (std::vector<quant::Tensor>{quant::FloatTensor{{1, 1, 1, 2}, {1.5f, 7}}}));
}

TEST(ImportPooling, GlobalAverage) {
  PoolModel pool("GlobalAveragePool", {});
  EXPECT_EQ(OpsOf(*pool.model.Import()), "GlobalAveragePool");
}

TEST(ImportPooling, OnnxUnsupportedAttribute) {
  PoolModel automatic("MaxPool", {3, 3});
  automatic.node.Int("ceil_mode", 1).String("auto_pad", "VALID");
  EXPECT_EQ(automatic.model.ImportLabel(), "model_unsupported_attribute");
}

TEST(ImportPooling, DilatedWindows) {
  PoolModel most("MaxPool", {2, 2});
  most.node.Ints("dilations", {2, 1});
  EXPECT_EQ(most.Imported<MaxPool>().dilation, (quant::Extents{2, 1}));
  PoolModel mean("AveragePool", {2, 2}, 19);
  mean.node.Ints("dilations", {1, 2});
  EXPECT_EQ(mean.Imported<AveragePool>().dilation, (quant::Extents{1, 2}));
}

// Pads of the file count, and what ceil_mode adds does not.
TEST(ImportPooling, CountsPadsInCeilMode) {
  PoolModel ceil("AveragePool", {3, 3});
  ceil.node.Ints("strides", {2, 2})
      .Int("ceil_mode", 1)
      .Int("count_include_pad", 1)
      .Ints("pads", {0, 1, 0, 1});
  const AveragePool pool = ceil.Imported<AveragePool>();
  EXPECT_TRUE(pool.ceil_mode);
  EXPECT_EQ(pool.pad, (Pads{0, 1, 0, 1}));
}

TEST(ImportPooling, OnnxMalformed) {
  EXPECT_EQ(PoolModel("MaxPool", {}).model.ImportLabel(), "model_malformed");
  EXPECT_EQ(PoolModel("MaxPool", {2, 2, 2}).model.ImportLabel(), "model_malformed");
  PoolModel pads("AveragePool", {2, 2});
  pads.node.Ints("pads", {0, 2, 0, 0});  // a window of nothing but padding
  EXPECT_EQ(pads.model.ImportLabel(), "model_malformed");
  PoolModel flag("MaxPool", {2, 2});
  flag.node.Int("ceil_mode", 2);
  EXPECT_EQ(flag.model.ImportLabel(), "model_malformed");
}

TEST(ImportPooling, OnnxShape_WindowsThatDoNotFit) {
  EXPECT_EQ(PoolModel("MaxPool", {7, 1}).model.ImportLabel(), "model_shape");
  PoolModel ceil("MaxPool", {7, 1});
  ceil.node.Int("ceil_mode", 1);
  EXPECT_EQ(ceil.model.ImportLabel(), "model_shape");
}

TEST(ImportPooling, OnnxUnsupportedOutput_Indices) {
  ModelBuilder model;
  model.Input("x", {1, 2, 6, 7}).Output("y");
  model.Node("MaxPool", {"x"}, {"y", "indices"}).Ints("kernel_shape", {2, 2});
  EXPECT_EQ(model.ImportLabel(), "");
  model.Output("indices");
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_output");
}

TEST(ImportPooling, OfOneSpatialAxis) {
  for (const char* op : {"MaxPool", "AveragePool"}) {
    ModelBuilder model;
    model.Input("x", {1, 1, 4}).Output("y");
    model.Node(op, {"x"}, {"y"}).Ints("kernel_shape", {2}).Ints("strides", {2});
    const std::vector<float> expected =
        op == std::string("MaxPool") ? std::vector<float>{3, 8} : std::vector<float>{2, 7};
    EXPECT_EQ(model.Run({{{1, 1, 4}, {1, 3, 8, 6}}}),
              (std::vector<quant::Tensor>{quant::FloatTensor{{1, 1, 2}, expected}}));
  }
}

TEST(ImportPooling, GlobalPoolsOfAnyRank) {
  EXPECT_EQ(PoolModel("GlobalMaxPool", {}).Imported<MaxPool>(), (MaxPool{{6, 7}, {1, 1}, {}}));
  for (const quant::Shape& shape : {quant::Shape{1, 2, 4}, {1, 2, 2, 2}, {1, 2, 2, 1, 2}}) {
    ModelBuilder model;
    model.Input("x", shape).Output("max").Output("mean");
    model.Node("GlobalMaxPool", {"x"}, {"max"});
    model.Node("GlobalAveragePool", {"x"}, {"mean"});
    quant::Shape pooled = shape;
    std::fill(pooled.begin() + 2, pooled.end(), 1);
    EXPECT_EQ(model.Run({{shape, {1, 2, 3, 6, -1, -2, -3, -6}}}),
              (std::vector<quant::Tensor>{quant::FloatTensor{pooled, {6, -1}},
                                          quant::FloatTensor{pooled, {3, -3}}}));
  }
  ModelBuilder matrix;
  matrix.Input("x", {2, 3}).Output("y").Node("GlobalMaxPool", {"x"}, {"y"});
  EXPECT_EQ(matrix.ImportLabel(), "model_shape");
}

}  // namespace
}  // namespace tally::onnx
