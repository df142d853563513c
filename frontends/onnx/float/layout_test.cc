#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;
using quant::Tensor;

// The shape that Reshape of x [2, 3, 4] to `wanted` gives, or the label of the refusal.
std::string Reshaped(const std::vector<int64_t>& wanted, int64_t allow_zero = 0, int64_t opset = 14) {
  ModelBuilder model(opset);
  model.Input("x", {2, 3, 4}).Output("y");
  model.Integers("shape", {{static_cast<int64_t>(wanted.size())}, wanted});
  NodeBuilder node = model.Node("Reshape", {"x", "shape"}, {"y"});
  if (allow_zero != 0) node.Int("allowzero", allow_zero);
  const std::string label = model.ImportLabel();
  return label.empty() ? quant::ToString(model.Import()->values.back().type.shape) : label;
}

TEST(ImportReshape, ResolvesZeroAndMinusOne) {
  EXPECT_EQ(Reshaped({6, 4}), "[6, 4]");
  EXPECT_EQ(Reshaped({-1}), "[24]");
  EXPECT_EQ(Reshaped({0, -1}), "[2, 12]");
  EXPECT_EQ(Reshaped({-1, 0, 2, 2}), "[2, 3, 2, 2]");
  EXPECT_EQ(Reshaped({0, 0, 0}), "[2, 3, 4]");
  EXPECT_EQ(Reshaped({24, -1}), "[24, 1]");
}

TEST(ImportReshape, Refusals) {
  EXPECT_EQ(Reshaped({-1, -1}), "model_malformed");
  EXPECT_EQ(Reshaped({1, 1, 1, 0}), "model_malformed");
  EXPECT_EQ(Reshaped({5, -1}), "model_shape");
  EXPECT_EQ(Reshaped({5, 5}), "model_shape");
  EXPECT_EQ(Reshaped({}), "model_shape");
  EXPECT_EQ(Reshaped({-2, -12}), "model_shape");
  EXPECT_EQ(Reshaped({0, -1}, /*allow_zero=*/1), "model_shape");
  EXPECT_EQ(Reshaped({24}, /*allow_zero=*/1, /*opset=*/13), "model_unsupported_attribute");
  EXPECT_EQ(Reshaped(std::vector<int64_t>(9, 1)), "model_shape");
  EXPECT_EQ(Reshaped({int64_t{1} << 62, int64_t{1} << 62, -1}), "model_shape");
}

TEST(ImportReshape, TheShapeMayBeAnAttribute) {
  ModelBuilder model(7);
  model.Input("x", {2, 3}).Output("y").Node("Reshape", {"x"}, {"y"}).Ints("shape", {3, -1});
  EXPECT_EQ(model.Import()->nodes[0].op, quant::Op(quant::Reshape{{3, 2}}));
  ModelBuilder none(7);
  none.Input("x", {2, 3}).Output("y").Node("Reshape", {"x"}, {"y"});
  EXPECT_EQ(none.ImportLabel(), "model_malformed");
}

TEST(ImportReshape, OneElementBecomesAScalar) {
  ModelBuilder model;
  model.Input("x", {1, 1}).Integers("shape", {{0}, {}}).Output("y").Node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_EQ(model.Run({{{1, 1}, {7}}}), (std::vector<Tensor>{FloatTensor{{}, {7}}}));
}

TEST(ImportReshape, OnnxUnsupportedOperand_ShapesComputedFromData) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Node("ArgMax", {"x"}, {"index"});
  model.Node("Reshape", {"x", "index"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_unsupported_operand");
  ModelBuilder floats;
  floats.Input("x", {2, 3}).Weight("shape", {{1}, {6}}).Output("y").Node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_EQ(floats.ImportLabel(), "model_unsupported_type");
}

std::string Flattened(std::optional<int64_t> axis) {
  ModelBuilder model;
  model.Input("x", {2, 3, 4}).Output("y");
  NodeBuilder node = model.Node("Flatten", {"x"}, {"y"});
  if (axis.has_value()) node.Int("axis", *axis);
  const std::string label = model.ImportLabel();
  return label.empty() ? quant::ToString(model.Import()->values.back().type.shape) : label;
}

TEST(ImportFlatten, MakesAMatrix) {
  EXPECT_EQ(Flattened(std::nullopt), "[2, 12]");
  EXPECT_EQ(Flattened(0), "[1, 24]");
  EXPECT_EQ(Flattened(2), "[6, 4]");
  EXPECT_EQ(Flattened(3), "[24, 1]");
  EXPECT_EQ(Flattened(-1), "[6, 4]");
  EXPECT_EQ(Flattened(-3), "[1, 24]");
  EXPECT_EQ(Flattened(4), "model_malformed");
  EXPECT_EQ(Flattened(-4), "model_malformed");
}

TEST(ImportTranspose, ReversesByDefault) {
  ModelBuilder model;
  model.Input("x", {2, 3, 4}).Output("y").Output("z");
  model.Node("Transpose", {"x"}, {"y"});
  model.Node("Transpose", {"x"}, {"z"}).Ints("perm", {0, 2, 1});
  EXPECT_EQ(model.Import()->nodes[0].op, quant::Op(quant::Transpose{{2, 1, 0}}));
  EXPECT_EQ(model.Import()->nodes[1].op, quant::Op(quant::Transpose{{0, 2, 1}}));
  for (const std::vector<int64_t>& bad : {std::vector<int64_t>{0, 1}, {0, 1, 1}, {0, 1, 3}, {0, 1, -1}}) {
    ModelBuilder refused;
    refused.Input("x", {2, 3, 4}).Output("y").Node("Transpose", {"x"}, {"y"}).Ints("perm", bad);
    EXPECT_EQ(refused.ImportLabel(), "model_malformed");
  }
}

TEST(ImportConcat, JoinsAlongAnAxis) {
  ModelBuilder model;
  model.Input("x", {1, 2}).Weight("w", {{1, 1}, {9}}).Output("y");
  model.Node("Concat", {"x", "w", "x"}, {"y"}).Int("axis", -1);
  EXPECT_EQ(model.Run({{{1, 2}, {1, 2}}}), (std::vector<Tensor>{FloatTensor{{1, 5}, {1, 2, 9, 1, 2}}}));
}

TEST(ImportConcat, Refusals) {
  ModelBuilder no_axis;
  no_axis.Input("x", {1, 2}).Output("y").Node("Concat", {"x", "x"}, {"y"});
  EXPECT_EQ(no_axis.ImportLabel(), "model_malformed");
  ModelBuilder no_inputs;
  no_inputs.Input("x", {1, 2}).Output("y").Node("Concat", {}, {"y"}).Int("axis", 0);
  EXPECT_EQ(no_inputs.ImportLabel(), "model_malformed");
  ModelBuilder axis;
  axis.Input("x", {1, 2}).Output("y").Node("Concat", {"x", "x"}, {"y"}).Int("axis", 2);
  EXPECT_EQ(axis.ImportLabel(), "model_malformed");
  ModelBuilder shapes;
  shapes.Input("x", {1, 2}).Input("z", {2, 3}).Output("y").Node("Concat", {"x", "z"}, {"y"}).Int("axis", 0);
  EXPECT_EQ(shapes.ImportLabel(), "model_shape");
  ModelBuilder types;
  types.Input("x", {2})
      .Integers("i", {{2}, {1, 2}})
      .Output("y")
      .Node("Concat", {"x", "i"}, {"y"})
      .Int("axis", 0);
  EXPECT_EQ(types.ImportLabel(), "model_unsupported_type");
}

TEST(ImportConcat, OnnxTooLarge_ConstantsThatDoubleAndDouble) {
  ModelBuilder model;
  model.Input("x", {1}).Weight("c0", FloatTensor{{1000}, std::vector<float>(1000)}).Output("c30");
  for (int i = 0; i < 30; ++i) {
    const std::string name = "c" + std::to_string(i);
    model.Node("Concat", {name, name}, {"c" + std::to_string(i + 1)}).Int("axis", 0);
  }
  EXPECT_EQ(model.ImportLabel(), "model_too_large");
}

TEST(ImportIdentity, IsTheValueItself) {
  ModelBuilder model;
  model.Input("x", {2}).Output("y").Node("Identity", {"x"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->nodes.empty());
  EXPECT_EQ(graph->outputs[0].name, "y");
  EXPECT_EQ(graph->outputs[0].value, graph->inputs[0]);
}

// Squeeze or Unsqueeze with its axes as an attribute before opset 13, as an input from then on.
std::string WithAxes(const std::string& op, const Shape& x, int64_t opset,
                     std::optional<std::vector<int64_t>> axes) {
  ModelBuilder model(opset);
  model.Input("x", x).Output("y");
  if (axes.has_value() && opset >= 13) {
    model.Integers("axes", {{static_cast<int64_t>(axes->size())}, *axes}).Node(op, {"x", "axes"}, {"y"});
  } else if (axes.has_value()) {
    model.Node(op, {"x"}, {"y"}).Ints("axes", *axes);
  } else {
    model.Node(op, {"x"}, {"y"});
  }
  const std::string label = model.ImportLabel();
  return label.empty() ? quant::ToString(model.Import()->values.back().type.shape) : label;
}

TEST(ImportSqueeze, RemovesDimensionsOfOne) {
  for (const int64_t opset : {7, 13}) {
    EXPECT_EQ(WithAxes("Squeeze", {1, 2, 1, 3}, opset, std::nullopt), "[2, 3]");
    EXPECT_EQ(WithAxes("Squeeze", {1, 2, 1, 3}, opset, {{2}}), "[1, 2, 3]");
    EXPECT_EQ(WithAxes("Squeeze", {1, 2, 1, 3}, opset, {{0, -2}}), "[2, 3]");
    EXPECT_EQ(WithAxes("Squeeze", {1, 2, 1, 3}, opset, {{1}}), "model_shape");
    EXPECT_EQ(WithAxes("Squeeze", {1, 2, 1, 3}, opset, {{0, 0}}), "model_malformed");
    EXPECT_EQ(WithAxes("Squeeze", {1, 2, 1, 3}, opset, {{4}}), "model_malformed");
  }
}

TEST(ImportUnsqueeze, InsertsDimensionsOfOne) {
  for (const int64_t opset : {7, 13}) {
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, {{0, 3}}), "[1, 2, 3, 1]");
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, {{-1}}), "[2, 3, 1]");
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, {{3}}), "model_malformed");
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, {{0, 0}}), "model_malformed");
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, std::nullopt), "model_malformed");
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, std::vector<int64_t>(9, 0)), "model_malformed");
    EXPECT_EQ(WithAxes("Unsqueeze", {2, 3}, opset, {{0, 1, 2, 3, 4, 5, 6}}), "model_shape");
  }
}

TEST(ImportExpand, ToTheBroadcastOfBoth) {
  const auto expanded = [](const std::vector<int64_t>& wanted) {
    ModelBuilder model;
    model.Input("x", {3, 1}).Output("y").Integers("shape", {{static_cast<int64_t>(wanted.size())}, wanted});
    model.Node("Expand", {"x", "shape"}, {"y"});
    const std::string label = model.ImportLabel();
    return label.empty() ? quant::ToString(model.Import()->values.back().type.shape) : label;
  };
  EXPECT_EQ(expanded({2, 1, 6}), "[2, 3, 6]");
  EXPECT_EQ(expanded({1}), "[3, 1]");
  EXPECT_EQ(expanded({4, 6}), "model_shape");
  EXPECT_EQ(expanded({0}), "model_shape");
}

TEST(ImportTile, RepeatsOrIsTheValueItself) {
  const auto ops = [](const std::vector<int64_t>& repeats) {
    ModelBuilder model;
    model.Input("x", {2, 3}).Output("y").Integers("r", {{static_cast<int64_t>(repeats.size())}, repeats});
    model.Node("Tile", {"x", "r"}, {"y"});
    const std::string label = model.ImportLabel();
    return label.empty() ? OpsOf(*model.Import()) : label;
  };
  EXPECT_EQ(ops({2, 1}), "Tile");
  EXPECT_EQ(ops({1, 1}), "");
  EXPECT_EQ(ops({2}), "model_malformed");
  EXPECT_EQ(ops({0, 1}), "model_malformed");
}

TEST(ImportDepthToSpace, Refusals) {
  const auto label = [](const std::string& op, int64_t block, const std::string& mode) {
    ModelBuilder model;
    model.Input("x", {1, 8, 2, 3}).Output("y");
    NodeBuilder node = model.Node(op, {"x"}, {"y"});
    node.Int("blocksize", block);
    if (!mode.empty()) node.String("mode", mode);
    return model.ImportLabel();
  };
  EXPECT_EQ(label("DepthToSpace", 2, "CRD"), "");
  EXPECT_EQ(label("DepthToSpace", 3, ""), "model_shape");
  EXPECT_EQ(label("DepthToSpace", 0, ""), "model_malformed");
  EXPECT_EQ(label("DepthToSpace", 2, "RCD"), "model_malformed");
  EXPECT_EQ(label("SpaceToDepth", 1, ""), "");
  EXPECT_EQ(label("SpaceToDepth", 2, ""), "model_shape");
}

TEST(ImportConcat, LeavesEmptyListsOut) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Integers("nothing", {{0}, {}}).Node("Shape", {"x"}, {"shape"});
  model.Node("Concat", {"nothing", "shape"}, {"y"}).Int("axis", 0);
  EXPECT_EQ(model.Run({SmallIntegers({2, 3}, 1)}).at(0), Tensor(Int64Tensor{{2}, {2, 3}}));
  ModelBuilder all;
  all.Input("x", {2}).Output("y").Integers("nothing", {{0}, {}});
  all.Node("Concat", {"nothing", "nothing"}, {"y"}).Int("axis", 0);
  EXPECT_EQ(all.ImportLabel(), "model_malformed");
}

}  // namespace
}  // namespace tally::onnx
