// Expected values are ONNX Runtime's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

const FloatTensor kRows = {{2, 3}, {1, -4, 2, -3, -4, -1}};
const std::vector<float> kCoefficients = {1, -1, 0.5f, 0.25f, 2, -1};

struct Model {
  ModelBuilder builder;
  NodeBuilder node;

  explicit Model(const std::string& op, const std::vector<std::string>& outputs = {"y"})
      : node(builder.Input("x", {2, 3}).Node(op, {"x"}, outputs).Domain("ai.onnx.ml")) {
    for (const std::string& output : outputs) builder.Output(output);
  }
};

void ExpectNear(const Tensor& result, const std::vector<float>& expected) {
  const auto& got = std::get<FloatTensor>(result);
  ASSERT_EQ(got.data.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got.data[i], expected[i], 1e-6) << i;
}

TEST(ImportMl, RowsAreDividedByTheirNorm) {
  const struct {
    const char* norm;
    std::vector<float> expected;
  } cases[] = {{"MAX", {0.5f, -2, 1, 3, 4, 1}},
               {"L1", {0.14285715f, -0.5714286f, 0.2857143f, -0.375f, -0.5f, -0.125f}},
               {"L2", {0.2182179f, -0.8728716f, 0.4364358f, -0.5883484f, -0.7844645f, -0.1961161f}}};
  for (const auto& [norm, expected] : cases) {
    Model model("Normalizer");
    model.node.String("norm", norm);
    ExpectNear(model.builder.Run({kRows})[0], expected);
  }
  Model model("Normalizer");
  model.node.String("norm", "L2");
  ExpectNear(model.builder.Run({{{2, 3}, {0, 0, 0, 3, 0, 4}}})[0], {0, 0, 0, 0.6f, 0, 0.8f});
}

TEST(ImportMl, FeaturesAreShiftedAndScaled) {
  Model model("Scaler");
  model.node.Floats("offset", {1, 2, 3}).Floats("scale", {2, 0.5f, 1});
  ExpectNear(model.builder.Run({kRows})[0], {0, -3, -1, -8, -3, -4});
  Model one("Scaler");
  one.node.Floats("scale", {2});
  ExpectNear(one.builder.Run({kRows})[0], {2, -8, 4, -6, -8, -2});
}

TEST(ImportMl, ColumnsAreExtracted) {
  ModelBuilder model;
  model.Input("x", {2, 3}).Integers("columns", {{2}, {2, 0}}).Output("y");
  model.Node("ArrayFeatureExtractor", {"x", "columns"}, {"y"}).Domain("ai.onnx.ml");
  ExpectNear(model.Run({kRows})[0], {2, 1, -1, -3});
}

const struct {
  const char* transform;
  std::vector<float> expected;
} kScores[] = {{"NONE", {6.5f, -10.75f, 1, -8.75f}},
               {"SOFTMAX", {1, 3.224187e-8f, 0.9999417f, 0.0000582913f}},
               {"LOGISTIC", {0.9984988f, 0.0000214279f, 0.7310586f, 0.0001584887f}}};

TEST(ImportMl, LinearModelsGiveTheirScores) {
  for (const auto& [transform, expected] : kScores) {
    Model model("LinearRegressor");
    model.node.Floats("coefficients", kCoefficients).Floats("intercepts", {0.5f, -1}).Int("targets", 2);
    model.node.String("post_transform", transform);
    ExpectNear(model.builder.Run({kRows})[0], expected);
  }
}

TEST(ImportMl, ClassifiersGiveLabelsAndScores) {
  for (const auto& [transform, expected] : kScores) {
    Model model("LinearClassifier", {"label", "scores"});
    model.node.Floats("coefficients", kCoefficients).Floats("intercepts", {0.5f, -1});
    model.node.Ints("classlabels_ints", {7, -3}).Int("multi_class", 1).String("post_transform", transform);
    const std::vector<Tensor> results = model.builder.Run({kRows});
    EXPECT_EQ(std::get<Int64Tensor>(results[0]).data, (std::vector<int64_t>{7, 7}));
    ExpectNear(results[1], expected);
  }
  Model text("LinearClassifier", {"label", "scores"});
  text.node.Floats("coefficients", kCoefficients).Strings("classlabels_strings", {"cat", "dog"});
  EXPECT_EQ(std::get<Int64Tensor>(text.builder.Run({{{2, 3}, {1, 0, 0, -1, 0, 0}}})[0]).data,
            (std::vector<int64_t>{0, 1}));
}

TEST(ImportMl, OneRowOfCoefficientsIsThatOfTheSecondClass) {
  const struct {
    const char* transform;
    std::vector<float> expected;
  } cases[] = {{"NONE", {1.1f, -0.1f, 0.9f, 0.1f}},
               {"LOGISTIC", {0.5249792f, 0.4750208f, 0.4750208f, 0.5249792f}}};
  for (const auto& [transform, expected] : cases) {
    Model model("LinearClassifier", {"label", "scores"});
    model.node.Floats("coefficients", {1, -1, 0.5f}).Floats("intercepts", {0.5f});
    model.node.Ints("classlabels_ints", {7, -3}).String("post_transform", transform);
    const std::vector<Tensor> results = model.builder.Run({{{2, 3}, {-0.6f, 0, 0, -0.4f, 0, 0}}});
    EXPECT_EQ(std::get<Int64Tensor>(results[0]).data, (std::vector<int64_t>{7, -3}));
    ExpectNear(results[1], expected);
  }
}

// As scikit-learn's pipeline of a scaler, a normalizer and a logistic regression is exported.
TEST(ImportMl, APipelineKeepsItsDecisionsInIntegers) {
  ModelBuilder model;
  model.Input("x", {1, 4}).Output("probabilities").Output("label");
  model.Node("Scaler", {"x"}, {"scaled"})
      .Domain("ai.onnx.ml")
      .Floats("offset", {5, 3, 4, 1})
      .Floats("scale", {1.2f, 2.3f, 0.6f, 1.3f});
  model.Node("Normalizer", {"scaled"}, {"unit"}).Domain("ai.onnx.ml").String("norm", "L2");
  model.Node("LinearClassifier", {"unit"}, {"label", "scores"})
      .Domain("ai.onnx.ml")
      .Floats("coefficients", {-2, 3, -4, -3, 1, -2, 0.5f, -2, 1, -1, 3, 5})
      .Floats("intercepts", {-1, 2, -1})
      .Ints("classlabels_ints", {0, 1, 2})
      .String("post_transform", "SOFTMAX");
  model.Node("ZipMap", {"scores"}, {"probabilities"})
      .Domain("ai.onnx.ml")
      .Ints("classlabels_int64s", {0, 1, 2});
  const quant::OutputAccuracy probabilities = quant::MeasureLowered(*model.Import(), {.low = 0, .high = 8});
  EXPECT_GT(probabilities.error.sqnr_db(), 25);
  EXPECT_GT(probabilities.error.agreement(), 0.95);
}

TEST(ImportMl, RefusesWhatDoesNotFit) {
  const auto label = [](const std::string& op, const auto& set) {
    Model model(op, op == "LinearClassifier" ? std::vector<std::string>{"label", "y"}
                                             : std::vector<std::string>{"y"});
    set(model.node);
    return model.builder.ImportLabel();
  };
  EXPECT_EQ(label("Normalizer", [](NodeBuilder& n) { n.String("norm", "L3"); }),
            "model_unsupported_attribute");
  EXPECT_EQ(label("Scaler", [](NodeBuilder& n) { n.Floats("scale", {1, 2}); }), "model_shape");
  EXPECT_EQ(label("LinearRegressor", [](NodeBuilder&) {}), "model_shape");
  EXPECT_EQ(label("LinearRegressor",
                  [](NodeBuilder& n) {
                    n.Floats("coefficients", {1, 2});
                  }),
            "model_shape");
  EXPECT_EQ(label("LinearRegressor", [](NodeBuilder& n) { n.Floats("coefficients", kCoefficients); }),
            "model_shape");
  EXPECT_EQ(label("LinearRegressor",
                  [](NodeBuilder& n) {
                    n.Floats("coefficients", {1, 2, 3}).Floats("intercepts", {1, 2});
                  }),
            "model_shape");
  EXPECT_EQ(label("LinearRegressor",
                  [](NodeBuilder& n) {
                    n.Floats("coefficients", {1, 2, 3}).String("post_transform", "PROBIT");
                  }),
            "model_unsupported_attribute");
  EXPECT_EQ(label("LinearClassifier",
                  [](NodeBuilder& n) {
                    n.Floats("coefficients", {1, 2, 3}).Ints("classlabels_ints", {1, 2, 3});
                  }),
            "model_shape");
  EXPECT_EQ(label("LinearClassifier",
                  [](NodeBuilder& n) {
                    n.Floats("coefficients", {1, 2, 3});
                  }),
            "model_shape");
  EXPECT_EQ(label("TreeEnsembleRegressor", [](NodeBuilder&) {}), "model_unsupported_operator");
}

}  // namespace
}  // namespace tally::onnx
