#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::ArgMax;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Softmax;
using quant::Tensor;

ModelBuilder SoftmaxModel(int64_t opset, std::optional<int64_t> axis) {
  ModelBuilder model(opset);
  model.Input("x", {2, 1, 2, 2}).Output("y");
  NodeBuilder node = model.Node("Softmax", {"x"}, {"y"});
  if (axis.has_value()) node.Int("axis", *axis);
  return model;
}

TEST(ImportSoftmax, AlongOneAxisSinceOpset13) {
  EXPECT_EQ(SoftmaxModel(13, std::nullopt).Import()->nodes[0].op, quant::Op(Softmax{3}));
  EXPECT_EQ(SoftmaxModel(13, 1).Import()->nodes[0].op, quant::Op(Softmax{1}));
  EXPECT_EQ(SoftmaxModel(13, -2).Import()->nodes[0].op, quant::Op(Softmax{2}));
}

TEST(ImportSoftmax, OverAllAxesFromOneOnBeforeOpset13) {
  const FloatTensor ones{{2, 1, 2, 2}, std::vector<float>(8, 1.0f)};
  const FloatTensor quarters{{2, 1, 2, 2}, std::vector<float>(8, 0.25f)};
  for (const std::optional<int64_t> axis : {std::optional<int64_t>(), std::optional<int64_t>(1)}) {
    ModelBuilder model = SoftmaxModel(12, axis);
    EXPECT_EQ(OpsOf(*model.Import()), "Reshape Softmax Reshape");
    EXPECT_EQ(model.Run({ones}), std::vector<Tensor>{quarters});
  }
  // Over the last axis, or where the others are of size 1, there is nothing to flatten.
  EXPECT_EQ(OpsOf(*SoftmaxModel(12, 3).Import()), "Softmax");
  EXPECT_EQ(OpsOf(*SoftmaxModel(11, -1).Import()), "Softmax");
  ModelBuilder all = SoftmaxModel(7, 0);
  EXPECT_EQ(all.Run({ones}), (std::vector<Tensor>{FloatTensor{{2, 1, 2, 2}, std::vector<float>(8, 0.125f)}}));
}

TEST(ImportSoftmax, OnnxMalformed_AxesOutsideTheRank) {
  for (const int64_t opset : {12, 13}) {
    EXPECT_EQ(SoftmaxModel(opset, 4).ImportLabel(), "onnx_malformed");
    EXPECT_EQ(SoftmaxModel(opset, -5).ImportLabel(), "onnx_malformed");
  }
}

TEST(ImportArgMax, ReadsItsAttributes) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Output("z");
  model.Node("ArgMax", {"x"}, {"y"});
  model.Node("ArgMax", {"x"}, {"z"}).Int("axis", -1).Int("keepdims", 0).Int("select_last_index", 0);
  EXPECT_EQ(model.Import()->nodes[0].op, quant::Op(ArgMax{0, true}));
  EXPECT_EQ(model.Import()->nodes[1].op, quant::Op(ArgMax{1, false}));
  EXPECT_EQ(model.Run({{{2, 3}, {1, 9, 9, 2, 2, 0}}}),
            (std::vector<Tensor>{Int64Tensor{{1, 3}, {1, 0, 0}}, Int64Tensor{{2}, {1, 0}}}));
}

TEST(ImportArgMax, Refusals) {
  ModelBuilder last;
  last.Input("x", {2, 3}).Output("y").Node("ArgMax", {"x"}, {"y"}).Int("select_last_index", 1);
  EXPECT_EQ(last.ImportLabel(), "onnx_unsupported_attribute");
  ModelBuilder axis;
  axis.Input("x", {2, 3}).Output("y").Node("ArgMax", {"x"}, {"y"}).Int("axis", 2);
  EXPECT_EQ(axis.ImportLabel(), "onnx_malformed");
}

}  // namespace
}  // namespace tally::onnx
