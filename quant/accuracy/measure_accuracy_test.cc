#include "quant/accuracy/measure_accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/testing/rows.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/lower.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

// y = relu(x) of two elements, in rows of 1.
Graph Network(const Shape& shape = {1, 2}) {
  GraphBuilder builder("network");
  const ValueId x = *builder.AddInput("x", shape);
  builder.AddOutput(*builder.AddNode(Relu{}, {x}, "y", "relu"));
  return *std::move(builder).Build();
}

// On grids of 1 and [-128, 127]: halves are rounded away from 0, and what is beyond is clamped.
std::unique_ptr<const Plan> PlanOf(const Graph& graph) {
  const auto calibration = Calibrate(graph, 1, Rows({{-127.5f, 127.5f}}));
  const auto module =
      LowerToModule(graph, *calibration, {{{"x", {.scale = 1, .zero_point = 0, .interval = {-128, 127}}}}});
  auto valid = Validate(*module);
  return *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
}

TEST(MeasureAccuracy, ComparesWithTheFloatNetworkOverAllSamples) {
  const Graph graph = Network();
  const auto plan = PlanOf(graph);
  std::vector<int64_t> progress;
  const auto accuracy = MeasureAccuracy(graph, *plan, 2, Rows({{-4, 7}, {0.25f, 500}}),
                                        {.progress = [&](int64_t done, int64_t total) {
                                          EXPECT_EQ(total, 2);
                                          progress.push_back(done);
                                        }});
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  EXPECT_EQ(progress, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(accuracy->samples, 2);
  ASSERT_EQ(accuracy->outputs.size(), 1u);
  const OutputAccuracy& y = accuracy->outputs[0];
  EXPECT_EQ(y.name, "y");
  EXPECT_NEAR(y.error.largest(), 500 - 127, 1);  // beyond what calibration saw
  EXPECT_EQ(y.error.expected_choices(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(y.error.choices(), y.error.expected_choices());
  EXPECT_EQ(accuracy->worst_sqnr_db(), y.error.sqnr_db());
  EXPECT_LT(accuracy->worst_sqnr_db(), 5);
}

TEST(MeasureAccuracy, KeepsTheDbOfEachSample) {
  const Graph graph = Network();
  const auto plan = PlanOf(graph);
  const auto accuracy = MeasureAccuracy(graph, *plan, 3, Rows({{-4, 7}, {0.25f, 500}, {3, 10.5f}}));
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  const std::vector<double>& db = accuracy->outputs[0].sample_db;
  ASSERT_EQ(db.size(), 3u);
  EXPECT_EQ(db[0], std::numeric_limits<double>::infinity());  // 7 is a code
  EXPECT_LT(db[1], 5);                                        // 500 is clamped
  EXPECT_NEAR(db[2], 10 * std::log10((9 + 10.5 * 10.5) / 0.25), 1e-9);
}

// y0 = relu(x), y1 = relu(-x), which is the same for all samples without negative elements: it has no say.
TEST(MeasureAccuracy, WhatNeverChangesIsNoEvidence) {
  GraphBuilder builder("two");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId minus = *builder.AddConstant("minus", FloatTensor{{1}, {-1}});
  const ValueId negative = *builder.AddNode(Mul{}, {x, minus}, "negative", "mul");
  builder.AddOutput(*builder.AddNode(Relu{}, {x}, "y0", "relu"));
  builder.AddOutput(*builder.AddNode(Relu{}, {negative}, "y1", "relu"));
  const Graph graph = *std::move(builder).Build();
  const auto plan = PlanOf(graph);
  const auto measure = [&](const std::vector<std::vector<float>>& rows) {
    return *MeasureAccuracy(graph, *plan, std::ssize(rows), Rows(rows));
  };
  const Accuracy one_side = measure({{1, 2.5f}, {3, 4}});
  EXPECT_TRUE(one_side.outputs[0].varies);
  EXPECT_FALSE(one_side.outputs[1].varies);
  EXPECT_EQ(one_side.worst()->name, "y0");
  const Accuracy equal = measure({{1, 2.5f}, {1, 2.5f}});
  EXPECT_FALSE(equal.outputs[0].varies);
  ASSERT_NE(equal.worst(), nullptr);  // there is no other
  EXPECT_FALSE(equal.worst()->varies);
  const Accuracy single = measure({{1, 2.5f}});  // a result of zeros says nothing
  EXPECT_TRUE(single.outputs[0].varies);
  EXPECT_FALSE(single.outputs[1].varies);
}

// A score that is below 0.001 for one sample and for the other says no twice, whatever its dB.
TEST(MeasureAccuracy, ScoresThatAreAlwaysLowAreNoEvidence) {
  GraphBuilder builder("score");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId score = *builder.AddNode(Unary{RecipeFunction::kSigmoid}, {x}, "score", "sigmoid");
  builder.AddOutput(*builder.AddNode(Reshape{{2}}, {score}, "y", "reshape"));
  const Graph graph = *std::move(builder).Build();
  const auto plan = PlanOf(graph);
  const auto varies = [&](const std::vector<std::vector<float>>& rows) {
    return MeasureAccuracy(graph, *plan, std::ssize(rows), Rows(rows))->outputs[0].varies;
  };
  EXPECT_FALSE(varies({{-7, -7}, {-6, -8}}));  // 0.0009 and 0.0025
  EXPECT_TRUE(varies({{-7, -7}, {-4, -8}}));   // 0.018
  EXPECT_FALSE(varies({{-7, -6}}));
  EXPECT_TRUE(varies({{-7, -4}}));
}

// Logits of 3.5 and 3.4, where calibration saw none beyond 1, stay apart.
TEST(MeasureAccuracy, ScoresHaveRoomBeyondCalibration) {
  GraphBuilder builder("scores");
  const ValueId x = *builder.AddInput("x", {1, 2});
  const ValueId w = *builder.AddConstant("w", FloatTensor{{2, 2}, {1, 0, 0, 1}});
  const ValueId logits = *builder.AddNode(Dense{}, {x, w}, "logits", "dense");
  builder.AddOutput(*builder.AddNode(Softmax{.axis = 1}, {logits}, "y", "softmax"));
  const Graph graph = *std::move(builder).Build();
  const auto calibration = Calibrate(graph, 1, Rows({{-1, 1}}));
  const auto module = LowerToModule(
      graph, *calibration, {{{"x", {.scale = 0x1p-10, .zero_point = 0, .interval = {-4096, 4096}}}}});
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*Validate(*module)));
  const auto accuracy = MeasureAccuracy(graph, *plan, 2, Rows({{3.5f, 3.375f}, {-3.5f, 3.5f}}));
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  EXPECT_GT(accuracy->worst_sqnr_db(), 50);
}

TEST(MeasureAccuracy, IntegersBesideFloatsAreTheSameOrNot) {
  GraphBuilder builder("a choice");
  const ValueId x = *builder.AddInput("x", {1, 2});
  builder.AddOutput(*builder.AddNode(Relu{}, {x}, "y", "relu"));
  builder.AddOutput(*builder.AddNode(ArgExtreme{1, false}, {x}, "best", "best"));
  const Graph graph = *std::move(builder).Build();
  const auto plan = PlanOf(graph);
  // 0.2 and 0.4 are both rounded to 0: another choice.
  std::vector<size_t> seen;
  const auto accuracy = MeasureAccuracy(graph, *plan, 4, Rows({{0.2f, 0.4f}, {100, 7}, {7, 100}, {9, 80}}),
                                        {.observer = [&](size_t output, auto expected, auto got) {
                                          seen.push_back(output);
                                          EXPECT_EQ(expected.size(), got.size());
                                        }});
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  EXPECT_EQ(seen, (std::vector<size_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  const OutputAccuracy &y = accuracy->outputs[0], &best = accuracy->outputs[1];
  EXPECT_FALSE(y.is_choice);
  EXPECT_TRUE(best.is_choice);
  EXPECT_EQ(best.agreement(), 0.75);
  EXPECT_LT(best.error.sqnr_db(), 10);
  EXPECT_GT(y.error.sqnr_db(), 40);
  EXPECT_EQ(accuracy->worst_sqnr_db(), y.error.sqnr_db());
  // Alone they have to be measured somehow.
  GraphBuilder alone("a choice alone");
  const ValueId z = *alone.AddInput("x", {1, 2});
  alone.AddOutput(*alone.AddNode(ArgExtreme{1, false}, {z}, "best", "best"));
  EXPECT_FALSE(IsChoice(*std::move(alone).Build(), {"best", 1}));
  // A counter that is passed on is no choice of floats.
  GraphBuilder counts("a counter");
  const ValueId floats = *counts.AddInput("x", {1, 2}),
                place = *counts.AddInput(Value{.name = "place", .type = {ElementType::kInt64, {1}}});
  counts.AddOutput(*counts.AddNode(Relu{}, {floats}, "y", "relu"));
  counts.AddOutput(*counts.AddNode(Reshape{{1, 1}}, {place}, "after", "after"));
  const Graph counter = *std::move(counts).Build();
  EXPECT_FALSE(IsChoice(counter, counter.outputs[1]));
}

TEST(MeasureAccuracy, TellsHowSurprisingIsWhatIsRight) {
  const Graph graph = Network();
  const auto plan = PlanOf(graph);
  const std::vector<int64_t> right = {1, 0};
  const auto accuracy = MeasureAccuracy(graph, *plan, 2, Rows({{0.4f, 0}, {3, 3}}), {.right = right});
  ASSERT_TRUE(accuracy.ok()) << accuracy.status();
  EXPECT_NEAR(accuracy->expected_loss.perplexity(), std::sqrt((1 + std::exp(0.4)) * 2), 1e-6);
  EXPECT_NEAR(accuracy->loss.perplexity(), 2, 1e-12);  // 0.4 is rounded to 0
}

TEST(MeasureAccuracy, AccuracyModule_IsAnotherNetworks) {
  const Graph graph = Network();
  const auto plan = PlanOf(graph);
  const auto other = MeasureAccuracy(Network({1, 3}), *plan, 1, Rows({{1, 2, 3}}));
  EXPECT_EQ(ErrorLabel(other.status()), "accuracy_module");
  GraphBuilder builder("two outputs");
  const ValueId x = *builder.AddInput("x", {1, 2});
  builder.AddOutput(*builder.AddNode(Relu{}, {x}, "y", "relu"));
  builder.AddOutput(x);
  const auto more = MeasureAccuracy(*std::move(builder).Build(), *plan, 1, Rows({{1, 2}}));
  EXPECT_EQ(ErrorLabel(more.status()), "accuracy_module");
}

TEST(MeasureAccuracy, AccuracyModule_IsServedOtherIntegers) {
  const Graph graph = Network();
  const auto calibration = Calibrate(graph, 1, Rows({{-127.5f, 127.5f}}));
  InputFormat pixels = {"x", {.scale = 1, .zero_point = 5, .interval = {0, 255}}, /*as_integers=*/true};
  auto valid = Validate(*LowerToModule(graph, *calibration, {{pixels}}));
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  const auto measure = [&](const Plan& of, const std::vector<InputFormat>& formats) {
    return MeasureAccuracy(graph, of, 1, Rows({{100, -3}}), {.formats = formats});
  };
  const auto good = measure(*plan, {pixels});
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_LE(good->outputs[0].error.largest(), 1);
  EXPECT_EQ(ErrorLabel(measure(*plan, {}).status()), "accuracy_module");
  const auto with_grid = PlanOf(graph);
  EXPECT_EQ(ErrorLabel(measure(*with_grid, {pixels}).status()), "accuracy_module");
  pixels = {"x", {.scale = 2, .zero_point = 0, .interval = {-128, 127}}};
  EXPECT_EQ(ErrorLabel(measure(*with_grid, {pixels}).status()), "accuracy_module");
  pixels.type.scale = 1;
  EXPECT_TRUE(measure(*with_grid, {pixels}).ok());
}

TEST(MeasureAccuracy, RefusesSamplesThatAreNone) {
  const Graph graph = Network();
  const auto plan = PlanOf(graph);
  EXPECT_EQ(ErrorLabel(MeasureAccuracy(graph, *plan, 0, Rows({})).status()), "calibration_no_samples");
  EXPECT_EQ(ErrorLabel(MeasureAccuracy(graph, *plan, 1, Rows({{1, 2, 3}})).status()), "graph_run_inputs");
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(ErrorLabel(MeasureAccuracy(graph, *plan, 1, Rows({{1, bad}})).status()),
              "calibration_not_finite");
  }
}

}  // namespace
}  // namespace tally::quant
