#include <gtest/gtest.h>

#include <cmath>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::LayerNorm;
using quant::RmsNorm;
using quant::Tensor;

TEST(ImportFeatureNorm, LayerNormalizationOverTheLastAxes) {
  ModelBuilder model(17);
  model.Input("x", {2, 3, 4}).Weight("scale", {{3, 4}, std::vector<float>(12, 1.0f)}).Output("y");
  model.Node("LayerNormalization", {"x", "scale"}, {"y"})
      .Int("axis", 1)
      .Float("epsilon", 0.5f)
      .Int("stash_type", 1);
  EXPECT_EQ(model.Import()->nodes[1].op, quant::Op(LayerNorm{{1, 2}, 0.5f}));
}

// x [1, 4, 2] whose channels have the means 1, 3, 5, 7 and the deviation 1.
ModelBuilder PairsModel(int64_t opset) {
  ModelBuilder model(opset);
  model.Input("x", {1, 4, 2}).Output("y");
  return model;
}
const FloatTensor kPairs{{1, 4, 2}, {0, 2, 2, 4, 4, 6, 6, 8}};

TEST(ImportFeatureNorm, InstanceNormalizationOfEachChannel) {
  ModelBuilder model = PairsModel(13);
  model.Weight("scale", {{4}, {1, 2, 3, 4}}).Weight("bias", {{4}, {0, 0, 0, 10}});
  model.Node("InstanceNormalization", {"x", "scale", "bias"}, {"y"}).Float("epsilon", 0);
  EXPECT_EQ(OpsOf(*model.Import()), "LayerNorm");
  EXPECT_EQ(model.Run({kPairs}), (std::vector<Tensor>{FloatTensor{{1, 4, 2}, {-1, 1, -2, 2, -3, 3, 6, 14}}}));
}

TEST(ImportFeatureNorm, GroupNormalizationWeighsGroupsThenChannels) {
  // Each group has the distances -2, 0, 0, 2 from its mean and the variance 2; epsilon makes it 4.
  ModelBuilder by_group = PairsModel(18);
  by_group.Weight("scale", {{2}, {1, 2}}).Weight("bias", {{2}, {0, 10}});
  by_group.Node("GroupNormalization", {"x", "scale", "bias"}, {"y"}).Float("epsilon", 2).Int("num_groups", 2);
  EXPECT_EQ(OpsOf(*by_group.Import()), "Reshape LayerNorm Reshape");
  EXPECT_EQ(by_group.Run({kPairs}),
            (std::vector<Tensor>{FloatTensor{{1, 4, 2}, {-1, 0, 0, 1, 8, 10, 10, 12}}}));
  ModelBuilder by_channel = PairsModel(21);
  by_channel.Weight("scale", {{4}, {1, 2, 3, 4}}).Weight("bias", {{4}, {0, 0, 0, 10}});
  by_channel.Node("GroupNormalization", {"x", "scale", "bias"}, {"y"})
      .Float("epsilon", 2)
      .Int("num_groups", 2);
  EXPECT_EQ(by_channel.Run({kPairs}),
            (std::vector<Tensor>{FloatTensor{{1, 4, 2}, {-1, 0, 0, 2, -3, 0, 10, 14}}}));
}

TEST(ImportFeatureNorm, LpNormalizationGivesUnitVectors) {
  ModelBuilder model;
  model.Input("x", {2, 2}).Output("y").Node("LpNormalization", {"x"}, {"y"}).Int("axis", 0).Int("p", 2);
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(OpsOf(*graph), "RmsNorm");
  const auto y = std::get<FloatTensor>(model.Run({{{2, 2}, {3, 0, 4, 0}}})[0]);
  EXPECT_NEAR(y.data[0], 0.6f, 1e-6);
  EXPECT_NEAR(y.data[2], 0.8f, 1e-6);
  EXPECT_EQ(y.data[1], 0) << "a line of zeros stays one";
}

TEST(ImportFeatureNorm, MeanVarianceNormalizationOverBatchAndImageByDefault) {
  ModelBuilder model;
  model.Input("x", {2, 3, 4, 5}).Output("y").Node("MeanVarianceNormalization", {"x"}, {"y"});
  EXPECT_EQ(model.Import()->nodes[0].op, quant::Op(LayerNorm{{0, 2, 3}, 0}));
  ModelBuilder axes;
  axes.Input("x", {2, 3}).Output("y").Node("MeanVarianceNormalization", {"x"}, {"y"}).Ints("axes", {-1});
  EXPECT_EQ(axes.Import()->nodes[0].op, quant::Op(LayerNorm{{1}, 0}));
}

TEST(ImportFeatureNorm, Refusals) {
  ModelBuilder norm1;
  norm1.Input("x", {2, 2}).Output("y").Node("LpNormalization", {"x"}, {"y"}).Int("p", 1);
  EXPECT_EQ(norm1.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder groups = PairsModel(18);
  groups.Weight("scale", {{3}, {1, 2, 3}});
  groups.Node("GroupNormalization", {"x", "scale", "scale"}, {"y"}).Int("num_groups", 3);
  EXPECT_EQ(groups.ImportLabel(), "model_malformed");
  ModelBuilder entries = PairsModel(13);
  entries.Weight("scale", {{3}, {1, 2, 3}}).Node("InstanceNormalization", {"x", "scale", "scale"}, {"y"});
  EXPECT_EQ(entries.ImportLabel(), "model_shape");
  ModelBuilder no_image;
  no_image.Input("x", {1, 1}).Weight("scale", {{1}, {1}}).Output("y");
  no_image.Node("InstanceNormalization", {"x", "scale", "scale"}, {"y"});
  EXPECT_EQ(no_image.ImportLabel(), "model_shape");
  ModelBuilder computed = PairsModel(17);
  computed.Input("scale", {2}).Node("LayerNormalization", {"x", "scale"}, {"y"});
  EXPECT_EQ(computed.ImportLabel(), "model_unsupported_operand");
  ModelBuilder no_size;
  no_size.Input("x", {1, 4, 2}).Output("y").Node("LRN", {"x"}, {"y"});
  EXPECT_EQ(no_size.ImportLabel(), "model_malformed");
  ModelBuilder size;
  size.Input("x", {1, 4, 2}).Output("y").Node("LRN", {"x"}, {"y"}).Int("size", 0);
  EXPECT_EQ(size.ImportLabel(), "model_malformed");
}

}  // namespace
}  // namespace tally::onnx
