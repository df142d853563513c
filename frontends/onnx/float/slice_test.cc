#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;
using List = std::vector<int64_t>;

Int64Tensor Numbers(const List& list) { return {{static_cast<int64_t>(list.size())}, list}; }

// Slice of x [5], 0 to 4: attributes before opset 10, inputs from then on. The label of a refusal, or the
// elements.
struct Sliced {
  std::string label;
  std::vector<float> elements;
};
Sliced SliceOf(int64_t opset, int64_t begin, int64_t end, int64_t step = 1) {
  ModelBuilder model(opset);
  model.Input("x", {5}).Output("y");
  if (opset < 10) {
    model.Node("Slice", {"x"}, {"y"}).Ints("starts", {begin}).Ints("ends", {end}).Ints("axes", {-1});
  } else {
    model.Integers("begin", Numbers({begin})).Integers("end", Numbers({end}));
    model.Integers("axes", Numbers({-1})).Integers("step", Numbers({step}));
    model.Node("Slice", {"x", "begin", "end", "axes", "step"}, {"y"});
  }
  Sliced sliced = {model.ImportLabel(), {}};
  if (sliced.label.empty()) {
    sliced.elements = std::get<FloatTensor>(model.Run({{{5}, {0, 1, 2, 3, 4}}}).at(0)).data;
  }
  return sliced;
}

TEST(ImportSlice, OfValuesInEveryOpset) {
  using Floats = std::vector<float>;
  for (const int64_t opset : {7, 9, 10, 13, 21}) {
    EXPECT_EQ(SliceOf(opset, 1, 3).elements, (Floats{1, 2}));
    EXPECT_EQ(SliceOf(opset, -2, INT64_MAX).elements, (Floats{3, 4}));
    EXPECT_EQ(SliceOf(opset, INT64_MIN, -3).elements, (Floats{0, 1}));
    EXPECT_EQ(SliceOf(opset, 3, 3).label, "model_shape");
    EXPECT_EQ(SliceOf(opset, 5, 9).label, "model_shape");
  }
  EXPECT_EQ(SliceOf(10, 0, 5, 2).elements, (Floats{0, 2, 4}));
  EXPECT_EQ(SliceOf(10, 1, 5, INT64_MAX).elements, (Floats{1}));
  EXPECT_EQ(SliceOf(10, -1, INT64_MIN, -1).elements, (Floats{4, 3, 2, 1, 0}));
  EXPECT_EQ(SliceOf(10, INT64_MAX, 0, -2).elements, (Floats{4, 2}));
  EXPECT_EQ(SliceOf(10, 2, 0, INT64_MIN).elements, (Floats{2}));
  EXPECT_EQ(SliceOf(10, 0, 5, 0).label, "model_malformed");
  EXPECT_EQ(SliceOf(10, 0, 3, -1).label, "model_shape");
}

TEST(ImportSlice, WhatLeavesAllIsTheValueItself) {
  ModelBuilder model(9);
  model.Input("x", {2, 3})
      .Output("y")
      .Node("Slice", {"x"}, {"y"})
      .Ints("starts", {0, 0})
      .Ints("ends", {2, 9});
  EXPECT_TRUE(model.Import()->nodes.empty());
}

TEST(ImportSlice, Refusals) {
  ModelBuilder lengths(9);
  lengths.Input("x", {2, 3}).Output("y").Node("Slice", {"x"}, {"y"}).Ints("starts", {0}).Ints("ends", {2, 3});
  EXPECT_EQ(lengths.ImportLabel(), "model_malformed");
  ModelBuilder none(9);
  none.Input("x", {2, 3}).Output("y").Node("Slice", {"x"}, {"y"}).Ints("starts", {0});
  EXPECT_EQ(none.ImportLabel(), "model_malformed");
  ModelBuilder axis(9);
  axis.Input("x", {2})
      .Output("y")
      .Node("Slice", {"x"}, {"y"})
      .Ints("starts", {0})
      .Ints("ends", {1})
      .Ints("axes", {1});
  EXPECT_EQ(axis.ImportLabel(), "model_malformed");
}

// Split of x [5] into `outputs`; the label of a refusal, or all elements with a -1 after each part.
std::string SplitOf(int64_t opset, const std::vector<std::string>& outputs, const std::optional<List>& sizes,
                    int64_t num_outputs = 0) {
  ModelBuilder model(opset);
  model.Input("x", {5});
  std::vector<std::string> inputs = {"x"};
  if (sizes.has_value() && opset >= 13) {
    model.Integers("sizes", Numbers(*sizes));
    inputs.push_back("sizes");
  }
  NodeBuilder node = model.Node("Split", inputs, outputs);
  if (sizes.has_value() && opset < 13) node.Ints("split", *sizes);
  if (num_outputs > 0) node.Int("num_outputs", num_outputs);
  for (const std::string& name : outputs) {
    if (!name.empty()) model.Output(name);
  }
  const std::string label = model.ImportLabel();
  if (!label.empty()) return label;
  std::string text;
  for (const Tensor& part : model.Run({{{5}, {0, 1, 2, 3, 4}}})) {
    for (const float element : std::get<FloatTensor>(part).data)
      text += std::to_string(static_cast<int>(element));
    text += "|";
  }
  return text;
}

TEST(ImportSplit, BySizesOrEqually) {
  for (const int64_t opset : {7, 11, 13, 18}) {
    EXPECT_EQ(SplitOf(opset, {"a", "b", "c"}, {{2, 1, 2}}), "01|2|34|");
    EXPECT_EQ(SplitOf(opset, {"a", "b", "c", "d", "e"}, {}), "0|1|2|3|4|");
    EXPECT_EQ(SplitOf(opset, {"a", "", "c"}, {{2, 1, 2}}), "01|34|");
    EXPECT_EQ(SplitOf(opset, {"a"}, {{5}}), "01234|");
    EXPECT_EQ(SplitOf(opset, {"a", "b"}, {{2, 2}}), "model_shape");
    EXPECT_EQ(SplitOf(opset, {"a", "b"}, {{2, 4}}), "model_shape");
    EXPECT_EQ(SplitOf(opset, {"a", "b"}, {{5, 0}}), "model_shape");
    EXPECT_EQ(SplitOf(opset, {"a", "b"}, {{5}}), "model_malformed");
  }
  EXPECT_EQ(SplitOf(13, {"a", "b"}, {}), "model_shape");
  EXPECT_EQ(SplitOf(18, {"a", "b"}, {}, 2), "012|34|");
  EXPECT_EQ(SplitOf(18, {"a", "b"}, {}, 3), "model_malformed");
  EXPECT_EQ(SplitOf(18, {"a", "b", "c", "d"}, {}, 4), "model_shape");  // 2, 2, 1 and nothing
}

// Pad of x [2, 3]; attributes before opset 11, inputs from then on.
ModelBuilder Padded(int64_t opset, const List& pads, const std::string& mode, std::optional<float> value,
                    const std::optional<List>& axes = {}) {
  ModelBuilder model(opset);
  model.Input("x", {2, 3}).Output("y");
  std::vector<std::string> inputs = {"x"};
  if (opset >= 11) {
    model.Integers("pads", Numbers(pads));
    inputs.push_back("pads");
    if (value.has_value()) model.Weight("value", {{}, {*value}});
    inputs.push_back(value.has_value() ? "value" : "");
    if (axes.has_value()) {
      model.Integers("axes", Numbers(*axes));
      inputs.push_back("axes");
    }
  }
  NodeBuilder node = model.Node("Pad", inputs, {"y"});
  node.String("mode", mode);
  if (opset < 11) node.Ints("pads", pads).Float("value", value.value_or(0));
  return model;
}

TEST(ImportPad, EveryModeInEveryOpset) {
  using quant::Op;
  using quant::Pad;
  for (const int64_t opset : {7, 11, 13, 18, 19}) {
    const auto op = [&](const std::string& mode, std::optional<float> value) {
      return Padded(opset, {1, 0, 0, 2}, mode, value).Import()->nodes.back().op;
    };
    EXPECT_EQ(op("constant", 0), Op(Pad{Pad::Mode::kZero, {1, 0}, {0, 2}}));
    EXPECT_EQ(op("edge", {}), Op(Pad{Pad::Mode::kEdge, {1, 0}, {0, 2}}));
    EXPECT_EQ(op("reflect", {}), Op(Pad{Pad::Mode::kReflect, {1, 0}, {0, 2}}));
    EXPECT_EQ(op("constant", -2), Op(quant::PadConstant{-2, {1, 0}, {0, 2}}));
    EXPECT_EQ(Padded(opset, {1, 0, 0, 2}, "wrap", {}).ImportLabel(), opset < 19 ? "model_malformed" : "");
    EXPECT_EQ(Padded(opset, {1, 0, 0}, "edge", {}).ImportLabel(), "model_malformed");
    EXPECT_EQ(Padded(opset, {0, 0, 0, INT64_MAX}, "edge", {}).ImportLabel(), "model_malformed");
    EXPECT_TRUE(Padded(opset, {0, 0, 0, 0}, "edge", {}).Import()->nodes.empty());
  }
  EXPECT_EQ(Padded(18, {1, 2}, "edge", {}, {{-1}}).Import()->nodes.back().op,
            Op(Pad{Pad::Mode::kEdge, {0, 1}, {0, 2}}));
}

TEST(ImportPad, NegativePadsCutFirst) {
  EXPECT_EQ(Padded(13, {0, -1, 0, 1}, "edge", {}).Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}}),
            (std::vector<Tensor>{FloatTensor{{2, 3}, {2, 3, 3, 5, 6, 6}}}));
  EXPECT_EQ(Padded(13, {0, -1, -1, 0}, "constant", {}).Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}}),
            (std::vector<Tensor>{FloatTensor{{1, 2}, {2, 3}}}));
  EXPECT_EQ(Padded(13, {-1, 0, -1, 0}, "constant", {}).ImportLabel(), "model_shape");
}

// How PyTorch writes pad(x, (1, 2)): the amounts from the last axis on, zeros after them, reversed and
// transposed.
TEST(ImportPad, AmountsComputedAsPyTorchDoes) {
  ModelBuilder model(13);
  model.Input("x", {2, 3}).Output("y").Integers("amounts", Numbers({1, 2}));
  model.Integers("two", Numbers({2})).Integers("pairs", Numbers({-1, 2})).Integers("flat", Numbers({-1}));
  model.Integers("last", Numbers({-1}))
      .Integers("least", Numbers({INT64_MIN}))
      .Integers("zero", Numbers({0}));
  model.Node("ConstantOfShape", {"two"}, {"zeros"}).Tensor("value", Int64Tensor{{1}, {0}});
  model.Node("Concat", {"amounts", "zeros"}, {"all"}).Int("axis", 0);
  model.Node("Reshape", {"all", "pairs"}, {"table"});
  model.Node("Slice", {"table", "last", "least", "zero", "last"}, {"reversed"});
  model.Node("Transpose", {"reversed"}, {"columns"}).Ints("perm", {1, 0});
  model.Node("Reshape", {"columns", "flat"}, {"list"});
  model.Node("Cast", {"list"}, {"pads"}).Int("to", ::onnx::TensorProto::INT64);
  model.Node("Pad", {"x", "pads"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0].op, quant::Op(quant::Pad{quant::Pad::Mode::kZero, {0, 1}, {0, 2}}));
}

}  // namespace
}  // namespace tally::onnx
