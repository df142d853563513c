// Lowered modules against the float graph they came from: family integer.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/calibrate/calibrate.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

using Kind = IntegerArithmetic::Kind;

Value Integers(const std::string& name, const Shape& shape, std::optional<Interval> interval = {}) {
  return {name, {ElementType::kInt64, shape}, kGraphInput, interval};
}

// `op` of integer inputs of shapes [3, 4] and [4] in [-3, 5].
Graph OfIntegers(const Op& op, size_t count = 2) {
  GraphBuilder b("integers");
  std::vector<ValueId> operands = {*b.AddInput(Integers("a", {3, 4}, Interval{-3, 5}))};
  if (count > 1) operands.push_back(*b.AddInput(Integers("b", {4}, Interval{-3, 5})));
  b.AddOutput(*b.AddNode(op, operands, "y", "the node"));
  return *std::move(b).Build();
}

TEST(LowerInteger, IsExact) {
  for (const Kind kind : {Kind::kAdd, Kind::kSub, Kind::kMul, Kind::kMax, Kind::kMin}) {
    EXPECT_EQ(MeasureLowered(OfIntegers(IntegerArithmetic{kind})).error.largest(), 0);
  }
  for (const Comparison kind : {Comparison::kEqual, Comparison::kNotEqual, Comparison::kLess,
                                Comparison::kLessEqual, Comparison::kGreater, Comparison::kGreaterEqual}) {
    EXPECT_EQ(MeasureLowered(OfIntegers(Compare{kind})).error.largest(), 0);
  }
  for (const bool flag : {false, true}) {
    EXPECT_EQ(MeasureLowered(OfIntegers(CumulativeSum{1, flag, !flag}, 1)).error.largest(), 0);
  }
  EXPECT_EQ(MeasureLowered(OfIntegers(ToFloat{}, 1)).error.largest(), 0);
  EXPECT_EQ(MeasureLowered(OfIntegers(Lookup{Int64Tensor{{3}, {7, -9, 2}}}, 1)).error.largest(), 0);
  EXPECT_EQ(MeasureLowered(OfIntegers(Lookup{FloatTensor{{3}, {0, -1e4f, 2e4f}}}, 1)).error.largest(), 0);
  EXPECT_GT(MeasureLowered(OfIntegers(Lookup{FloatTensor{{3}, {0.1f, -0.35f, 3}}}, 1)).error.sqnr_db(), 80);
}

// On a grid so fine that no sample is within half a step of an integer.
TEST(LowerInteger, FloatsLoseTheirFraction) {
  const LoweredSamples fine = {.options = {.inputs = {{"x0", {0x1p-13, 0, {-(1 << 14), 3 << 13}}}}}};
  EXPECT_EQ(MeasureLowered(OneNode(ToInteger{}, {{40}}), fine).error.largest(), 0);
  EXPECT_EQ(MeasureLowered(OneNode(ToInteger{{-1, 1}}, {{40}}), fine).error.largest(), 0);
  // Integers that became floats are themselves again, and floor leaves no fraction.
  GraphBuilder b("there");
  const ValueId x = *b.AddInput(Integers("x", {7}, Interval{-100000, 100000}));
  b.AddOutput(*b.AddNode(ToInteger{}, {*b.AddNode(ToFloat{}, {x}, "float", "a")}, "y", "b"));
  EXPECT_EQ(MeasureLowered(*std::move(b).Build()).error.largest(), 0);
  GraphBuilder f("floor");
  const ValueId whole = *f.AddNode(Unary{RecipeFunction::kFloor}, {*f.AddInput("x0", {40})}, "whole", "a");
  f.AddOutput(*f.AddNode(ToInteger{}, {whole}, "y", "b"));
  EXPECT_EQ(MeasureLowered(*std::move(f).Build(), fine).error.largest(), 0);
}

TEST(LowerInteger, MovesAndJoinsIntegers) {
  GraphBuilder b("moves");
  const ValueId x = *b.AddInput(Integers("x", {2, 3}, Interval{-4, 9}));
  const ValueId c = *b.AddConstant("c", Int64Tensor{{1, 3}, {100, -5, 0}});
  const ValueId both = *b.AddNode(Concat{0}, {x, c}, "both", "concat");
  b.AddOutput(*b.AddNode(Transpose{{1, 0}}, {both}, "y", "transpose"));
  EXPECT_EQ(MeasureLowered(*std::move(b).Build()).error.largest(), 0);
}

TEST(LowerInteger, ComparesFloatsOnAFineGrid) {
  // The samples are far from each other for the grid's 8 bits, and none is near the number.
  EXPECT_EQ(
      MeasureLowered(OneNode(Compare{Comparison::kLess}, {{100}}, {{{1}, {0.4999f}}})).error.agreement(), 1);
  EXPECT_EQ(MeasureLowered(OneNode(Compare{Comparison::kGreaterEqual}, {{4}, {4}})).error.largest(), 0);
}

TEST(LowerInteger, ChoosesBetweenFloats) {
  GraphBuilder b("where");
  const ValueId c = *b.AddInput(Integers("c", {4, 1}, Interval{0, 1}));
  const ValueId x = *b.AddInput("x", {4, 8}), y = *b.AddInput("y", {8});
  b.AddOutput(*b.AddNode(Where{}, {c, x, y}, "r", "where"));
  EXPECT_GT(MeasureLowered(*std::move(b).Build()).error.sqnr_db(), 40);
}

TEST(LowerInteger, SumsFloats) {
  EXPECT_GT(MeasureLowered(OneNode(CumulativeSum{1}, {{3, 16}})).error.sqnr_db(), 38);
  EXPECT_GT(MeasureLowered(OneNode(CumulativeSum{0, true, true}, {{16, 3}})).error.sqnr_db(), 38);
}

// An index may count from the back, as in the float graph.
TEST(LowerInteger, ChoosesRowsByIds) {
  for (const Interval ids : {Interval{0, 9}, Interval{-10, 9}}) {
    GraphBuilder b("rows");
    const ValueId table = *b.AddConstant("table", Random({10, 4}, 1));
    const ValueId x = *b.AddInput(Integers("ids", {2, 3}, ids));
    b.AddOutput(*b.AddNode(Gather{0}, {table, x}, "y", "gather"));
    EXPECT_GT(MeasureLowered(*std::move(b).Build()).error.sqnr_db(), 40);
  }
}

struct Lowered {
  std::string label;
  Module module;
};
Lowered Lower(const Graph& graph, std::vector<std::vector<float>> samples, const LowerOptions& options = {}) {
  const auto sample = [&](int64_t i) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{
        {graph.values[graph.inputs[0]].type.shape, samples[static_cast<size_t>(i)]}};
  };
  const auto calibration = Calibrate(graph, std::ssize(samples), sample);
  if (!calibration.ok()) return {ErrorLabel(calibration.status()), {}};
  auto module = LowerToModule(graph, *calibration, options);
  if (!module.ok()) return {ErrorLabel(module.status()), {}};
  return {"", *std::move(module)};
}

Graph AsFloats(std::optional<Interval> interval = {}) {
  GraphBuilder b("cast");
  const ValueId x = *b.AddInput(Integers("x", {2}, interval));
  b.AddOutput(*b.AddNode(ToFloat{}, {x}, "y", "node 0"));
  return *std::move(b).Build();
}

// The samples of a mask may fill all their tensors.
TEST(LowerInput, AnIntegerInputTakesWhatSamplesHeldAndZero) {
  const Module module = Lower(AsFloats(), {{3, 9}, {5, 5}}).module;
  EXPECT_EQ(module.functions[0].params[0].interval, (Interval{0, 9}));
  EXPECT_EQ(module.metadata.params[0].quantization, std::nullopt);
}

TEST(LowerInput, WhatTheGraphSaysComesFirst) {
  EXPECT_EQ(Lower(AsFloats(Interval{0, 40}), {{3, 9}}).module.functions[0].params[0].interval,
            (Interval{0, 40}));
  EXPECT_EQ(Lower(AsFloats(Interval{0, 40}), {{3, 41}}).label, "graph_run_inputs");
}

TEST(LowerInput, AFormatOfIntegersHasNoGrid) {
  const auto with = [](const QuantizedType& type) { return LowerOptions{.inputs = {{"x", type}}}; };
  const Graph graph = AsFloats(Interval{0, 40});
  EXPECT_EQ(Lower(graph, {{3, 9}}, with({1, 0, {1, 20}})).module.functions[0].params[0].interval,
            (Interval{1, 20}));
  EXPECT_EQ(Lower(graph, {{3, 9}}, with({0.5, 0, {0, 20}})).label, "lower_input");
  EXPECT_EQ(Lower(graph, {{3, 9}}, with({1, 1, {0, 20}})).label, "lower_input");
  EXPECT_EQ(Lower(graph, {{3, 9}}, with({1, 0, {0, 41}})).label, "lower_input");
}

TEST(LowerInteger, RefusesIntegersThatLeaveTheVm) {
  GraphBuilder b("powers");
  ValueId x = *b.AddInput(Integers("x", {2}, Interval{0, 1 << 20}));
  for (int i = 0; i < 2; ++i) x = *b.AddNode(IntegerArithmetic{Kind::kMul}, {x, x}, "y", "node");
  b.AddOutput(x);
  EXPECT_EQ(Lower(*std::move(b).Build(), {{1, 2}}).label, "lower_unsupported");
}

// A softmax over scores of which flags hide some.
Graph Attention() {
  GraphBuilder b("attention");
  const ValueId scores = *b.AddInput("scores", {4, 16});
  const ValueId doubled = *b.AddNode(Add{}, {scores, scores}, "doubled", "add");
  const ValueId hide = *b.AddInput(Integers("hide", {1, 16}, Interval{0, 1}));
  const ValueId masked = *b.AddNode(Masked{}, {doubled, hide}, "masked", "mask");
  b.AddOutput(*b.AddNode(Softmax{1}, {masked}, "y", "softmax"));
  return *std::move(b).Build();
}

TEST(LowerMasked, TheOthersKeepTheirAccuracy) { EXPECT_GT(MeasureLowered(Attention()).error.sqnr_db(), 38); }

// Even where scores are far below all that calibration saw.
TEST(LowerMasked, WhatIsHiddenHasProbabilityZero) {
  const Graph graph = Attention();
  const std::vector<FloatTensor> seen = {Random({4, 16}, 1), {{1, 16}, std::vector<float>(16)}};
  const auto calibration =
      Calibrate(graph, 1, [&](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> { return seen; });
  const Module module = *LowerToModule(graph, *calibration, {});
  EXPECT_LE(module.functions[0].params[0].interval.hi, 127);
  const auto valid = std::make_shared<const ValidModule>(*Validate(module));
  const auto plan = *MakePlan("reference", valid);
  const auto& params = valid->entry().params;
  tally::Tensor scores(params[0].shape, params[0].storage()), hide(params[1].shape, params[1].storage());
  for (int64_t i = 0; i < 64; ++i) {
    StoreElement(params[0].storage(), scores.mutable_bytes().data(), i, params[0].interval.lo);
  }
  for (int64_t i = 0; i < 16; ++i)
    StoreElement(params[1].storage(), hide.mutable_bytes().data(), i, i % 4 != 0);
  const auto outcome = plan->Execute(std::vector<TensorView>{scores.view(), hide.view()}, {});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_EQ(outcome->results[0].view().at(i), i % 4 == 0 ? 8192 : 0) << i;  // a quarter of 2^15
  }
}

TEST(LowerMasked, FitsSixteenBits) {
  const auto calibrated = Calibrate(Attention(), 1, [](int64_t) -> absl::StatusOr<std::vector<FloatTensor>> {
    return std::vector<FloatTensor>{Random({4, 16}, 1, -40, 40), {{1, 16}, std::vector<float>(16, 1)}};
  });
  const ValidModule valid = *Validate(*LowerToModule(Attention(), *calibrated, {}));
  for (const TensorType& type : valid.types()) {
    if (type.shape.rank() != 2) continue;
    EXPECT_LE(type.interval.hi - type.interval.lo, 65535 + 1);
  }
}

TEST(LowerIntegers, ArithmeticIsExact) {
  using Kind = IntegerArithmetic::Kind;
  for (const Kind kind :
       {Kind::kAdd, Kind::kSub, Kind::kMul, Kind::kMax, Kind::kMin, Kind::kDivide, Kind::kFloorDivide,
        Kind::kModulo, Kind::kRemainder, Kind::kBitAnd, Kind::kBitOr, Kind::kBitXor}) {
    EXPECT_EQ(
        LargestError(IntegerArithmetic{kind}, {IntegersIn({40, 6}, {-90, 70}), IntegersIn({6}, {-7, 9})}), 0)
        << static_cast<int>(kind);
  }
  for (const Kind kind : {Kind::kPower, Kind::kShiftLeft, Kind::kShiftRight}) {
    EXPECT_EQ(LargestError(IntegerArithmetic{kind}, {IntegersIn({40, 6}, {-9, 7}), IntegersIn({6}, {0, 5})}),
              0)
        << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace tally::quant
