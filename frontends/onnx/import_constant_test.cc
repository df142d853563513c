#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

TEST(ImportConstant, EveryKindOfValue) {
  ModelBuilder model;
  model.Input("x", {1});
  model.Node("Constant", {}, {"tensor"}).Tensor("value", FloatTensor{{1, 2}, {1, 2}});
  model.Node("Constant", {}, {"float"}).Float("value_float", 3);
  model.Node("Constant", {}, {"floats"}).Floats("value_floats", {4, 5});
  model.Node("Constant", {}, {"int"}).Int("value_int", 6);
  model.Node("Constant", {}, {"ints"}).Ints("value_ints", {7, 8});
  for (const char* name : {"tensor", "float", "floats", "int", "ints"}) model.Output(name);
  EXPECT_EQ(model.Run({{{1}, {0}}}),
            (std::vector<Tensor>{FloatTensor{{1, 2}, {1, 2}}, FloatTensor{{}, {3}}, FloatTensor{{2}, {4, 5}},
                                 Int64Tensor{{}, {6}}, Int64Tensor{{2}, {7, 8}}}));
}

TEST(ImportConstant, Refusals) {
  ModelBuilder text;
  text.Input("x", {1}).Output("y").Node("Constant", {}, {"y"}).String("value_string", "text");
  EXPECT_EQ(text.ImportLabel(), "onnx_unsupported_attribute");
  ModelBuilder nothing;
  nothing.Input("x", {1}).Output("y").Node("Constant", {}, {"y"});
  EXPECT_EQ(nothing.ImportLabel(), "onnx_malformed");
  ModelBuilder two;
  two.Input("x", {1}).Output("y").Node("Constant", {}, {"y"}).Float("value_float", 1).Int("value_int", 1);
  EXPECT_EQ(two.ImportLabel(), "onnx_malformed");
  ModelBuilder type;
  type.Input("x", {1}).Output("y").Node("Constant", {}, {"y"}).String("value_int", "1");
  EXPECT_EQ(type.ImportLabel(), "onnx_malformed");
}

// How PyTorch writes x.view(x.size(0), -1), with the batch left open.
TEST(ImportShape, ShapeArithmeticIsResolved) {
  for (const int64_t opset : {11, 13}) {
    ModelBuilder model(opset);
    model.Input("x", {-1, 3, 4}).Output("y");
    model.Integers("zero", {{}, {0}}).Integers("axes", {{1}, {0}}).Integers("rest", {{1}, {-1}});
    model.Node("Shape", {"x"}, {"shape"});
    model.Node("Gather", {"shape", "zero"}, {"batch"}).Int("axis", 0);
    if (opset == 11) {
      model.Node("Unsqueeze", {"batch"}, {"list"}).Ints("axes", {0});
    } else {
      model.Node("Unsqueeze", {"batch", "axes"}, {"list"});
    }
    model.Node("Cast", {"list"}, {"cast"}).Int("to", TensorProto::INT64);
    model.Node("Concat", {"cast", "rest"}, {"wanted"}).Int("axis", 0);
    model.Node("Reshape", {"x", "wanted"}, {"y"});
    const auto graph = model.Import({.shapes = {.batch = 5}});
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_EQ(graph->nodes.size(), 1u);  // and no leftovers
    EXPECT_EQ(graph->nodes[0].op, quant::Op(quant::Reshape{{5, 12}}));
  }
}

std::vector<int64_t> ShapeBetween(std::optional<int64_t> start, std::optional<int64_t> end) {
  ModelBuilder model(15);
  model.Input("x", {2, 3, 4}).Output("y");
  NodeBuilder node = model.Node("Shape", {"x"}, {"y"});
  if (start.has_value()) node.Int("start", *start);
  if (end.has_value()) node.Int("end", *end);
  return std::get<Int64Tensor>(model.Run({SmallIntegers({2, 3, 4}, 1)}).at(0)).data;
}

TEST(ImportShape, StartAndEnd) {
  using List = std::vector<int64_t>;
  EXPECT_EQ(ShapeBetween({}, {}), (List{2, 3, 4}));
  EXPECT_EQ(ShapeBetween(1, {}), (List{3, 4}));
  EXPECT_EQ(ShapeBetween(-1, {}), (List{4}));
  EXPECT_EQ(ShapeBetween(-9, 2), (List{2, 3}));
  EXPECT_EQ(ShapeBetween({}, -2), (List{2}));
}

TEST(ImportShape, SlicesOfShapes) {
  ModelBuilder model;
  model.Input("x", {2, 3, 4, 5}).Output("y");
  model.Integers("start", {{1}, {1}}).Integers("end", {{1}, {INT64_MAX}}).Integers("axis", {{1}, {0}});
  model.Node("Shape", {"x"}, {"shape"});
  model.Node("Slice", {"shape", "start", "end", "axis", "start"}, {"tail"});
  model.Node("Concat", {"tail", "start"}, {"y"}).Int("axis", 0);
  EXPECT_EQ(model.Run({SmallIntegers({2, 3, 4, 5}, 1)}),
            (std::vector<Tensor>{Int64Tensor{{4}, {3, 4, 5, 1}}}));
}

TEST(ImportSlice, Refusals) {
  const auto label = [](const std::string& data, const std::string& start, const std::string& step) {
    ModelBuilder model;
    model.Input("x", {2, 3}).Output("y");
    model.Integers("list", {{2}, {2, 3}}).Integers("one", {{1}, {1}}).Integers("matrix", {{1, 2}, {1, 1}});
    model.Integers("zero", {{1}, {0}});
    model.Integers("two", {{1}, {2}}).Node("Slice", {data, start, "two", "zero", step}, {"y"});
    return model.ImportLabel();
  };
  EXPECT_EQ(label("list", "one", "one"), "");
  EXPECT_EQ(label("x", "one", "one"), "onnx_unsupported_operand");
  EXPECT_EQ(label("matrix", "one", "one"), "onnx_unsupported_operand");
  EXPECT_EQ(label("list", "list", "one"), "onnx_unsupported_operand");
  EXPECT_EQ(label("list", "one", "two"), "onnx_unsupported_operand");
  EXPECT_EQ(label("list", "two", "one"), "onnx_shape");  // nothing is left, and an output needs something
}

TEST(ImportGather, Refusals) {
  const auto label = [](const std::string& data, const std::string& index, int64_t axis) {
    ModelBuilder model;
    model.Input("x", {2, 3}).Output("y");
    model.Integers("list", {{2}, {2, 3}}).Integers("one", {{}, {1}}).Integers("two", {{}, {2}});
    model.Integers("last", {{}, {-1}}).Node("Gather", {data, index}, {"y"}).Int("axis", axis);
    return model.ImportLabel();
  };
  EXPECT_EQ(label("list", "one", 0), "");
  EXPECT_EQ(label("list", "last", -1), "");
  EXPECT_EQ(label("list", "two", 0), "onnx_malformed");
  EXPECT_EQ(label("list", "one", 1), "onnx_malformed");
  EXPECT_EQ(label("x", "one", 0), "onnx_unsupported_operand");
}

TEST(ImportCast, BetweenTypesThatTheGraphDoesNotTellApart) {
  ModelBuilder model;
  model.Input("x", {2}).Integers("i", {{2}, {1, -2}}).Output("y").Output("z");
  model.Node("Cast", {"x"}, {"half"}).Int("to", TensorProto::FLOAT16);
  model.Node("Cast", {"half"}, {"y"}).Int("to", TensorProto::FLOAT).Int("saturate", 1);
  model.Node("Cast", {"i"}, {"z"}).Int("to", TensorProto::FLOAT);
  EXPECT_EQ(model.Run({{{2}, {3, 4}}}),
            (std::vector<Tensor>{FloatTensor{{2}, {3, 4}}, FloatTensor{{2}, {1, -2}}}));
}

TEST(ImportCast, Refusals) {
  const auto label = [](const std::string& data, int64_t to) {
    ModelBuilder model;
    model.Input("x", {2, 3}).Output("y").Node("ArgMax", {"x"}, {"index"});
    model.Node("Cast", {data}, {"y"}).Int("to", to);
    return model.ImportLabel();
  };
  EXPECT_EQ(label("index", TensorProto::INT32), "");
  EXPECT_EQ(label("index", TensorProto::FLOAT), "onnx_unsupported_operand");
  EXPECT_EQ(label("x", TensorProto::INT64), "onnx_unsupported_type");
  EXPECT_EQ(label("x", TensorProto::UINT8), "onnx_unsupported_type");
  EXPECT_EQ(label("x", 99), "onnx_unsupported_type");
  ModelBuilder missing;
  missing.Input("x", {2}).Output("y").Node("Cast", {"x"}, {"y"});
  EXPECT_EQ(missing.ImportLabel(), "onnx_malformed");
}

TEST(ImportGather, OnnxTooLarge_ManyNodesOverOneLargeList) {
  ModelBuilder model;
  model.Input("x", {1}).Integers("list", {{2}, {2, 3}}).Output("y39");
  model.Integers("indices", {{10000}, std::vector<int64_t>(10000, 1)});
  for (int i = 0; i < 40; ++i) model.Node("Gather", {"list", "indices"}, {"y" + std::to_string(i)});
  EXPECT_EQ(model.ImportLabel(), "onnx_too_large");
}

}  // namespace
}  // namespace tally::onnx
