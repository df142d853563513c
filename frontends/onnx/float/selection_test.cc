#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

struct Best {
  int64_t k = 2;
  std::vector<std::string> outputs = {"values", "indices"};
  int64_t axis = -1, largest = 1;
};

ModelBuilder TopKOf(const quant::Shape& shape, const Best& best) {
  ModelBuilder model;
  model.Input("x", shape).Integers("k", {{1}, {best.k}});
  for (const std::string& output : best.outputs) {
    if (!output.empty()) model.Output(output);
  }
  model.Node("TopK", {"x", "k"}, best.outputs)
      .Int("axis", best.axis)
      .Int("largest", best.largest)
      .Int("sorted", 0);
  return model;
}

TEST(ImportTopK, ValuesAndTheirPlacesTheFirstOfEqualsInFront) {
  const FloatTensor x{{2, 4}, {3, 9, 3, 9, -1, -7, -5, -7}};
  const auto largest = TopKOf({2, 4}, {.k = 3}).Run({x});
  EXPECT_EQ(largest.at(0), Tensor(FloatTensor{{2, 3}, {9, 9, 3, -1, -5, -7}}));
  EXPECT_EQ(largest.at(1), Tensor(Int64Tensor{{2, 3}, {1, 3, 0, 0, 2, 1}}));
  const auto smallest = TopKOf({2, 4}, {.k = 1, .axis = 0, .largest = 0}).Run({x});
  EXPECT_EQ(smallest.at(0), Tensor(FloatTensor{{1, 4}, {-1, -7, -5, -7}}));
  EXPECT_EQ(smallest.at(1), Tensor(Int64Tensor{{1, 4}, {1, 1, 1, 1}}));
}

TEST(ImportTopK, AlongAnAxisInTheMiddle) {
  const auto best = TopKOf({1, 3, 2}, {.k = 2, .axis = 1}).Run({{{1, 3, 2}, {1, 20, 3, 10, 2, 30}}});
  EXPECT_EQ(best.at(0), Tensor(FloatTensor{{1, 2, 2}, {3, 30, 2, 20}}));
  EXPECT_EQ(best.at(1), Tensor(Int64Tensor{{1, 2, 2}, {1, 2, 2, 0}}));
}

TEST(ImportTopK, OnlyWhatIsReadIsComputed) {
  EXPECT_EQ(OpsOf(*TopKOf({4}, {}).Import()), "TopK TopK");
  EXPECT_EQ(OpsOf(*TopKOf({4}, {.outputs = {"", "indices"}}).Import()), "TopK");
}

TEST(ImportTopK, BeforeOpset10KIsAnAttribute) {
  ModelBuilder model(9);
  model.Input("x", {3}).Output("v").Node("TopK", {"x"}, {"v", "i"}).Int("k", 2);
  EXPECT_EQ(model.Run({{{3}, {4, 6, 5}}}).at(0), Tensor(FloatTensor{{2}, {6, 5}}));
}

TEST(ImportTopK, RefusesMoreThanThereAreAndNone) {
  EXPECT_EQ(TopKOf({4}, {.k = 5}).ImportLabel(), "model_shape");
  EXPECT_EQ(TopKOf({4}, {.k = 0}).ImportLabel(), "model_shape");
  EXPECT_EQ(TopKOf({4}, {.axis = 1}).ImportLabel(), "model_malformed");
  ModelBuilder computed;
  computed.Input("x", {4}).IntegerInput("k", {1}).Output("v").Node("TopK", {"x", "k"}, {"v", "i"});
  EXPECT_EQ(computed.ImportLabel(), "model_unsupported_operand");
}

// Two images of three boxes: the second covers 0.8 of the first, the third is apart.
const FloatTensor kBoxes{{2, 3, 4}, {0, 0, 10, 10, 0, 0, 10, 8, 20, 20, 30, 30,  //
                                     0, 0, 10, 10, 0, 0, 10, 8, 20, 20, 30, 30}};
const FloatTensor kScores{{2, 1, 3}, {0.5f, 0.9f, 0.7f, 0.1f, 0.2f, 0.3f}};

ModelBuilder Suppression(float iou, const std::vector<float>& score = {}, int64_t most = 5) {
  ModelBuilder model;
  model.Input("boxes", {2, 3, 4}).Input("scores", {2, 1, 3}).Output("selected");
  model.Integers("most", {{1}, {most}}).Weight("iou", {{1}, {iou}});
  std::vector<std::string> inputs = {"boxes", "scores", "most", "iou"};
  if (!score.empty()) {
    model.Weight("score", {{std::ssize(score)}, score});
    inputs.push_back("score");
  }
  model.Node("NonMaxSuppression", inputs, {"selected"});
  return model;
}

TEST(ImportNonMaxSuppression, RowsOfTheKeptThenOfMinusOneAndTheirCounts) {
  const auto results = Suppression(0.5f, {0.25f}).Run({kBoxes, kScores});
  EXPECT_EQ(results.at(0),
            Tensor(Int64Tensor{{6, 3}, {0, 0, 1, 0, 0, 2, 1, 0, 2, -1, -1, -1, -1, -1, -1, -1, -1, -1}}));
  EXPECT_EQ(results.at(1), Tensor(Int64Tensor{{2}, {2, 1}}));
}

TEST(ImportNonMaxSuppression, AnOverlapOfTheThresholdItselfIsKept) {
  EXPECT_EQ(Suppression(0.8f).Run({kBoxes, kScores}).at(1), Tensor(Int64Tensor{{2}, {3, 3}}));
  EXPECT_EQ(Suppression(0.79f).Run({kBoxes, kScores}).at(1), Tensor(Int64Tensor{{2}, {2, 2}}));
}

TEST(ImportNonMaxSuppression, TheLimitIsOfEachClass) {
  const auto results = Suppression(0.5f, {}, 1).Run({kBoxes, kScores});
  EXPECT_EQ(results.at(0), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, 1, 0, 2}}));
}

TEST(ImportNonMaxSuppression, TheCountIsAnOutputBehindThoseOfTheFile) {
  const auto graph = Suppression(0.5f).Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->outputs.size(), 2);
  EXPECT_EQ(graph->outputs[0].name, "selected");
  EXPECT_EQ(graph->outputs[1].name, "selected.count");
  const std::vector<uint8_t> bytes = Suppression(0.5f).Bytes();
  const auto report = CheckOnnx(bytes);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->outputs, (std::vector<std::string>{"selected int64[6, 3]", "selected.count int64[2]"}));
}

TEST(ImportNonMaxSuppression, RefusesWhatHasNoMeaning) {
  EXPECT_EQ(Suppression(0.5f, {}, int64_t{1} << 62).ImportLabel(), "");
  EXPECT_EQ(Suppression(0.5f, {}, 0).ImportLabel(), "model_shape");
  EXPECT_EQ(Suppression(1.5f).ImportLabel(), "model_malformed");
  EXPECT_EQ(Suppression(0.5f, {0.1f, 0.2f}).ImportLabel(), "model_unsupported_operand");
  ModelBuilder model;
  model.Input("boxes", {1, 3, 4}).Input("scores", {1, 1, 4}).Integers("most", {{1}, {1}}).Output("y");
  model.Node("NonMaxSuppression", {"boxes", "scores", "most"}, {"y"});
  EXPECT_EQ(model.ImportLabel(), "model_shape");
}

}  // namespace
}  // namespace tally::onnx
