#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

// y = op(a, b) of integer inputs [4].
std::vector<int64_t> OfTwo(const std::string& op, int type = TensorProto::INT64) {
  ModelBuilder model;
  model.IntegerInput("a", {4}, type).IntegerInput("b", {4}, type).Output("y");
  model.Node(op, {"a", "b"}, {"y"});
  const bool is_bool = type == TensorProto::BOOL;
  const std::vector<float> a = {0, 0, 1, is_bool ? 1.0f : 7}, b = {0, 1, 0, is_bool ? 1.0f : 7};
  return std::get<Int64Tensor>(model.Run({{{4}, a}, {{4}, b}}).at(0)).data;
}

TEST(ImportLogic, ComparesIntegers) {
  EXPECT_EQ(OfTwo("Equal"), (std::vector<int64_t>{1, 0, 0, 1}));
  EXPECT_EQ(OfTwo("Less"), (std::vector<int64_t>{0, 1, 0, 0}));
  EXPECT_EQ(OfTwo("LessOrEqual", TensorProto::INT32), (std::vector<int64_t>{1, 1, 0, 1}));
  EXPECT_EQ(OfTwo("Greater"), (std::vector<int64_t>{0, 0, 1, 0}));
  EXPECT_EQ(OfTwo("GreaterOrEqual"), (std::vector<int64_t>{1, 0, 1, 1}));
}

TEST(ImportLogic, CombinesFlags) {
  EXPECT_EQ(OfTwo("And", TensorProto::BOOL), (std::vector<int64_t>{0, 0, 0, 1}));
  EXPECT_EQ(OfTwo("Or", TensorProto::BOOL), (std::vector<int64_t>{0, 1, 1, 1}));
  EXPECT_EQ(OfTwo("Xor", TensorProto::BOOL), (std::vector<int64_t>{0, 1, 1, 0}));
}

TEST(ImportLogic, ComputesWithIntegers) {
  EXPECT_EQ(OfTwo("Add"), (std::vector<int64_t>{0, 1, 1, 14}));
  EXPECT_EQ(OfTwo("Sub"), (std::vector<int64_t>{0, -1, 1, 0}));
  EXPECT_EQ(OfTwo("Mul"), (std::vector<int64_t>{0, 0, 0, 49}));
  EXPECT_EQ(OfTwo("Max"), (std::vector<int64_t>{0, 1, 1, 7}));
  EXPECT_EQ(OfTwo("Min"), (std::vector<int64_t>{0, 0, 0, 7}));
}

TEST(ImportNot, InvertsFlags) {
  ModelBuilder model;
  model.IntegerInput("x", {3}, TensorProto::BOOL).Output("y");
  model.Node("Not", {"x"}, {"y"});
  EXPECT_EQ(model.Run({{{3}, {0, 1, 1}}}).at(0), Tensor(Int64Tensor{{3}, {1, 0, 0}}));
}

TEST(ImportLogic, ABooleanInputIsAFlag) {
  ModelBuilder model;
  model.IntegerInput("x", {3}, TensorProto::BOOL).IntegerInput("ids", {3}).Output("y");
  model.Node("Add", {"x", "ids"}, {"y"});
  const quant::Graph graph = *model.Import();
  EXPECT_EQ(graph.values[graph.inputs[0]].interval, (Interval{0, 1}));
  EXPECT_EQ(graph.values[graph.inputs[1]].interval, std::nullopt);
}

TEST(ImportLogic, RefusesOtherTypesOfInputs) {
  for (const int type : {TensorProto::STRING, TensorProto::UINT8, TensorProto::COMPLEX64}) {
    ModelBuilder model;
    model.IntegerInput("x", {3}, type).Output("y");
    model.Node("Not", {"x"}, {"y"});
    EXPECT_EQ(model.ImportLabel(), "model_unsupported_type") << type;
  }
}

TEST(ImportLogic, RefusesToMixIntegersAndFloats) {
  for (const char* op : {"Equal", "Add", "Max"}) {
    ModelBuilder model;
    model.IntegerInput("a", {3}).Input("b", {3}).Output("y");
    model.Node(op, {"a", "b"}, {"y"});
    EXPECT_EQ(model.ImportLabel(), "model_unsupported_type") << op;
  }
}

TEST(ImportWhere, ChoosesFloatsAndIntegers) {
  ModelBuilder model;
  model.IntegerInput("c", {2, 1}, TensorProto::BOOL).Input("x", {3}).Output("y");
  model.Weight("zero", {{}, {0}});
  model.Node("Where", {"c", "x", "zero"}, {"y"});
  EXPECT_EQ(model.Run({{{2, 1}, {1, 0}}, {{3}, {5, 6, 7}}}).at(0),
            Tensor(FloatTensor{{2, 3}, {5, 6, 7, 0, 0, 0}}));
}

TEST(ImportWhere, ANegativeInfinityBecomesTheLeastFloat) {
  ModelBuilder model;
  model.IntegerInput("c", {2}, TensorProto::BOOL).Input("x", {2}).Output("y");
  model.Weight("least", {{}, {-std::numeric_limits<float>::infinity()}});
  model.Node("Where", {"c", "least", "x"}, {"y"});
  EXPECT_EQ(model.Run({{{2}, {1, 0}}, {{2}, {5, 6}}}).at(0),
            Tensor(FloatTensor{{2}, {std::numeric_limits<float>::lowest(), 6}}));
}

TEST(ImportCast, IntegersBecomeFloatsAndFlags) {
  ModelBuilder model;
  model.IntegerInput("x", {3}).Output("floats").Output("flags").Output("same");
  model.Node("Cast", {"x"}, {"floats"}).Int("to", TensorProto::FLOAT16);
  model.Node("Cast", {"x"}, {"flags"}).Int("to", TensorProto::BOOL);
  model.Node("Cast", {"x"}, {"same"}).Int("to", TensorProto::INT32);
  const std::vector<Tensor> y = model.Run({{{3}, {-2, 0, 9}}});
  EXPECT_EQ(y.at(0), Tensor(FloatTensor{{3}, {-2, 0, 9}}));
  EXPECT_EQ(y.at(1), Tensor(Int64Tensor{{3}, {1, 0, 1}}));
  EXPECT_EQ(y.at(2), Tensor(Int64Tensor{{3}, {-2, 0, 9}}));
}

TEST(ImportCast, FloatsBecomeFlagsAndIntegers) {
  ModelBuilder model;
  model.Input("x", {3}).Output("flags").Output("integers");
  model.Node("Cast", {"x"}, {"flags"}).Int("to", TensorProto::BOOL);
  model.Node("Cast", {"x"}, {"integers"}).Int("to", TensorProto::INT64);
  const std::vector<Tensor> y = model.Run({{{3}, {-1.5f, 0, 9.75f}}});
  EXPECT_EQ(y.at(0), Tensor(Int64Tensor{{3}, {1, 0, 1}}));
  EXPECT_EQ(y.at(1), Tensor(Int64Tensor{{3}, {-1, 0, 9}}));
}

TEST(ImportCumSum, OfIntegersInBothDirections) {
  ModelBuilder model;
  model.IntegerInput("x", {1, 4}).Output("y").Output("z");
  model.Integers("axis", {{}, {-1}});
  model.Node("CumSum", {"x", "axis"}, {"y"});
  model.Node("CumSum", {"x", "axis"}, {"z"}).Int("exclusive", 1).Int("reverse", 1);
  const std::vector<Tensor> y = model.Run({{{1, 4}, {1, 1, 0, 1}}});
  EXPECT_EQ(y.at(0), Tensor(Int64Tensor{{1, 4}, {1, 2, 2, 3}}));
  EXPECT_EQ(y.at(1), Tensor(Int64Tensor{{1, 4}, {2, 1, 1, 0}}));
}

TEST(ImportTrilu, KeepsATriangle) {
  ModelBuilder model(14);
  model.Input("x", {2, 3}).Output("upper").Output("lower");
  model.Integers("k", {{}, {-1}});
  model.Node("Trilu", {"x"}, {"upper"});
  model.Node("Trilu", {"x", "k"}, {"lower"}).Int("upper", 0);
  const std::vector<Tensor> y = model.Run({{{2, 3}, {1, 2, 3, 4, 5, 6}}});
  EXPECT_EQ(y.at(0), Tensor(FloatTensor{{2, 3}, {1, 2, 3, 0, 5, 6}}));
  EXPECT_EQ(y.at(1), Tensor(FloatTensor{{2, 3}, {0, 0, 0, 4, 0, 0}}));
}

// How exporters make the triangle of a decoder.
TEST(ImportTrilu, OfConstantsIsAConstant) {
  ModelBuilder model(14);
  model.Input("x", {2, 2}).Output("y");
  model.Integers("shape", {{2}, {2, 2}});
  model.Node("ConstantOfShape", {"shape"}, {"full"}).Tensor("value", FloatTensor{{1}, {-1e4f}});
  model.Integers("one", {{}, {1}});
  model.Node("Trilu", {"full", "one"}, {"triangle"});
  model.Node("Add", {"x", "triangle"}, {"y"});
  EXPECT_EQ(OpsOf(*model.Import()), "Add");
  EXPECT_EQ(model.Run({{{2, 2}, {0, 0, 0, 0}}}).at(0), Tensor(FloatTensor{{2, 2}, {0, -1e4f, 0, 0}}));
}

// A line of 3 for each index; -1 is the last position, and 5 none.
TEST(ImportLogic, OneHotOfComputedIndices) {
  const auto lines = [](int64_t opset, int64_t axis) {
    ModelBuilder model(opset);
    model.IntegerInput("x", {4})
        .Output("y")
        .Integers("depth", {{1}, {3}})
        .Weight("values", {{2}, {-1, 2.5f}});
    model.Node("OneHot", {"x", "depth", "values"}, {"y"}).Int("axis", axis);
    return model.Run({{{4}, {0, -1, 5, 1}}}).at(0);
  };
  EXPECT_EQ(lines(11, -1),
            Tensor(FloatTensor{{4, 3}, {2.5f, -1, -1, -1, -1, 2.5f, -1, -1, -1, -1, 2.5f, -1}}));
  EXPECT_EQ(lines(11, 0),
            Tensor(FloatTensor{{3, 4}, {2.5f, -1, -1, -1, -1, -1, -1, 2.5f, -1, 2.5f, -1, -1}}));
  // Before opset 11 no index counts from the back.
  EXPECT_EQ(lines(9, -1), Tensor(FloatTensor{{4, 3}, {2.5f, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2.5f, -1}}));
}

TEST(ImportLogic, OneHotRefusesWhatIsOpen) {
  const auto label = [](const Tensor& values, int64_t depth) {
    ModelBuilder model(11);
    model.IntegerInput("x", {4}).Input("open", {2}).Output("y").Integers("depth", {{1}, {depth}});
    model.Node("Constant", {}, {"values"}).Tensor("value", values);
    model.Node("OneHot", {"x", "depth", "values"}, {"y"});
    return model.ImportLabel();
  };
  EXPECT_EQ(label(Int64Tensor{{2}, {0, 1}}, 3), "");
  EXPECT_EQ(label(Int64Tensor{{2}, {0, 1}}, 0), "model_shape");
  EXPECT_EQ(label(Int64Tensor{{2}, {0, 1}}, int64_t{1} << 60), "model_too_large");
  EXPECT_EQ(label(Int64Tensor{{3}, {0, 1, 2}}, 3), "model_shape");
}

}  // namespace
}  // namespace tally::onnx
