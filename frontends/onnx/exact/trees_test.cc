// Expected values are ONNX Runtime's, where a comment does not compute them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/tensor.h"
#include "frontends/onnx/exact/testing/exact_runner.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

void SetInts(NodeProto& node, const std::string& name, const std::vector<int64_t>& values) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute->add_ints(value);
}
void SetFloats(NodeProto& node, const std::string& name, const std::vector<float>& values) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute->add_floats(value);
}
void SetStrings(NodeProto& node, const std::string& name, const std::vector<std::string>& values) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) attribute->add_strings(value);
}
void SetString(NodeProto& node, const std::string& name, const std::string& value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::STRING);
  attribute->set_s(value);
}

NodeProto& AddNode(GraphProto& graph, const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  node.set_domain("ai.onnx.ml");
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) {
    node.add_output(output);
    graph.add_output()->set_name(output);
  }
  return node;
}

GraphProto WithInput(const std::string& name) {
  GraphProto graph;
  auto* input = graph.add_input();
  input->set_name(name);
  input->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  return graph;
}

// Two trees over two features. Tree 0: x0 <= 0.5 ? (x1 < 2 ? leaf 3 : leaf 4) : leaf 2; tree 7: x1 > -1.25 ?
// 1 : 2.
void SetTrees(NodeProto& node, const char* second_mode = "BRANCH_LT", const char* third_mode = "BRANCH_GT") {
  SetInts(node, "nodes_treeids", {0, 0, 0, 0, 0, 7, 7, 7});
  SetInts(node, "nodes_nodeids", {0, 1, 2, 3, 4, 0, 1, 2});
  SetInts(node, "nodes_featureids", {0, 1, 0, 0, 0, 1, 0, 0});
  SetFloats(node, "nodes_values", {0.5f, 2, 0, 0, 0, -1.25f, 0, 0});
  SetStrings(node, "nodes_modes",
             {"BRANCH_LEQ", second_mode, "LEAF", "LEAF", "LEAF", third_mode, "LEAF", "LEAF"});
  SetInts(node, "nodes_truenodeids", {1, 3, 0, 0, 0, 1, 0, 0});
  SetInts(node, "nodes_falsenodeids", {2, 4, 0, 0, 0, 2, 0, 0});
}

// Rows (x0, x1) with `bits` fraction bits.
std::optional<ExactArgument> Rows(const std::vector<int64_t>& numbers, int bits) {
  Tensor tensor(*Shape::Create({std::ssize(numbers) / 2, 2}), Storage::kI32);
  for (size_t i = 0; i < numbers.size(); ++i)
    StoreElement(Storage::kI32, tensor.mutable_bytes().data(), static_cast<int64_t>(i), numbers[i]);
  return ExactArgument{.tensor = tensor,
                       .fraction_bits = bits,
                       .data_type = TensorProto::FLOAT,
                       .interval = Interval{-64, 63}};
}

std::vector<int64_t> Elements(const ExactRun& run, size_t result) {
  std::vector<int64_t> elements;
  const TensorView view = run.results.at("formal")[result]->view();
  for (int64_t i = 0; i < view.shape.num_elements(); ++i) elements.push_back(view.at(i));
  return elements;
}

std::string LabelOf(const GraphProto& graph) {
  return ErrorLabel(RunExactly(graph, 13, {Rows({0, 0}, 1)}).status());
}

GraphProto Regressor() {
  GraphProto graph = WithInput("x");
  NodeProto& node = AddNode(graph, "TreeEnsembleRegressor", {"x"}, {"y"});
  SetTrees(node);
  SetInts(node, "target_treeids", {0, 0, 0, 7, 7});
  SetInts(node, "target_nodeids", {2, 3, 4, 1, 2});
  SetInts(node, "target_ids", {0, 0, 0, 0, 0});
  SetFloats(node, "target_weights", {1.5f, -2.25f, 10, 0.125f, 100});
  SetFloats(node, "base_values", {1000});
  return graph;
}

// In halves: thresholds 0.5, 2 and -1.25 are met, passed and between two halves.
TEST(ExactTrees, WalkToTheirLeaves) {
  const auto run = RunExactly(Regressor(), 13, {Rows({1, 3, 1, 4, 2, 4, 1, -2, 1, -3}, 1)});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->facts[0].fraction_bits, 3);
  // 0.5, 1.5: leaf 3, 1; 0.5, 2: leaf 4, 1; 1, 2: leaf 2, 1; 0.5, -1: 3, 1; 0.5, -1.5: 3, 2.
  EXPECT_EQ(Elements(*run, 0), (std::vector<int64_t>{7983, 8081, 8013, 7983, 8782}));
  for (const auto& [engine, results] : run->results) {
    for (int64_t i = 0; i < 5; ++i)
      EXPECT_EQ(results[0]->view().at(i), run->results.at("formal")[0]->view().at(i)) << engine;
  }
}

TEST(ExactTrees, ThresholdsAreExactForEveryFraction) {
  for (int bits = 0; bits < 5; ++bits) {
    for (const char* mode :
         {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}) {
      GraphProto graph = WithInput("x");
      NodeProto& node = AddNode(graph, "TreeEnsembleRegressor", {"x"}, {"y"});
      SetTrees(node, "BRANCH_LEQ", mode);
      SetInts(node, "target_treeids", {7});
      SetInts(node, "target_nodeids", {1});
      SetInts(node, "target_ids", {0});
      SetFloats(node, "target_weights", {1});
      for (int64_t x = -40; x < 40; ++x) {
        const double real = static_cast<double>(x) / (1 << bits), t = -1.25;
        const std::string m = mode;
        const bool expected = m == "BRANCH_LEQ"   ? real <= t
                              : m == "BRANCH_LT"  ? real < t
                              : m == "BRANCH_GTE" ? real >= t
                              : m == "BRANCH_GT"  ? real > t
                              : m == "BRANCH_EQ"  ? real == t
                                                  : real != t;
        const auto run = RunExactly(graph, 13, {Rows({0, x}, bits)});
        ASSERT_TRUE(run.ok()) << run.status();
        EXPECT_EQ(Elements(*run, 0)[0], expected ? 1 : 0) << mode << " " << real;
      }
    }
  }
}

// A node that asks for one value is the second of its tree, and one that asks for any other the first of the
// other.
TEST(ExactTrees, NodesThatAskForOneValueAreDeeper) {
  GraphProto graph = WithInput("x");
  NodeProto& node = AddNode(graph, "TreeEnsembleRegressor", {"x"}, {"y"});
  SetTrees(node, "BRANCH_EQ", "BRANCH_NEQ");
  SetInts(node, "target_treeids", {0, 0, 0, 7, 7});
  SetInts(node, "target_nodeids", {2, 3, 4, 1, 2});
  SetInts(node, "target_ids", {0, 0, 0, 0, 0});
  SetFloats(node, "target_weights", {100, 20, 30, 1, 2});
  const auto run = RunExactly(graph, 13, {Rows({2, 8, 2, 7, 2, 9, 3, 8, 2, -5}, 2)});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Elements(*run, 0), (std::vector<int64_t>{21, 31, 31, 101, 32}));
}

GraphProto Classifier(const std::vector<int64_t>& ids, const std::vector<float>& weights,
                      const std::string& transform = "NONE") {
  GraphProto graph = WithInput("x");
  NodeProto& node = AddNode(graph, "TreeEnsembleClassifier", {"x"}, {"label", "scores"});
  SetTrees(node);
  SetInts(node, "class_treeids", {0, 0, 0, 7, 7});
  SetInts(node, "class_nodeids", {2, 3, 4, 1, 2});
  SetInts(node, "class_ids", ids);
  SetFloats(node, "class_weights", weights);
  SetString(node, "post_transform", transform);
  return graph;
}

// Output 1 of a run, in its fraction bits, within a step or two of scores of 2^-11.
void ExpectProbabilities(const ExactRun& run, const std::vector<float>& wanted) {
  const std::vector<int64_t> got = Elements(run, 1);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(std::ldexp(static_cast<double>(got[i]), -run.facts[1].fraction_bits), wanted[i], 1e-3) << i;
}

TEST(ExactTrees, ClassesAreThoseOfTheLargestScore) {
  GraphProto graph = Classifier({0, 1, 2, 2, 0}, {1, 1, 1, 1, 2});
  SetInts(*graph.mutable_node(0), "classlabels_int64s", {10, 20, 30});
  const auto run = RunExactly(graph, 13, {Rows({1, 3, 1, 4, 2, 4, 1, -3}, 1)});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Elements(*run, 0), (std::vector<int64_t>{20, 30, 10, 10}));  // the first of equal scores
  EXPECT_EQ(Elements(*run, 1), (std::vector<int64_t>{0, 1, 1, 0, 0, 2, 1, 0, 1, 2, 1, 0}));
}

TEST(ExactTrees, OneClassOfTwo) {
  // A share of one half or less is the first class.
  GraphProto shares = Classifier({0, 0, 0, 0, 0}, {0.5f, 0.25f, 0.75f, 0, 0.5f});
  SetStrings(*shares.mutable_node(0), "classlabels_strings", {"no", "yes"});
  const auto run = RunExactly(shares, 13, {Rows({1, 3, 1, 4, 2, 4}, 1)});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->facts[0].data_type, TensorProto::STRING);
  EXPECT_EQ(Elements(*run, 0), (std::vector<int64_t>{0, 1, 0}));
  EXPECT_EQ(Elements(*run, 1), (std::vector<int64_t>{3, 1, 1, 3, 2, 2}));  // quarters

  // Other weights are compared with 0, and a logistic function keeps that.
  GraphProto logits = Classifier({1, 1, 1, 1, 1}, {0.5f, -0.25f, 0.75f, 0, 0.5f}, "LOGISTIC");
  SetInts(*logits.mutable_node(0), "classlabels_int64s", {0, 1});
  const auto labels = RunExactly(logits, 13, {Rows({1, 3, 1, 4, 2, 4}, 1)});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(Elements(*labels, 0), (std::vector<int64_t>{0, 1, 1}));
  ExpectProbabilities(*labels, {0.56218f, 0.43782f, 0.32082f, 0.67918f, 0.37754f, 0.62246f});
}

// Probabilities of several classes, of scores 0 to 2.
TEST(ExactTrees, PostTransformsMakeProbabilities) {
  const auto run = [](const std::string& transform) {
    GraphProto graph = Classifier({0, 1, 2, 2, 0}, {1, 1, 1, 1, 2}, transform);
    SetInts(*graph.mutable_node(0), "classlabels_int64s", {10, 20, 30});
    return RunExactly(graph, 13, {Rows({1, 3, 2, 4}, 1)});
  };
  const auto softmax = run("SOFTMAX"), logistic = run("LOGISTIC");
  ASSERT_TRUE(softmax.ok() && logistic.ok()) << softmax.status() << logistic.status();
  EXPECT_EQ(Elements(*softmax, 0), (std::vector<int64_t>{20, 10}));
  ExpectProbabilities(*softmax, {0.15536f, 0.42232f, 0.42232f, 0.42232f, 0.15536f, 0.42232f});
  ExpectProbabilities(*logistic, {0.5f, 0.73106f, 0.73106f, 0.73106f, 0.5f, 0.73106f});
  EXPECT_EQ(ErrorLabel(run("PROBIT").status()), "model_inexact");
}

TEST(ExactTrees, WeightsOfManyBitsAreRoundedWhereTheirSumNeedsRoom) {
  GraphProto graph = Regressor();
  auto* weights = graph.mutable_node(0)->mutable_attribute(10);
  ASSERT_EQ(weights->name(), "target_weights");
  weights->set_floats(0, 1e-9f);
  weights->set_floats(4, 1e9f);
  const auto run = RunExactly(graph, 13, {Rows({2, -3}, 1)});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->facts[0].fraction_bits, 46 - 31);
  EXPECT_EQ(Elements(*run, 0)[0], (int64_t{1'000'000'000} + 1000) << 15);
}

TEST(ExactTrees, WhatIsNoTree) {
  const auto with = [](const char* name, size_t index, int64_t value) {
    GraphProto graph = Regressor();
    for (auto& attribute : *graph.mutable_node(0)->mutable_attribute()) {
      if (attribute.name() == name) attribute.set_ints(static_cast<int>(index), value);
    }
    return LabelOf(graph);
  };
  EXPECT_EQ(with("nodes_truenodeids", 1, 0), "model_malformed");   // back to the root
  EXPECT_EQ(with("nodes_truenodeids", 1, 1), "model_malformed");   // to itself
  EXPECT_EQ(with("nodes_truenodeids", 1, 9), "model_malformed");   // nowhere
  EXPECT_EQ(with("nodes_falsenodeids", 1, 2), "model_malformed");  // to another's
  EXPECT_EQ(with("nodes_nodeids", 1, 0), "model_malformed");
  EXPECT_EQ(with("nodes_featureids", 1, 2), "model_malformed");
  EXPECT_EQ(with("target_nodeids", 1, 9), "model_malformed");
  EXPECT_EQ(with("target_ids", 1, 1), "model_malformed");
  GraphProto member = WithInput("x");
  SetTrees(AddNode(member, "TreeEnsembleRegressor", {"x"}, {"y"}), "BRANCH_MEMBER");
  EXPECT_EQ(LabelOf(member), "model_unsupported_attribute");
  GraphProto none = WithInput("x");
  AddNode(none, "TreeEnsembleRegressor", {"x"}, {"y"});
  EXPECT_EQ(LabelOf(none), "model_malformed");
  GraphProto circle = WithInput("x");  // its second node leads to itself, and none is left over
  NodeProto& node = AddNode(circle, "TreeEnsembleRegressor", {"x"}, {"y"});
  SetInts(node, "nodes_treeids", {0, 0, 0});
  SetInts(node, "nodes_nodeids", {0, 1, 2});
  SetInts(node, "nodes_featureids", {0, 0, 0});
  SetFloats(node, "nodes_values", {0, 0, 0});
  SetStrings(node, "nodes_modes", {"BRANCH_LEQ", "BRANCH_LEQ", "LEAF"});
  SetInts(node, "nodes_truenodeids", {1, 1, 0});
  SetInts(node, "nodes_falsenodeids", {2, 2, 0});
  EXPECT_EQ(LabelOf(circle), "model_malformed");
  GraphProto least = Regressor();
  SetString(*least.mutable_node(0), "aggregate_function", "MIN");
  EXPECT_EQ(LabelOf(least), "model_unsupported_attribute");
}

TEST(ExactTrees, WhatIsAroundThem) {
  GraphProto scaler = WithInput("x");
  NodeProto& scale = AddNode(scaler, "Scaler", {"x"}, {"y"});
  SetFloats(scale, "offset", {0.5f, 1});
  SetFloats(scale, "scale", {0.25f});
  const auto scaled = RunExactly(scaler, 13, {Rows({1, 4}, 1)});
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_EQ(scaled->facts[0].fraction_bits, 3);
  EXPECT_EQ(Elements(*scaled, 0), (std::vector<int64_t>{0, 2}));  // 0 and a quarter

  GraphProto columns = WithInput("x");
  AddNode(columns, "ArrayFeatureExtractor", {"x", "i"}, {"y"});
  auto* list = columns.add_initializer();
  list->set_name("i");
  list->set_data_type(TensorProto::INT64);
  list->add_dims(3);
  for (const int64_t i : {1, 1, 0}) list->add_int64_data(i);
  const auto extracted = RunExactly(columns, 13, {Rows({5, 7}, 0)});
  ASSERT_TRUE(extracted.ok()) << extracted.status();
  EXPECT_EQ(Elements(*extracted, 0), (std::vector<int64_t>{7, 7, 5}));

  GraphProto encoder = WithInput("x");
  NodeProto& encode = AddNode(encoder, "LabelEncoder", {"x"}, {"y"});
  SetInts(encode, "keys_int64s", {-3, 5, 5});
  SetInts(encode, "values_int64s", {30, 50, 51});
  const auto encoded = RunExactly(encoder, 13, {Rows({-3, 5, 4, -64, 63, 6}, 0)});
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  EXPECT_EQ(Elements(*encoded, 0), (std::vector<int64_t>{30, 50, -1, -1, -1, -1}));

  GraphProto normalizer = WithInput("x");
  AddNode(normalizer, "Normalizer", {"x"}, {"y"});
  EXPECT_EQ(LabelOf(normalizer), "model_unsupported_operator");  // its quotients are rounded
  GraphProto other = WithInput("x");
  AddNode(other, "SVMRegressor", {"x"}, {"y"});
  EXPECT_EQ(LabelOf(other), "model_unsupported_operator");
}

}  // namespace
}  // namespace tally::onnx
