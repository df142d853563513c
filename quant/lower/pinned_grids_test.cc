// Grids and codes of a file in the module, and what is left to calibrate.
#include "quant/lower/pinned_grids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/graph/graph_builder.h"
#include "quant/grid/fixed_multiplier.h"
#include "quant/lower/file_weights.h"
#include "quant/lower/lower.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

const QuantizedType kFine = {0.25, 3, {-128, 127}, Rounding::kHalfEven};
const QuantizedType kCoarse = {0.5, -128, {-128, 127}, Rounding::kHalfEven};

// x [1, 4] on a grid, and what further nodes make of it.
struct Network {
  GraphBuilder b{"pinned"};
  ValueId x = *b.AddInput("x", {1, 4});
  ValueId on_grid = Quantized(x, kFine, "x_on_grid");

  ValueId Quantized(ValueId of, const QuantizedType& grid, std::string_view name) {
    return *b.AddNode(FakeQuantize{grid}, {of}, name, "a quantizer");
  }
  Graph Build(ValueId output) && {
    b.AddOutput(output);
    return *std::move(b).Build();
  }
};

ValueId Coded(GraphBuilder& b, const Shape& shape, std::vector<int32_t> codes, std::vector<double> scales,
              int64_t axis) {
  FloatTensor floats{shape, std::vector<float>(codes.size(), 1)};
  return *b.AddConstant(
      "w", std::make_shared<const Tensor>(std::move(floats)),
      std::make_shared<const ConstantCodes>(ConstantCodes{std::move(codes), std::move(scales), axis}));
}

std::vector<int64_t> RunOn(const Module& module, const std::vector<int64_t>& codes) {
  auto valid = Validate(Module(module));
  EXPECT_TRUE(valid.ok()) << valid.status();
  const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
  const TensorType& type = plan->module().entry().params[0];
  const auto input = *tally::Tensor::FromValues(type.shape, type.storage(), codes);
  const TensorView views[] = {input.view()};
  const auto outcome = *plan->Execute(views, {});
  const TensorView view = outcome.results[0].view();
  std::vector<int64_t> result;
  for (int64_t i = 0; i < view.shape.num_elements(); ++i) result.push_back(view.at(i));
  return result;
}

TEST(FakeQuantize, RoundsTiesToEvenAndClamps) {
  const FloatTensor x{{5}, {0.125f, 0.375f, -0.125f, 100, -100}};
  const Tensor operand = x;
  const Tensor* operands[] = {&operand};
  const Tensor even = FakeQuantize{kFine}.Evaluate(operands, {5});
  EXPECT_EQ(std::get<FloatTensor>(even).data, (std::vector<float>{0, 0.5f, 0, 31, -32.75f}));
}

TEST(FakeQuantize, TakesGridsThatModulesHave) {
  const auto label = [](double scale, Interval interval, int64_t zero) {
    GraphBuilder b("grids");
    const ValueId x = *b.AddInput("x", {4});
    return std::string(ErrorLabel(b.AddNode(FakeQuantize{{scale, zero, interval}}, {x}, "y", "n").status()));
  };
  EXPECT_EQ(label(0.1f, {0, 255}, 255), "");
  EXPECT_EQ(label(0.1, {0, 255}, 0), "graph_attribute");  // more than 24 bits
  EXPECT_EQ(label(0, {0, 255}, 0), "graph_attribute");
  EXPECT_EQ(label(-1, {0, 255}, 0), "graph_attribute");
  EXPECT_EQ(label(HUGE_VAL, {0, 255}, 0), "graph_attribute");
  EXPECT_EQ(label(1, {1, 0}, 0), "graph_attribute");
  EXPECT_EQ(label(1, {0, int64_t{1} << 31}, 0), "graph_attribute");
  EXPECT_EQ(label(1, {0, 255}, int64_t{1} << 31), "graph_attribute");
}

TEST(ConstantCodes, FitTheirConstant) {
  const auto label = [](std::vector<int32_t> codes, std::vector<double> scales, int64_t axis) {
    GraphBuilder b("codes");
    const auto floats = std::make_shared<const Tensor>(FloatTensor{{2, 3}, {1, 2, 3, 4, 5, 6}});
    const auto status =
        b.AddConstant(
             "w", floats,
             std::make_shared<const ConstantCodes>(ConstantCodes{std::move(codes), std::move(scales), axis}))
            .status();
    return std::string(ErrorLabel(status));
  };
  const std::vector<int32_t> six = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(label(six, {1}, 0), "");
  EXPECT_EQ(label(six, {1, 2}, 0), "");
  EXPECT_EQ(label(six, {1, 2, 3}, 1), "");
  EXPECT_EQ(label(six, {1, 2}, 1), "graph_constant_data");
  EXPECT_EQ(label(six, {1, 2}, 2), "graph_constant_data");
  EXPECT_EQ(label(six, {1, 2}, -1), "graph_constant_data");
  EXPECT_EQ(label(six, {}, 0), "graph_constant_data");
  EXPECT_EQ(label(six, {0}, 0), "graph_constant_data");
  EXPECT_EQ(label({1, 2}, {1}, 0), "graph_constant_data");
}

TEST(PinnedGrids, ReachBackThroughWhatMovesOrChoosesElements) {
  Network n;
  const ValueId sum = *n.b.AddNode(Add{}, {n.on_grid, n.on_grid}, "sum", "add");
  const ValueId relu = *n.b.AddNode(Relu{}, {sum}, "relu", "relu");
  const ValueId column = *n.b.AddNode(Reshape{{4, 1}}, {relu}, "column", "reshape");
  const ValueId other = *n.b.AddNode(Unary{RecipeFunction::kTanh}, {n.on_grid}, "tanh", "tanh");
  const ValueId other_column = *n.b.AddNode(Reshape{{4, 1}}, {other}, "other_column", "reshape");
  const ValueId both = *n.b.AddNode(Concat{1}, {column, other_column}, "both", "concat");
  const Graph graph = std::move(n).Build(n.Quantized(both, kCoarse, "y"));
  const auto grids = PinnedGrids(graph);
  for (const ValueId id : {sum, relu, column, other, both}) EXPECT_EQ(grids[id], kCoarse) << id;
  EXPECT_EQ(grids[n.x], kFine);
  EXPECT_TRUE(ValuesToCalibrate(graph, {}).empty());
  EXPECT_TRUE(Validate(*LowerToModule(graph, {}, {})).ok());
}

TEST(PinnedGrids, AreNoneWhereReadersDiffer) {
  Network n;
  const ValueId sum = *n.b.AddNode(Add{}, {n.on_grid, n.on_grid}, "sum", "add");
  const ValueId a = n.Quantized(sum, kFine, "a"), b = n.Quantized(sum, kCoarse, "b");
  const ValueId y = *n.b.AddNode(Add{}, {a, b}, "y", "add");
  const Graph graph = std::move(n).Build(n.Quantized(y, kCoarse, "z"));
  EXPECT_FALSE(PinnedGrids(graph)[sum].has_value());
  EXPECT_EQ(ValuesToCalibrate(graph, {}), std::vector<ValueId>{sum});
  // With that range alone the network lowers.
  Calibration calibration;
  EXPECT_EQ(ErrorLabel(LowerToModule(graph, calibration, {}).status()), "calibration_missing");
  calibration.values["sum"] = {-1, 1, 1};
  EXPECT_TRUE(LowerToModule(graph, calibration, {}).ok());
}

TEST(PinnedGrids, AreNoneOfAnOutputThatIsNotRounded) {
  Network n;
  const ValueId sum = *n.b.AddNode(Add{}, {n.on_grid, n.on_grid}, "sum", "add");
  const ValueId y = n.Quantized(sum, kFine, "y");
  n.b.AddOutput(sum);
  const Graph graph = std::move(n).Build(y);
  EXPECT_FALSE(PinnedGrids(graph)[sum].has_value());
}

TEST(ValuesToCalibrate, AreInputsAndResultsWithoutAGrid) {
  GraphBuilder b("plain");
  const ValueId x = *b.AddInput("x", {1, 4});
  const ValueId y = *b.AddNode(Add{}, {x, x}, "y", "add");
  const ValueId z = *b.AddNode(Relu{}, {y}, "z", "relu");
  const ValueId p = *b.AddNode(Softmax{1}, {z}, "p", "softmax");
  b.AddOutput(p);
  const Graph graph = *std::move(b).Build();
  EXPECT_EQ(ValuesToCalibrate(graph, {}), (std::vector{x, z}));
  EXPECT_EQ(ValuesToCalibrate(graph, {{"x", kFine}}), std::vector{z});
}

TEST(Lower, AQuantizerBehindItsGridCostsNothing) {
  Network n;
  const ValueId sum = *n.b.AddNode(Add{}, {n.on_grid, n.on_grid}, "sum", "add");
  const ValueId once = n.Quantized(sum, kCoarse, "once"), twice = n.Quantized(once, kCoarse, "twice");
  const Module module = *LowerToModule(std::move(n).Build(twice), {}, {});
  ASSERT_EQ(module.entry().body.size(), 1u);
  // (2 (q - 3) 0.25) / 0.5 - 128, ties to even: none here, as the ratio is whole.
  EXPECT_EQ(RunOn(module, {3, 4, 127, -128}), (std::vector<int64_t>{-128, -127, -4, -128}));
}

TEST(Lower, TiesOfASumGoToTheEvenInteger) {
  Network n;
  const ValueId zero = n.Quantized(n.x, kFine, "again");
  const QuantizedType to = {1, 0, {-128, 127}, Rounding::kHalfEven};
  const ValueId sum = *n.b.AddNode(Add{}, {n.on_grid, zero}, "sum", "add");
  const Module module = *LowerToModule(std::move(n).Build(n.Quantized(sum, to, "y")), {}, {});
  // 0.5 (q - 3): 0.5 -> 0, 1.5 -> 2, -0.5 -> 0, 2.5 -> 2.
  EXPECT_EQ(RunOn(module, {4, 6, 2, 8}), (std::vector<int64_t>{0, 2, 0, 2}));
}

TEST(Lower, WeightsOfAFileAreItsCodes) {
  Network n;
  const ValueId w = Coded(n.b, {2, 4}, {1, -128, 200, 0, 7, 7, 7, -9}, {0.5, 2}, 0);
  const ValueId y = *n.b.AddNode(Dense{}, {n.on_grid, w}, "y", "fc");
  const QuantizedType to = {0.125, 0, {-32768, 32767}, Rounding::kHalfEven};
  const Module module = *LowerToModule(std::move(n).Build(n.Quantized(y, to, "y8")), {}, {});
  bool has_codes = false;
  for (const TensorView& constant : module.constants) {
    if (constant.shape.num_elements() != 8) continue;
    std::vector<int64_t> codes;
    for (int64_t i = 0; i < 8; ++i) codes.push_back(constant.at(i));
    has_codes |= codes == std::vector<int64_t>{1, -128, 200, 0, 7, 7, 7, -9};
  }
  EXPECT_TRUE(has_codes);
  // sum (q - 3) w, times 0.25 * 0.5 / 0.125 = 1 and 0.25 * 2 / 0.125 = 4.
  EXPECT_EQ(RunOn(module, {4, 3, 5, 3}), (std::vector<int64_t>{401, 84}));
}

TEST(Lower, TiesOfALayerGoToTheEvenInteger) {
  Network n;
  const ValueId w = Coded(n.b, {4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0.5}, 0);
  const ValueId y = *n.b.AddNode(Dense{}, {n.on_grid, w}, "y", "fc");
  const QuantizedType to = {0.25, 0, {-128, 127}, Rounding::kHalfEven};
  const Module module = *LowerToModule(std::move(n).Build(n.Quantized(y, to, "y8")), {}, {});
  // 0.5 (q - 3): 0.5 -> 0, 1.5 -> 2, -0.5 -> 0, -1.5 -> -2.
  EXPECT_EQ(RunOn(module, {4, 6, 2, 0}), (std::vector<int64_t>{0, 2, 0, -2}));
}

TEST(Lower, MultipliersAreThoseOfFloat32) {
  const float x_scale = 0.1f, w_scale = 0.3f, y_scale = 0.7f;
  const float gain = x_scale * w_scale / y_scale;
  ASSERT_NE(static_cast<double>(gain), double{x_scale} * double{w_scale} / double{y_scale});
  Network n;
  const ValueId x = n.Quantized(n.x, {x_scale, 0, {-128, 127}, Rounding::kHalfEven}, "x8");
  const ValueId w = Coded(n.b, {1, 4}, {1, 2, 3, 4}, {w_scale}, 0);
  const ValueId y = *n.b.AddNode(Dense{}, {x, w}, "y", "fc");
  const ValueId y8 = n.Quantized(y, {y_scale, 0, {-128, 127}, Rounding::kHalfEven}, "y8");
  Calibration calibration;
  calibration.values["x"] = {-1, 1, 1};
  const Module module = *LowerToModule(std::move(n).Build(y8), calibration, {});
  const FixedMultiplier fixed = *ToFixedMultiplier(gain, 128 * 10);
  EXPECT_EQ(std::ldexp(static_cast<double>(fixed.multiplier), -static_cast<int>(fixed.shift)), gain);
  EXPECT_TRUE(std::ranges::any_of(module.constants, [&](const TensorView& constant) {
    return constant.shape.num_elements() == 1 && constant.at(0) == fixed.multiplier;
  }));
}

TEST(Lower, RefusesScalesAlongWhatIsSummed) {
  Network n;
  const ValueId w = Coded(n.b, {2, 4}, std::vector<int32_t>(8, 1), {1, 2, 3, 4}, 1);
  const ValueId y = *n.b.AddNode(Dense{}, {n.on_grid, w}, "y", "node 'fc'");
  const absl::Status status =
      LowerToModule(std::move(n).Build(n.Quantized(y, kCoarse, "z")), {}, {}).status();
  EXPECT_EQ(ErrorLabel(status), "lower_unsupported");
  EXPECT_NE(status.message().find("node 'fc'"), absl::string_view::npos);
  EXPECT_NE(status.message().find("along axis 0"), absl::string_view::npos);
}

TEST(Lower, RefusesGainsThatNoMultiplierHas) {
  Network n;
  const ValueId huge = n.Quantized(n.x, {0x1p60, 0, {-128, 127}, Rounding::kHalfEven}, "huge");
  const ValueId sum = *n.b.AddNode(Add{}, {huge, n.on_grid}, "sum", "add");
  EXPECT_EQ(ErrorLabel(
                LowerToModule(std::move(n).Build(n.Quantized(sum, kFine, "y")), {{}, {{"x", {-1, 1, 1}}}}, {})
                    .status()),
            "lower_gain");
}

TEST(BiasInUnits, TakesCodesInTheUnitsOfTheSumAndRoundsOthers) {
  const FloatTensor bias{{2}, {10, 20}};
  const ConstantCodes same = {{1234, -77}, {0.5f * 0.1f}, 0}, other = {{1234, -77}, {0.5}, 0};
  const double unit = 0.5 * static_cast<double>(0.1f);
  EXPECT_EQ(*BiasInUnits(bias, &same, 1, unit), -77);
  EXPECT_EQ(*BiasInUnits(bias, &other, 1, unit), 400);
  EXPECT_EQ(*BiasInUnits(bias, nullptr, 0, unit), 200);
  EXPECT_EQ(ErrorLabel(BiasInUnits(bias, nullptr, 0, 0x1p-60).status()), "lower_gain");
}

}  // namespace
}  // namespace tally::quant
