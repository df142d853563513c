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
  EXPECT_EQ(text.ImportLabel(), "model_unsupported_attribute");
  ModelBuilder nothing;
  nothing.Input("x", {1}).Output("y").Node("Constant", {}, {"y"});
  EXPECT_EQ(nothing.ImportLabel(), "model_malformed");
  ModelBuilder two;
  two.Input("x", {1}).Output("y").Node("Constant", {}, {"y"}).Float("value_float", 1).Int("value_int", 1);
  EXPECT_EQ(two.ImportLabel(), "model_malformed");
  ModelBuilder type;
  type.Input("x", {1}).Output("y").Node("Constant", {}, {"y"}).String("value_int", "1");
  EXPECT_EQ(type.ImportLabel(), "model_malformed");
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
  EXPECT_EQ(label("list", "two", 0), "model_malformed");
  EXPECT_EQ(label("list", "one", 1), "model_malformed");
  EXPECT_EQ(label("x", "one", -1), "");
  EXPECT_EQ(label("x", "two", 0), "model_malformed");
  EXPECT_EQ(label("x", "x", 0), "model_unsupported_type");
}

TEST(ImportGather, SelectsFromValuesAndFromTables) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Output("z").Integers("i", {{2}, {-1, 0}});
  model.Weight("table", {{3, 2}, {0, 1, 10, 11, 20, 21}});
  model.Node("Gather", {"x", "i"}, {"y"}).Int("axis", 1);
  model.Node("Gather", {"table", "i"}, {"z"});
  EXPECT_EQ(OpsOf(*model.Import()), "Gather");  // a selection from a table is a constant
  EXPECT_EQ(model.Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}}),
            (std::vector<Tensor>{FloatTensor{{2, 2}, {3, 1, 6, 4}}, FloatTensor{{2, 2}, {20, 21, 0, 1}}}));
}

TEST(ImportConstantOfShape, FillsAShape) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Output("y").Output("z").Node("Shape", {"x"}, {"shape"});
  model.Node("ConstantOfShape", {"shape"}, {"y"}).Tensor("value", FloatTensor{{1}, {7}});
  model.Integers("scalar", {{0}, {}}).Node("ConstantOfShape", {"scalar"}, {"z"});
  EXPECT_EQ(model.Run({SmallIntegers({2, 3}, 1)}),
            (std::vector<Tensor>{FloatTensor{{2, 3}, {7, 7, 7, 7, 7, 7}}, FloatTensor{{}, {0}}}));
}

TEST(ImportConstantOfShape, OnnxTooLarge_AndOtherRefusals) {
  const auto label = [](const std::vector<int64_t>& shape, const Tensor& value) {
    ModelBuilder model;
    model.Input("x", {1}).Output("y").Integers("shape", {{static_cast<int64_t>(shape.size())}, shape});
    model.Node("ConstantOfShape", {"shape"}, {"y"}).Tensor("value", value);
    return model.ImportLabel();
  };
  EXPECT_EQ(label({1000, 1000}, FloatTensor{{1}, {7}}), "");
  EXPECT_EQ(label({1 << 15, 1 << 14}, FloatTensor{{1}, {7}}), "model_too_large");
  EXPECT_EQ(label({2, -1}, FloatTensor{{1}, {7}}), "model_shape");
  EXPECT_EQ(label({0}, FloatTensor{{1}, {7}}), "model_shape");  // nothing, and an output needs something
  EXPECT_EQ(label({2}, FloatTensor{{2}, {7, 8}}), "model_malformed");
}

TEST(ImportRange, CountsUpAndDown) {
  const auto range = [](const Tensor& start, const Tensor& limit, const Tensor& delta) {
    ModelBuilder model;
    model.Input("x", {1}).Output("y");
    const Tensor* const inputs[] = {&start, &limit, &delta};
    for (int i = 0; i < 3; ++i) {
      const std::string name = "c" + std::to_string(i);
      if (const auto* floats = std::get_if<FloatTensor>(inputs[i]))
        model.Weight(name, *floats);
      else
        model.Integers(name, std::get<Int64Tensor>(*inputs[i]));
    }
    model.Node("Range", {"c0", "c1", "c2"}, {"y"});
    return std::pair(model.ImportLabel(),
                     model.ImportLabel().empty() ? model.Run({{{1}, {0}}}).at(0) : start);
  };
  const auto scalar = [](int64_t value) { return Tensor(Int64Tensor{{}, {value}}); };
  EXPECT_EQ(range(scalar(1), scalar(6), scalar(2)).second, Tensor(Int64Tensor{{3}, {1, 3, 5}}));
  EXPECT_EQ(range(scalar(10), scalar(6), scalar(-3)).second, Tensor(Int64Tensor{{2}, {10, 7}}));
  EXPECT_EQ(range(FloatTensor{{}, {0}}, FloatTensor{{}, {1}}, FloatTensor{{}, {0.5f}}).second,
            Tensor(FloatTensor{{2}, {0, 0.5f}}));
  EXPECT_EQ(range(scalar(1), scalar(6), scalar(0)).first, "model_too_large");
  EXPECT_EQ(range(scalar(0), scalar(int64_t{1} << 40), scalar(1)).first, "model_too_large");
  EXPECT_EQ(range(scalar(0), FloatTensor{{}, {1}}, scalar(1)).first, "model_unsupported_type");
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

// Integers of 8 and 16 bits wrap; reals lose their fraction. A graph input of bytes may be looked up.
TEST(ImportCast, ToNarrowIntegers) {
  const auto cast = [](int to, std::vector<float> values, bool from_integers) {
    ModelBuilder model;
    const quant::Shape shape = {static_cast<int64_t>(values.size())};
    if (from_integers) {
      model.IntegerInput("x", shape);
    } else {
      model.Input("x", shape);
    }
    model.Output("y");
    model.Node("Cast", {"x"}, {"n"}).Int("to", to);
    model.Node("Cast", {"n"}, {"y"}).Int("to", TensorProto::FLOAT);
    return std::get<FloatTensor>(model.Run({{shape, values}}).at(0)).data;
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(cast(TensorProto::UINT8, {0, 255, 256, -1, 300}, true), (Floats{0, 255, 0, 255, 44}));
  EXPECT_EQ(cast(TensorProto::INT8, {0, 127, 128, -129, 300}, true), (Floats{0, 127, -128, 127, 44}));
  EXPECT_EQ(cast(TensorProto::INT16, {40000}, true), (Floats{40000 - 65536}));
  EXPECT_EQ(cast(TensorProto::UINT8, {1.75f, 0.5f, 254.9f}, false), (Floats{1, 0, 254}));
  ModelBuilder bytes;
  bytes.IntegerInput("ids", {3}, TensorProto::UINT8).Weight("table", {{4, 1}, {10, 11, 12, 13}}).Output("y");
  bytes.Node("Cast", {"ids"}, {"places"}).Int("to", TensorProto::INT64);
  bytes.Node("Gather", {"table", "places"}, {"y"});
  EXPECT_EQ(std::get<FloatTensor>(bytes.Run({{{3}, {3, 0, 2}}}).at(0)).data, (Floats{13, 10, 12}));
}

TEST(ImportCast, OfConstantsDropsFractions) {
  ModelBuilder model;
  model.Input("x", {1}).Weight("f", {{3}, {1.9f, -1.9f, 0}}).Output("y").Output("z");
  model.Node("Cast", {"f"}, {"y"}).Int("to", TensorProto::INT64);
  model.Node("Cast", {"f"}, {"z"}).Int("to", TensorProto::BOOL);
  EXPECT_EQ(model.Run({{{1}, {0}}}),
            (std::vector<Tensor>{Int64Tensor{{3}, {1, -1, 0}}, Int64Tensor{{3}, {1, 1, 0}}}));
  ModelBuilder large;
  large.Input("x", {1}).Weight("f", {{1}, {1e30f}}).Output("y").Node("Cast", {"f"}, {"y"}).Int("to", 7);
  EXPECT_EQ(large.ImportLabel(), "model_unsupported_operand");
}

TEST(ImportCast, Refusals) {
  const auto label = [](const std::string& data, int64_t to) {
    ModelBuilder model;
    model.Input("x", {2, 3}).Output("y").Node("ArgMax", {"x"}, {"index"});
    model.Node("Cast", {data}, {"y"}).Int("to", to);
    return model.ImportLabel();
  };
  EXPECT_EQ(label("index", TensorProto::INT32), "");
  EXPECT_EQ(label("index", TensorProto::FLOAT), "");
  EXPECT_EQ(label("x", TensorProto::INT64), "");
  EXPECT_EQ(label("x", 99), "model_unsupported_type");
  ModelBuilder missing;
  missing.Input("x", {2}).Output("y").Node("Cast", {"x"}, {"y"});
  EXPECT_EQ(missing.ImportLabel(), "model_malformed");
}

TEST(ImportGather, OnnxTooLarge_ManyNodesOverOneLargeList) {
  ModelBuilder model;
  model.Input("x", {1}).Integers("list", {{2}, {2, 3}}).Output("y39");
  model.Integers("indices", {{10000}, std::vector<int64_t>(10000, 1)});
  for (int i = 0; i < 40; ++i) model.Node("Gather", {"list", "indices"}, {"y" + std::to_string(i)});
  EXPECT_EQ(model.ImportLabel(), "model_too_large");
}

}  // namespace
}  // namespace tally::onnx
