#include <gtest/gtest.h>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

void Add(ModelBuilder& model, const std::string& name, const Tensor& tensor) {
  if (const auto* floats = std::get_if<FloatTensor>(&tensor)) {
    model.Weight(name, *floats);
  } else {
    model.Integers(name, std::get<Int64Tensor>(tensor));
  }
}

// The label of a refusal, or the graph's only output, which no node computes.
struct Result {
  std::string label;
  Tensor tensor;
};
Result Compute(const std::string& op, const std::vector<Tensor>& operands) {
  ModelBuilder model(13);
  model.Input("x", {1}).Output("y");
  std::vector<std::string> names;
  for (size_t i = 0; i < operands.size(); ++i) {
    names.push_back("c" + std::to_string(i));
    Add(model, names.back(), operands[i]);
  }
  model.Node(op, names, {"y"});
  Result result = {model.ImportLabel(), {}};
  if (result.label.empty()) result.tensor = model.Run({{{1}, {0}}}).at(0);
  return result;
}

Tensor I(std::vector<int64_t> list) { return Int64Tensor{{static_cast<int64_t>(list.size())}, list}; }
Tensor F(std::vector<float> list) { return FloatTensor{{static_cast<int64_t>(list.size())}, list}; }

TEST(ImportFolding, Arithmetic) {
  const Tensor a = I({7, -7, 5}), b = I({2});
  EXPECT_EQ(Compute("Add", {a, b}).tensor, I({9, -5, 7}));
  EXPECT_EQ(Compute("Sub", {a, b}).tensor, I({5, -9, 3}));
  EXPECT_EQ(Compute("Mul", {a, b}).tensor, I({14, -14, 10}));
  EXPECT_EQ(Compute("Div", {a, b}).tensor, I({3, -3, 2}));
  EXPECT_EQ(Compute("Mod", {a, b}).tensor, I({1, 1, 1}));
  EXPECT_EQ(Compute("Mod", {I({7, -7}), I({-3})}).tensor, I({-2, -1}));
  EXPECT_EQ(Compute("Max", {a, b, I({6, 0, 0})}).tensor, I({7, 2, 5}));
  EXPECT_EQ(Compute("Min", {a}).tensor, a);
  EXPECT_EQ(Compute("Div", {F({7, -7}), F({2})}).tensor, F({3.5f, -3.5f}));
  EXPECT_EQ(Compute("Add", {Int64Tensor{{2, 1}, {1, 2}}, I({10, 20})}).tensor,
            Tensor(Int64Tensor{{2, 2}, {11, 21, 12, 22}}));
  EXPECT_EQ(Compute("Neg", {a}).tensor, I({-7, 7, -5}));
  EXPECT_EQ(Compute("Abs", {a}).tensor, I({7, 7, 5}));
  EXPECT_EQ(Compute("Floor", {F({1.5f, -1.5f})}).tensor, F({1, -2}));
  EXPECT_EQ(Compute("Ceil", {F({1.5f, -1.5f})}).tensor, F({2, -1}));
  EXPECT_EQ(Compute("Sqrt", {F({4})}).tensor, F({2}));
}

TEST(ImportFolding, ComparisonsAndChoices) {
  const Tensor a = I({1, 2, 3}), b = I({2});
  EXPECT_EQ(Compute("Equal", {a, b}).tensor, I({0, 1, 0}));
  EXPECT_EQ(Compute("Less", {a, b}).tensor, I({1, 0, 0}));
  EXPECT_EQ(Compute("LessOrEqual", {a, b}).tensor, I({1, 1, 0}));
  EXPECT_EQ(Compute("Greater", {F({1, 3}), F({2})}).tensor, I({0, 1}));
  EXPECT_EQ(Compute("GreaterOrEqual", {a, b}).tensor, I({0, 1, 1}));
  EXPECT_EQ(Compute("And", {I({0, 1}), I({1})}).tensor, I({0, 1}));
  EXPECT_EQ(Compute("Or", {I({0, 1}), I({0})}).tensor, I({0, 1}));
  EXPECT_EQ(Compute("Not", {I({0, 1})}).tensor, I({1, 0}));
  EXPECT_EQ(Compute("Where", {I({1, 0, 1}), I({-1}), a}).tensor, I({-1, 2, -1}));
  EXPECT_EQ(Compute("Where", {I({1, 0}), F({1, 2}), F({3, 4})}).tensor, F({1, 4}));
  EXPECT_EQ(Compute("NonZero", {Int64Tensor{{2, 2}, {0, 5, 6, 0}}}).tensor,
            Tensor(Int64Tensor{{2, 2}, {0, 1, 1, 0}}));
}

TEST(ImportFolding, Reductions) {
  const Tensor x = Int64Tensor{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(Compute("ReduceProd", {x}).tensor, Tensor(Int64Tensor{{1, 1}, {720}}));
  EXPECT_EQ(Compute("ReduceSum", {x, I({1})}).tensor, Tensor(Int64Tensor{{2, 1}, {6, 15}}));
  EXPECT_EQ(Compute("ReduceMax", {x}).tensor, Tensor(Int64Tensor{{1, 1}, {6}}));
  EXPECT_EQ(Compute("ReduceMin", {x}).tensor, Tensor(Int64Tensor{{1, 1}, {1}}));
  ModelBuilder model(13);
  model.Input("x", {4, 5, 6}).Output("y").Node("Shape", {"x"}, {"shape"});
  model.Node("ReduceProd", {"shape"}, {"size"}).Ints("axes", {-1}).Int("keepdims", 0);
  model.Node("Range", {"zero", "size", "step"}, {"y"});
  model.Integers("zero", {{}, {0}}).Integers("step", {{}, {50}});
  EXPECT_EQ(model.Run({SmallIntegers({4, 5, 6}, 1)}).at(0), I({0, 50, 100}));
}

TEST(ImportFolding, Refusals) {
  EXPECT_EQ(Compute("Div", {I({1}), I({0})}).label, "model_malformed");
  EXPECT_EQ(Compute("Add", {I({INT64_MAX}), I({1})}).label, "model_unsupported_operand");
  EXPECT_EQ(Compute("Div", {I({INT64_MIN}), I({-1})}).label, "model_unsupported_operand");
  EXPECT_EQ(Compute("ReduceProd", {I({INT64_MAX / 2, 5})}).label, "model_unsupported_operand");
  EXPECT_EQ(Compute("ReduceSum", {I({INT64_MAX, 5})}).label, "model_unsupported_operand");
  EXPECT_EQ(Compute("Neg", {I({INT64_MIN})}).label, "model_unsupported_operand");
  EXPECT_EQ(Compute("Sqrt", {I({4})}).label, "model_unsupported_type");
  EXPECT_EQ(Compute("Add", {I({1}), F({1})}).label, "model_unsupported_type");
  EXPECT_EQ(Compute("Add", {I({1, 2}), I({1, 2, 3})}).label, "model_shape");
  EXPECT_EQ(Compute("Add", {I({1})}).label, "model_malformed");
  EXPECT_EQ(Compute("Where", {F({1}), I({1}), I({2})}).label, "model_unsupported_type");
}

TEST(ImportFolding, OnnxTooLarge_OuterSumsOfSmallLists) {
  const std::vector<float> many(1000, 1);
  EXPECT_EQ(Compute("Add", {FloatTensor{{1000, 1}, many}, FloatTensor{{1, 1000}, many}}).label,
            "model_too_large");
}

// How PyTorch writes expand(-1, 3, -1): where the wanted size is -1, it is that of x.
TEST(ImportFolding, ExpandWithSizesThatStay) {
  ModelBuilder model(13);
  model.Input("x", {2, 1, 4}).Output("y").Integers("wanted", {{3}, {-1, 3, -1}});
  model.Integers("three", {{1}, {3}}).Integers("minus", {{}, {-1}});
  model.Node("ConstantOfShape", {"three"}, {"ones"}).Tensor("value", Int64Tensor{{1}, {1}});
  model.Node("Mul", {"ones", "minus"}, {"open"});
  model.Node("Equal", {"wanted", "open"}, {"is_open"});
  model.Node("Where", {"is_open", "ones", "wanted"}, {"shape"});
  model.Node("Expand", {"x", "shape"}, {"y"});
  const auto graph = model.Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0].op, quant::Op(quant::Expand{{2, 3, 4}}));
}

}  // namespace
}  // namespace tally::onnx
