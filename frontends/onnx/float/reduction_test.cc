#include <gtest/gtest.h>

#include <cmath>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::ArgExtreme;
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
    EXPECT_EQ(SoftmaxModel(opset, 4).ImportLabel(), "model_malformed");
    EXPECT_EQ(SoftmaxModel(opset, -5).ImportLabel(), "model_malformed");
  }
}

TEST(ImportSoftmax, SoAreTheirLogarithms) {
  for (const int64_t opset : {12, 13}) {
    ModelBuilder model(opset);
    model.Input("x", {2, 2, 2}).Output("y").Node("LogSoftmax", {"x"}, {"y"}).Int("axis", 1);
    EXPECT_EQ(OpsOf(*model.Import()), opset == 12 ? "Reshape LogSoftmax Reshape" : "LogSoftmax");
  }
}

TEST(ImportArgMax, ReadsItsAttributes) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Output("z");
  model.Node("ArgMax", {"x"}, {"y"});
  model.Node("ArgMax", {"x"}, {"z"}).Int("axis", -1).Int("keepdims", 0).Int("select_last_index", 0);
  EXPECT_EQ(model.Import()->nodes[0].op, quant::Op(ArgExtreme{0, true}));
  EXPECT_EQ(model.Import()->nodes[1].op, quant::Op(ArgExtreme{1, false}));
  EXPECT_EQ(model.Run({{{2, 3}, {1, 9, 9, 2, 2, 0}}}),
            (std::vector<Tensor>{Int64Tensor{{1, 3}, {1, 0, 0}}, Int64Tensor{{2}, {1, 0}}}));
}

TEST(ImportArgMin, TakesTheFirstOrTheLastOfEquals) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("first").Output("last");
  model.Node("ArgMin", {"x"}, {"first"}).Int("axis", 1);
  model.Node("ArgMin", {"x"}, {"last"}).Int("axis", 1).Int("select_last_index", 1);
  EXPECT_EQ(model.Import()->nodes[1].op, quant::Op(ArgExtreme{1, true, true, true}));
  EXPECT_EQ(model.Run({{{2, 3}, {1, 9, 1, 2, 2, 0}}}),
            (std::vector<Tensor>{Int64Tensor{{2, 1}, {0, 2}}, Int64Tensor{{2, 1}, {2, 2}}}));
}

TEST(ImportArgMax, Refusals) {
  ModelBuilder axis;
  axis.Input("x", {2, 3}).Output("y").Node("ArgMax", {"x"}, {"y"}).Int("axis", 2);
  EXPECT_EQ(axis.ImportLabel(), "model_malformed");
}

// The result of a reduction of x [2, 3, 4, 5], with `axes` in the form that `opset` gives them.
std::string ImportedReduction(const std::string& op_type, int64_t opset, int64_t input_since,
                              const std::vector<int64_t>& axes, bool keep, quant::Op* op) {
  ModelBuilder model(opset);
  model.Input("x", {2, 3, 4, 5}).Output("y");
  if (opset < input_since) {
    model.Node(op_type, {"x"}, {"y"}).Ints("axes", axes).Int("keepdims", keep);
  } else {
    model.Integers("axes", {{static_cast<int64_t>(axes.size())}, axes});
    model.Node(op_type, {"x", "axes"}, {"y"}).Int("keepdims", keep);
  }
  const auto graph = model.Import();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return "";
  *op = graph->nodes[0].op;
  return OpsOf(*graph);
}

TEST(ImportReduce, AxesByAttributeAndByInput) {
  quant::Op op = quant::Relu{};
  for (const int64_t opset : {7, 12, 13, 17, 18, 21}) {
    ImportedReduction("ReduceSum", opset, 13, {-1, 1}, false, &op);
    EXPECT_EQ(op, quant::Op(quant::ReduceSum{{1, 3}, false})) << opset;
    ImportedReduction("ReduceMean", opset, 18, {1}, true, &op);
    EXPECT_EQ(op, quant::Op(quant::ReduceSum{{1}, true, true})) << opset;
    ImportedReduction("ReduceMax", opset, 18, {3, 0}, true, &op);
    EXPECT_EQ(op, quant::Op(quant::ReduceExtreme{{0, 3}, true})) << opset;
    ImportedReduction("ReduceMin", opset, 18, {2}, false, &op);
    EXPECT_EQ(op, quant::Op(quant::ReduceExtreme{{2}, false, true})) << opset;
  }
}

TEST(ImportReduce, SumsOfFunctionsOfTheElements) {
  quant::Op op = quant::Relu{};
  for (const int64_t opset : {7, 17, 18}) {
    const auto imported = [&](const std::string& type) {
      return ImportedReduction(type, opset, 18, {1, 2}, false, &op);
    };
    EXPECT_EQ(imported("ReduceL1"), "Slopes ReduceSum");
    EXPECT_EQ(imported("ReduceL2"), "Mul ReduceSum Unary");
    EXPECT_EQ(imported("ReduceSumSquare"), "Mul ReduceSum");
    EXPECT_EQ(imported("ReduceLogSum"), "ReduceSum Unary");
    EXPECT_EQ(imported("ReduceLogSumExp"), "ReduceExtreme Sub Unary ReduceSum Unary Add Reshape");
  }
}

TEST(ImportReduce, ALogarithmOfExponentialsStaysInRange) {
  ModelBuilder model;
  model.Input("x", {1, 2}).Output("y").Node("ReduceLogSumExp", {"x"}, {"y"}).Int("keepdims", 0);
  EXPECT_EQ(model.Run({{{1, 2}, {200, 200}}}),
            (std::vector<Tensor>{FloatTensor{{}, {200 + std::log(2.0f)}}}));
}

TEST(ImportReduce, TheMeanOfAnImageIsAPool) {
  quant::Op op = quant::Relu{};
  EXPECT_EQ(ImportedReduction("ReduceMean", 13, 18, {2, 3}, true, &op), "GlobalAveragePool");
  EXPECT_EQ(ImportedReduction("ReduceMean", 13, 18, {-1, -2}, false, &op), "GlobalAveragePool Reshape");
  EXPECT_EQ(ImportedReduction("ReduceMean", 13, 18, {1, 2}, true, &op), "ReduceSum");
}

TEST(ImportReduce, NoAxesAreAllOrNone) {
  ModelBuilder all(18);
  all.Input("x", {2, 2}).Output("y").Node("ReduceMax", {"x"}, {"y"}).Int("keepdims", 0);
  EXPECT_EQ(all.Run({{{2, 2}, {1, 4, 3, 2}}}), (std::vector<Tensor>{FloatTensor{{}, {4}}}));
  ModelBuilder none(18);
  none.Input("x", {2, 2}).Integers("axes", {{0}, {}}).Output("y");
  none.Node("ReduceMean", {"x", "axes"}, {"y"}).Int("noop_with_empty_axes", 1);
  EXPECT_EQ(OpsOf(*none.Import()), "");
}

TEST(ImportReduce, Refusals) {
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{2}, {-3}, {1, -1}}) {
    ModelBuilder model(13);
    model.Input("x", {2, 2}).Output("y").Node("ReduceMean", {"x"}, {"y"}).Ints("axes", axes);
    EXPECT_EQ(model.ImportLabel(), "model_malformed");
  }
  ModelBuilder late(18);  // the form of opset 17
  late.Input("x", {2, 2}).Output("y").Node("ReduceMean", {"x"}, {"y"}).Ints("axes", {1});
  EXPECT_EQ(late.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder early(13);  // the form of opset 18
  early.Input("x", {2, 2}).Integers("axes", {{1}, {1}}).Output("y").Node("ReduceMean", {"x", "axes"}, {"y"});
  EXPECT_EQ(early.ImportLabel(), "model_malformed");
  ModelBuilder computed(18);
  computed.Input("x", {2, 2}).Input("axes", {1}).Output("y").Node("ReduceMean", {"x", "axes"}, {"y"});
  EXPECT_EQ(computed.ImportLabel(), "model_unsupported_operand");
}

}  // namespace
}  // namespace tally::onnx
