// Lowered modules against the float graph they came from, operator by operator.
#include "quant/lower/lower.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

// In steps of the output's grid. Graph outputs have 16 bits, so one step is about range / 65535 and the error
// is dominated by the 8-bit inputs: each contributes half of its own step times its gain.
double LargestErrorInSteps(const Graph& graph) {
  const OutputAccuracy output = MeasureLowered(graph);
  return output.error.largest() / output.step;
}

// 8-bit inputs and weights against a 16-bit output grid: within 1 % of the output's range.
constexpr double kOnePercent = 655;
// Operators that keep the grid of their operand: half a step of it.
constexpr double kHalfStep = 0.5 + 1e-4;

TEST(Lower, Conv2dWithAsymmetricPaddingStrideGroupsAndBias) {
  const Conv op{{2, 1}, {1, 2}, {1, 0, 2, 1}, 2};
  EXPECT_LT(
      LargestErrorInSteps(OneNode(op, {{2, 4, 7, 9}}, {Random({6, 2, 3, 3}, 1, -1, 1), Random({6}, 2)})),
      kOnePercent);
}

// Engines fuse what pads itself, and no pad in front of it.
TEST(Lower, PaddingIsPartOfTheConvolution) {
  const Pads symmetric = {1, 1, 1, 1}, other = {1, 0, 2, 1};
  for (const Pads& pad : {Pads{}, symmetric, other}) {
    for (const double low : {-1.7, 0.0}) {  // a zero point inside, and at the lowest code
      const Graph graph = OneNode(Conv{{1, 1}, {1, 1}, pad, 1}, {{1, 2, 5, 5}},
                                  {Random({3, 2, 3, 3}, 1, -1, 1), Random({3}, 2)});
      const auto samples = [&](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
        return std::vector{Random({1, 2, 5, 5}, static_cast<uint32_t>(i), low, 3)};
      };
      const auto module = LowerToModule(graph, *Calibrate(graph, 4, samples), {});
      ASSERT_TRUE(module.ok()) << module.status();
      std::vector<std::string_view> names;
      for (const Instruction& instruction : module->entry().body) {
        if (instruction.op != Opcode::kConstant) names.push_back(InfoOf(instruction.op).name);
      }
      const auto* const convolution = pad == Pads{} ? "conv2d" : "convolution";
      EXPECT_EQ(names, (std::vector<std::string_view>{convolution, "rescale"}));
    }
  }
}

// A Relu that no sample passes: another input may, and no multiplier reaches the finest grid of [0, 0].
TEST(Lower, ValuesThatAreZeroInAllSamplesHaveTheRangeOfTheirOperands) {
  GraphBuilder b("dead");
  const ValueId x = *b.AddInput("x", {1, 4});
  const ValueId down = *b.AddConstant("down", FloatTensor{{3, 4}, std::vector<float>(12, -1)});
  const ValueId up = *b.AddConstant("up", FloatTensor{{2, 3}, {1, 2, 3, -1, 0.5f, 4}});
  const ValueId dead = *b.AddNode(Relu{}, {*b.AddNode(Dense{}, {x, down}, "fc1", "fc1")}, "dead", "relu");
  const ValueId sum = *b.AddNode(Dense{}, {dead, up}, "fc2", "fc2");
  b.AddOutput(*b.AddNode(Add{}, {sum, sum}, "y", "add"));
  const Graph graph = *std::move(b).Build();
  const auto samples = [&](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{Random({1, 4}, static_cast<uint32_t>(i), 0.5, 2)};
  };
  const auto lowered = LowerGraph(graph, *Calibrate(graph, 4, samples), {});
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  // An input of -2 gives 8 everywhere, which the grid of the Relu reaches as far as samples of 2 say.
  const auto& grid = lowered->values[static_cast<size_t>(dead)];
  ASSERT_TRUE(grid.has_value());
  EXPECT_GE(grid->type.scale * static_cast<double>(grid->type.interval.hi - grid->type.zero_point), 6);
}

TEST(Lower, LowerSize_MoreInstructionsThanAModuleHas) {
  const auto label = [](int nodes) {
    GraphBuilder b("chain");
    ValueId x = *b.AddInput("x", {1});
    for (int i = 0; i < nodes; ++i) x = *b.AddNode(Slopes{-1, 1}, {x}, "", "node");
    b.AddOutput(x);
    return std::string(ErrorLabel(CheckSize(*std::move(b).Build(), {})));
  };
  EXPECT_EQ(label(5000), "");
  EXPECT_EQ(label(40000), "lower_size");  // each takes a table, too
  EXPECT_EQ(label((1 << 16) + 1), "lower_size");
}

TEST(Lower, Dense) {
  EXPECT_LT(LargestErrorInSteps(OneNode(Dense{}, {{3, 20}}, {Random({5, 20}, 3, -1, 1), Random({5}, 4)})),
            kOnePercent);
}

// Instructions of (x + x) w, where x + x has `range` and w is an input.
size_t InstructionsOfProduct(const Range& range) {
  GraphBuilder b("product");
  const ValueId x = *b.AddInput("x", {2, 3}), w = *b.AddInput("w", {3, 2});
  const ValueId sum = *b.AddNode(Add{}, {x, x}, "sum", "sum");
  b.AddOutput(*b.AddNode(MatMul{}, {sum, w}, "y", "product"));
  const Graph graph = *std::move(b).Build();
  const Calibration calibration = {
      .num_samples = 1, .values = {{"x", {-1, 1, 6}}, {"w", {0, 1, 6}}, {"sum", range}, {"y", {-4, 4, 4}}}};
  const auto module = LowerToModule(graph, calibration, {});
  EXPECT_TRUE(module.ok()) << module.status();
  return module->functions[0].body.size();
}

TEST(Lower, WhatAProductMultipliesHasTheZeroPoint0WhereThatCostsLittle) {
  const size_t plain = InstructionsOfProduct({-2, 2, 6});
  EXPECT_EQ(InstructionsOfProduct({-2, 1.7f, 6}), plain);
  EXPECT_EQ(InstructionsOfProduct({-1.7f, 2, 6}), plain);
  EXPECT_GT(InstructionsOfProduct({-2, 1.5f, 6}), plain) << "what takes it off";
  EXPECT_GT(InstructionsOfProduct({-0.5f, 2, 6}), plain);
}

TEST(Lower, MatMulOfTwoActivationsAndByWeights) {
  EXPECT_LT(LargestErrorInSteps(OneNode(MatMul{}, {{2, 3, 16}, {16, 4}})), kOnePercent);
  EXPECT_LT(LargestErrorInSteps(OneNode(MatMul{}, {{2, 3, 16}}, {Random({16, 4}, 5, -1, 1)})), kOnePercent);
  EXPECT_LT(LargestErrorInSteps(OneNode(MatMul{0.125f}, {{2, 3, 16}, {16, 4}})), kOnePercent);
  EXPECT_LT(LargestErrorInSteps(OneNode(MatMul{3}, {{2, 3, 16}}, {Random({16, 4}, 5, -1, 1)})), kOnePercent);
}

TEST(Lower, AddOfEqualAndOfBroadcastShapes) {
  EXPECT_LT(LargestErrorInSteps(OneNode(Add{}, {{2, 3}, {2, 3}})), kOnePercent);
  EXPECT_LT(LargestErrorInSteps(OneNode(Add{}, {{2, 3}, {3}})), kOnePercent);
  EXPECT_LT(LargestErrorInSteps(OneNode(Add{}, {{2, 3}}, {Random({2, 1}, 6)})), kOnePercent);
}

TEST(Lower, ActivationsThatStandAlone) {
  EXPECT_LE(LargestErrorInSteps(OneNode(Relu{}, {{4, 5}})), kHalfStep);
  EXPECT_LE(LargestErrorInSteps(OneNode(Clip{-1, 2}, {{4, 5}})), 1);
}

TEST(Lower, PoolingWithAndWithoutPadding) {
  EXPECT_LE(LargestErrorInSteps(OneNode(MaxPool{{3, 2}, {2, 1}, {1, 0, 1, 1}}, {{1, 3, 6, 6}})), kHalfStep);
  for (const bool include : {false, true}) {
    EXPECT_LT(
        LargestErrorInSteps(OneNode(AveragePool{{3, 2}, {2, 1}, {1, 0, 1, 1}, include}, {{1, 3, 6, 6}})),
        kOnePercent);
  }
  EXPECT_LT(LargestErrorInSteps(OneNode(GlobalAveragePool{}, {{2, 3, 5, 5}})), kOnePercent);
}

TEST(Lower, LayoutIsExactOnTheGrid) {
  EXPECT_LE(LargestErrorInSteps(OneNode(Reshape{{4, 6}}, {{2, 3, 4}})), kHalfStep);
  EXPECT_LE(LargestErrorInSteps(OneNode(Transpose{{2, 0, 1}}, {{2, 3, 4}})), kHalfStep);
  EXPECT_LT(LargestErrorInSteps(OneNode(Concat{1}, {{2, 3}, {2, 4}})), kOnePercent);
}

TEST(Lower, SoftmaxIsCloseInQ15) {
  // The 8-bit input has a step of 5 / 255, which moves a probability by at most a hundredth of itself.
  EXPECT_LT(LargestErrorInSteps(OneNode(Softmax{1}, {{3, 10}})), 0.01 * 32768);
  EXPECT_LT(LargestErrorInSteps(OneNode(Softmax{0}, {{4, 3}})), 0.01 * 32768);
}

TEST(Lower, TheTableOfASoftmaxIsARecipe) {
  const LowerOptions options{{{"x0", {0.5, 0, {-8, 8}}}}};
  const auto module = LowerToModule(OneNode(Softmax{1}, {{3, 10}}), {}, options);
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->recipes.size(), 1u);
  const Recipe& recipe = module->recipes[0].recipe;
  EXPECT_EQ(recipe.function, RecipeFunction::kExpNegative);
  EXPECT_EQ(recipe.count, 17);  // differences 0 to 16
  const TensorView& table = module->constants[module->recipes[0].constant];
  EXPECT_EQ(table.at(0), int64_t{1} << 30);
  EXPECT_EQ(table.at(2), 395007542);  // round(2^30 / e)
}

// The results for [[-1, 4, 3], [2, -8, 2]].
std::vector<int64_t> PlacesOf(const ArgExtreme& op) {
  const Graph graph = OneNode(op, {{2, 3}});
  const LowerOptions options{{{"x0", {0.5, 0, {-8, 8}}}}};
  auto valid = Validate(*LowerToModule(graph, {}, options));
  EXPECT_TRUE(valid.ok()) << valid.status();
  if (!valid.ok()) return {};
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  const tally::Tensor codes = *tally::Tensor::FromValues(*tally::Shape::Create({2, 3}), {-1, 4, 3, 2, -8, 2});
  const TensorView inputs[] = {codes.view()};
  const tally::Tensor result = plan->Execute(inputs, {})->results[0];
  return {result.view().at(0), result.view().at(1)};
}

TEST(Lower, PlacesOfExtremesAreExactOnValuesThatTheGridTellsApart) {
  using Places = std::vector<int64_t>;
  EXPECT_EQ(PlacesOf({.axis = 1, .keep_dimension = false}), (Places{1, 0})) << "the first of equals";
  EXPECT_EQ(PlacesOf({.axis = 1, .keep_dimension = false, .takes_last = true}), (Places{1, 2}));
  EXPECT_EQ(PlacesOf({.axis = 1, .keep_dimension = false, .is_min = true}), (Places{0, 1}));
}

TEST(Lower, FusedActivationsClampTheRescale) {
  GraphBuilder b("fused");
  const ValueId x = *b.AddInput("x", {1, 8});
  const ValueId w = *b.AddConstant("w", Random({6, 8}, 7, -1, 1));
  const ValueId y = *b.AddNode(Dense{}, {x, w}, "y", "fc");
  const ValueId relu = *b.AddNode(Relu{}, {y}, "relu", "relu");
  b.AddOutput(relu);
  const Graph graph = *std::move(b).Build();
  EXPECT_LT(LargestErrorInSteps(graph), kOnePercent);
  const auto calibration = Calibrate(graph, 1, [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector{Random({1, 8}, 9)};
  });
  const Module module = *LowerToModule(graph, *calibration, {});
  for (const Instruction& instruction : module.entry().body) EXPECT_NE(InfoOf(instruction.op).name, "clip");
}

TEST(Lower, TakesTheCallersInputFormat) {
  const Graph graph = OneNode(Relu{}, {{1, 4}});
  const Calibration calibration;  // nothing is needed from it
  const LowerOptions options{{{"x0", {0x1p-4, 0, {0, 16}}}}};
  const Module module = *LowerToModule(graph, calibration, options);
  EXPECT_EQ(module.entry().params[0].interval, (Interval{0, 16}));
  EXPECT_EQ(*module.metadata.params[0].quantization, (Quantization{0, 1, 4}));
}

TEST(Lower, RefusesWithALabelAndTheNode) {
  const Graph graph = OneNode(Dense{}, {{1, 4}}, {Random({2, 4}, 1)});
  EXPECT_EQ(ErrorLabel(LowerToModule(graph, {}, {}).status()), "calibration_missing");
  EXPECT_EQ(ErrorLabel(LowerToModule(graph, {}, {{{"nobody", {}}}}).status()), "lower_input");
  EXPECT_EQ(ErrorLabel(LowerToModule(graph, {}, {{{"x0", {0.1, 0, {0, 1}}}}}).status()), "lower_input");
  const Graph norm = OneNode(BatchNorm{}, {{1, 2, 1, 1}},
                             {Random({2}, 1), Random({2}, 2), Random({2}, 3), Random({2}, 4, 1, 2)});
  Calibration calibration;
  for (const char* name : {"x0", "y"}) calibration.values[name] = {-1, 1, 1};
  const absl::Status status = LowerToModule(norm, calibration, {}).status();
  EXPECT_EQ(ErrorLabel(status), "lower_unsupported");
  EXPECT_NE(status.message().find("the node"), absl::string_view::npos);
}

}  // namespace
}  // namespace tally::quant
