#include "frontends/onnx/exact/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/exact/testing/exact_runner.h"
#include "frontends/onnx/exact/testing/graph_parts.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using ::testing::ElementsAre;

// An int64 argument of rank 1, or a scalar for one value; wide so that nothing about it is known.
ExactArgument Ints(const std::vector<int64_t>& values, Interval interval = {-100, 100}) {
  const Shape shape = values.size() == 1 ? Shape() : *Shape::Create({static_cast<int64_t>(values.size())});
  return {
      .tensor = *Tensor::FromValues(shape, values), .data_type = TensorProto::INT64, .interval = interval};
}

ExactArgument Truth(bool value) {
  ExactArgument truth = Ints({value ? 1 : 0}, {0, 1});
  truth.data_type = TensorProto::BOOL;
  return truth;
}

// The elements of the first result on both engines, or the label of the error.
struct Ran {
  std::vector<int64_t> elements;
  std::string label;
};

Ran ResultOf(const GraphProto& graph, const std::vector<std::optional<ExactArgument>>& arguments,
             size_t result = 0) {
  const auto run = RunExactly(graph, 13, arguments);
  if (!run.ok()) return {{}, ErrorLabel(run.status())};
  Ran ran;
  const auto &formal = run->results.at("formal")[result], &reference = run->results.at("reference")[result];
  EXPECT_EQ(formal.has_value(), reference.has_value());
  if (!formal) return ran;
  EXPECT_TRUE(SameValues(formal->view(), reference->view()));
  for (int64_t i = 0; i < formal->shape().num_elements(); ++i) ran.elements.push_back(formal->view().at(i));
  return ran;
}

GraphProto IfGraph(const NodeProto& then_node, const NodeProto& else_node) {
  return Graph({"condition", "x"},
               {Node("If", {"condition"}, {"y"},
                     {Body("then_branch", Graph({}, {then_node}, {"branch"})),
                      Body("else_branch", Graph({}, {else_node}, {"branch"}))})},
               {"y"});
}

GraphProto DoubledOrNegated() {
  return IfGraph(Node("Add", {"x", "x"}, {"branch"}), Node("Neg", {"x"}, {"branch"}));
}

TEST(ExactGraph, WithoutAxesEveryAxisOfOneElementIsSqueezed) {
  const GraphProto graph = Graph({"x"}, {Node("Squeeze", {"x"}, {"y"})}, {"y"});
  const auto rank_of = [&](std::initializer_list<int64_t> dims) {
    const ExactArgument x = {.tensor = Tensor(*Shape::Create(dims), Storage::kI8),
                             .data_type = TensorProto::INT64};
    const auto run = RunExactly(graph, 13, {x});
    return run.ok() ? run->results.at("reference")[0]->shape().rank() : -1;
  };
  EXPECT_EQ(rank_of({1, 1}), 0);  // a scalar
  EXPECT_EQ(rank_of({1, 3, 1}), 1);
  EXPECT_EQ(rank_of({2, 3}), 2);
}

TEST(ExactIf, TakesTheBranchThatTheDataChoose) {
  EXPECT_THAT(ResultOf(DoubledOrNegated(), {Truth(true), Ints({3, -4})}).elements, ElementsAre(6, -8));
  EXPECT_THAT(ResultOf(DoubledOrNegated(), {Truth(false), Ints({3, -4})}).elements, ElementsAre(-3, 4));
}

TEST(ExactIf, FollowsAKnownCondition) {
  ExactArgument known = Truth(false);
  known.is_constant = true;
  const auto run = RunExactly(DoubledOrNegated(), 13, {known, Ints({3, -4})});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->results.at("formal")[0]->view().at(1), 4);
}

TEST(ExactIf, RefusesAShapeThatDependsOnTheData) {
  const GraphProto graph = IfGraph(Node("Identity", {"x"}, {"branch"}), Node("Size", {"x"}, {"branch"}));
  EXPECT_EQ(ResultOf(graph, {Truth(true), Ints({3, -4})}).label, "model_shape");
}

// s += i while s < 10, and the stack of all s.
GraphProto SumToTen() {
  return Graph(
      {"trips", "x"},
      {Node("Loop", {"trips", "", "x"}, {"y", "stack"},
            {Body("body", Graph({"i", "go_on", "s"},
                                {Node("Constant", {}, {"ten"}, {Int("value_int", 10)}),
                                 Node("Add", {"s", "i"}, {"sum"}), Node("Less", {"sum", "ten"}, {"more"}),
                                 Node("Identity", {"sum"}, {"row"})},
                                {"more", "sum", "row"}))})},
      {"y", "stack"});
}

TEST(ExactLoop, EndsWhereTheDataSay) {
  const ExactArgument trips = {
      .tensor = *Tensor::FromValues(Shape(), {8}), .data_type = TensorProto::INT64, .is_constant = true};
  EXPECT_THAT(ResultOf(SumToTen(), {trips, Ints({0})}).elements, ElementsAre(10));
  EXPECT_THAT(ResultOf(SumToTen(), {trips, Ints({0})}, 1).elements, ElementsAre(0, 1, 3, 6, 10));
  EXPECT_THAT(ResultOf(SumToTen(), {trips, Ints({50})}, 1).elements, ElementsAre(50));
  EXPECT_THAT(ResultOf(SumToTen(), {trips, Ints({-100})}).elements, ElementsAre(-72));
}

TEST(ExactLoop, CountsAsManyTripsAsTheDataSay) {
  EXPECT_THAT(ResultOf(SumToTen(), {Ints({3}, {0, 6}), Ints({0})}).elements, ElementsAre(3));
  EXPECT_THAT(ResultOf(SumToTen(), {Ints({3}, {0, 6}), Ints({0})}, 1).elements, ElementsAre(0, 1, 3));
  EXPECT_THAT(ResultOf(SumToTen(), {Ints({0}, {0, 6}), Ints({7})}).elements, ElementsAre(7));
  EXPECT_THAT(ResultOf(SumToTen(), {Ints({0}, {0, 6}), Ints({7})}, 1).elements, ElementsAre());
}

// A body of nothing that ends after as many trips as `trips` says, or never.
GraphProto Idle(const std::string& trips) {
  return Graph(
      {"n", "x"},
      {Node("Loop", {trips, "", "x"}, {"y"}, {Body("body", Graph({"i", "go_on", "s"}, {}, {"go_on", "s"}))})},
      {"y"});
}

TEST(ExactLoop, RefusesToImportForEver) {
  const ExactArgument many = Ints({3}, {0, int64_t{1} << 40});
  EXPECT_EQ(ResultOf(Idle(""), {many, Ints({3})}).label, "model_too_large");
  EXPECT_EQ(ResultOf(Idle("n"), {many, Ints({3})}).label, "model_too_large");
}

TEST(ExactGraph, RefusesGraphsInGraphsWithoutEnd) {
  NodeProto node = Node("Identity", {"x"}, {"y"});
  for (int depth = 0; depth < 20; ++depth) {
    node = Node("If", {"c"}, {"y"},
                {Body("then_branch", Graph({}, {node}, {"y"})), Body("else_branch", Graph({}, {}, {"x"}))});
  }
  const GraphProto graph = Graph({"c", "x"}, {node}, {"y"});
  EXPECT_EQ(ResultOf(graph, {Truth(true), Ints({3})}).label, "model_too_large");
}

TEST(ExactScan, RunsBackwardsAndAlongAnyAxis) {
  const GraphProto body = Graph(
      {"s", "e"}, {Node("Add", {"s", "e"}, {"sum"}), Node("Identity", {"sum"}, {"row"})}, {"sum", "row"});
  const GraphProto scan = Graph({"zero", "x"},
                                {Node("Scan", {"zero", "x"}, {"last", "sums"},
                                      {Int("num_scan_inputs", 1), IntList("scan_input_directions", {1}),
                                       IntList("scan_output_directions", {1}), Body("body", body)})},
                                {"last", "sums"});
  EXPECT_THAT(ResultOf(scan, {Ints({0}), Ints({1, 2, 3})}).elements, ElementsAre(6));
  EXPECT_THAT(ResultOf(scan, {Ints({0}), Ints({1, 2, 3})}, 1).elements, ElementsAre(6, 5, 3));
}

GraphProto NonZero() { return Graph({"x"}, {Node("NonZero", {"x"}, {"y"})}, {"y"}); }

TEST(ExactCount, SaysHowMuchOfAResultIsMeant) {
  EXPECT_THAT(ResultOf(NonZero(), {Ints({0, 5, 0, 7})}).elements, ElementsAre(1, 3));
}

TEST(ExactCount, ThatIsTheSameForAllDataCutsTheResult) {
  const auto run = RunExactly(NonZero(), 13, {Ints({4, 5, 6}, {1, 9})});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_FALSE(run->facts[0].count.has_value());
}

TEST(ExactCount, RefusesToReadThePadding) {
  const GraphProto graph =
      Graph({"x"}, {Node("NonZero", {"x"}, {"y"}), Node("ReduceSum", {"y"}, {"z"})}, {"z"});
  EXPECT_EQ(ResultOf(graph, {Ints({0, 5, 0, 7})}).label, "model_unsupported_operand");
}

TEST(ExactGraph, ComputesAxesAndSizesThatTheGraphComputes) {
  // Reshape to [n / 2, 2], n from Shape.
  const GraphProto graph = Graph(
      {"x"},
      {Node("Shape", {"x"}, {"n"}), Node("Constant", {}, {"two"}, {Int("value_int", 2)}),
       Node("Div", {"n", "two"}, {"half"}), Node("Constant", {}, {"pair"}, {IntList("value_ints", {2})}),
       Node("Concat", {"half", "pair"}, {"shape"}, {Int("axis", 0)}), Node("Reshape", {"x", "shape"}, {"y"}),
       Node("Transpose", {"y"}, {"z"})},
      {"z"});
  EXPECT_THAT(ResultOf(graph, {Ints({1, 2, 3, 4})}).elements, ElementsAre(1, 3, 2, 4));
}

}  // namespace
}  // namespace tally::onnx
