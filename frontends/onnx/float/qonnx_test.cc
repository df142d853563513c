// Quant of QONNX: what becomes of constants and of what is computed, and a network as Brevitas exports it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"
#include "quant/lower/lower.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::onnx {
namespace {

using quant::FloatTensor;

constexpr char kDomain[] = "qonnx.custom_op.general";

FloatTensor Scalar(float x) { return {{}, {x}}; }

struct Grid {
  FloatTensor scales;
  float zero = 0, bits = 8;
  int64_t is_signed = 1, is_narrow = 0;
  std::string mode = "ROUND";
};

// y = Quant(x), all of whose other inputs are constants.
NodeBuilder AddQuant(ModelBuilder& model, const std::string& x, const std::string& y, const Grid& grid) {
  model.Weight(y + "_s", grid.scales).Weight(y + "_z", Scalar(grid.zero)).Weight(y + "_b", Scalar(grid.bits));
  return model.Node("Quant", {x, y + "_s", y + "_z", y + "_b"}, {y})
      .Domain(kDomain)
      .Int("signed", grid.is_signed)
      .Int("narrow", grid.is_narrow)
      .String("rounding_mode", grid.mode);
}

ModelBuilder OfActivation(const Grid& grid) {
  ModelBuilder model;
  model.Input("x", {1, 6}).Output("y");
  AddQuant(model, "x", "y", grid);
  return model;
}

std::vector<float> Activation(const Grid& grid, const std::vector<float>& x) {
  return std::get<FloatTensor>(OfActivation(grid).Run({{{1, 6}, x}}).at(0)).data;
}

// y = x + Quant(constant) with x = 0.
ModelBuilder OfConstant(const Grid& grid, const FloatTensor& constant) {
  ModelBuilder model;
  model.Input("x", constant.shape).Output("y").Weight("w", constant);
  AddQuant(model, "w", "q", grid);
  model.Node("Add", {"x", "q"}, {"y"});
  return model;
}

std::vector<float> Constant(const Grid& grid, const FloatTensor& constant) {
  const FloatTensor zeros{constant.shape, std::vector<float>(constant.data.size())};
  return std::get<FloatTensor>(OfConstant(grid, constant).Run({zeros}).at(0)).data;
}

TEST(ImportQonnx, ActivationsAreOnAGrid) {
  const std::vector<float> x = {0.25f, 0.75f, 1.3f, 100, -100, -0.6f};
  EXPECT_EQ(OpsOf(*OfActivation({Scalar(0.5f)}).Import()), "FakeQuantize");
  EXPECT_EQ(Activation({Scalar(0.5f)}, x), (std::vector<float>{0, 1, 1.5f, 63.5f, -64, -0.5f}));
  EXPECT_EQ(Activation({Scalar(0.5f), 0, 4}, x), (std::vector<float>{0, 1, 1.5f, 3.5f, -4, -0.5f}));
  EXPECT_EQ(Activation({Scalar(0.5f), 0, 4, 1, 1}, x), (std::vector<float>{0, 1, 1.5f, 3.5f, -3.5f, -0.5f}));
  EXPECT_EQ(Activation({Scalar(0.5f), 0, 4, 0}, x), (std::vector<float>{0, 1, 1.5f, 7.5f, 0, 0}));
  EXPECT_EQ(Activation({Scalar(0.5f), 0, 4, 0, 1}, x), (std::vector<float>{0, 1, 1.5f, 7, 0, 0}));
  EXPECT_EQ(Activation({Scalar(0.5f), 3, 4, 0}, x), (std::vector<float>{0, 1, 1.5f, 6, -1.5f, -0.5f}));
  EXPECT_EQ(Activation({Scalar(0.5f), 0, 8, 0}, x), (std::vector<float>{0, 1, 1.5f, 100, 0, 0}));
}

TEST(ImportQonnx, ActivationsMayHaveAScaleForEachChannel) {
  const std::vector<float> x = {0.25f, 0.75f, 1.3f, 100, -100, -0.6f};
  EXPECT_EQ(Activation({{{6}, {0.5f, 1, 1, 0.25f, 2, 0.5f}}, 0, 4}, x),
            (std::vector<float>{0, 1, 1, 1.75f, -16, -0.5f}));
}

TEST(ImportQonnx, ConstantsAreRoundedAsTheModeSays) {
  const FloatTensor w{{6}, {0.5f, 1.5f, -0.5f, -1.5f, 1.2f, -1.7f}};
  const struct {
    const char* mode;
    std::vector<float> expected;
  } cases[] = {{"ROUND", {0, 2, 0, -2, 1, -2}},     {"round", {0, 2, 0, -2, 1, -2}},
               {"HALF_EVEN", {0, 2, 0, -2, 1, -2}}, {"CEIL", {1, 2, 0, -1, 2, -1}},
               {"FLOOR", {0, 1, -1, -2, 1, -2}},    {"UP", {1, 2, -1, -2, 2, -2}},
               {"DOWN", {0, 1, 0, -1, 1, -1}},      {"ROUND_TO_ZERO", {0, 1, 0, -1, 1, -1}},
               {"HALF_UP", {1, 2, -1, -2, 1, -2}},  {"HALF_DOWN", {0, 1, 0, -1, 1, -2}}};
  for (const auto& [mode, expected] : cases) {
    EXPECT_EQ(Constant({Scalar(1), 0, 4, 1, 0, mode}, w), expected) << mode;
  }
}

TEST(ImportQonnx, ConstantsHaveScalesAlongAnyAxis) {
  const FloatTensor w{{2, 2, 1}, {1, 2, 3, 4}};
  EXPECT_EQ(Constant({{{2, 1, 1}, {1, 0.75f}}}, w), (std::vector<float>{1, 2, 3, 3.75f}));
  EXPECT_EQ(Constant({{{2, 1}, {1, 0.75f}}}, w), (std::vector<float>{1, 2.25f, 3, 3.75f}));
  EXPECT_EQ(Constant({{{1}, {0.75f}}}, w), (std::vector<float>{0.75f, 2.25f, 3, 3.75f}));
  EXPECT_EQ(OfConstant({{{2, 2, 1}, {1, 2, 3, 4}}}, w).ImportLabel(), "model_unsupported_operand");
  EXPECT_EQ(OfConstant({{{3, 1}, {1, 2, 3}}}, w).ImportLabel(), "model_unsupported_operand");
  EXPECT_EQ(OfConstant({{{1, 1, 2, 1}, {1, 0.75f}}}, w).ImportLabel(), "");
  EXPECT_EQ(OfConstant({{{2, 1, 1, 1}, {1, 0.75f}}}, w).ImportLabel(), "model_unsupported_operand");
}

TEST(ImportQonnx, RefusesWhatItDoesNotRoundAs) {
  EXPECT_EQ(OfActivation({Scalar(1), 0, 16}).ImportLabel(), "");
  for (const float bits : {1.0f, 17.0f, 2.5f, -3.0f, std::nanf("")}) {
    EXPECT_EQ(OfActivation({Scalar(1), 0, bits}).ImportLabel(), "model_unsupported_operand") << bits;
  }
  EXPECT_EQ(OfConstant({Scalar(1), 0, 32}, Scalar(1)).ImportLabel(), "");
  EXPECT_EQ(OfConstant({Scalar(1), 0, 33}, Scalar(1)).ImportLabel(), "model_unsupported_operand");
  for (const float scale : {0.0f, -1.0f, std::nanf(""), INFINITY}) {
    EXPECT_EQ(OfActivation({Scalar(scale)}).ImportLabel(), "model_malformed") << scale;
  }
  for (const float zero : {0.5f, 8.0f, -9.0f, 1e30f, std::nanf("")}) {
    EXPECT_EQ(OfActivation({Scalar(1), zero, 4}).ImportLabel(), "model_unsupported_operand") << zero;
  }
  EXPECT_EQ(OfActivation({Scalar(1), 0, 8, 1, 0, "FLOOR"}).ImportLabel(), "model_unsupported_attribute");
  EXPECT_EQ(OfActivation({Scalar(1), 0, 8, 1, 0, "RANDOM"}).ImportLabel(), "model_unsupported_attribute");
  EXPECT_EQ(OfConstant({Scalar(1)}, Scalar(INFINITY)).ImportLabel(), "model_nan_weight");
}

// x -> 8 bits -> convolution with 4-bit weights by channel, bias of 16 bits in units of the sum -> Relu on 4
// bits -> product with 3-bit weights, which are transposed.
ModelBuilder Brevitas() {
  ModelBuilder model;
  model.Input("x", {1, 2, 5, 5}).Output("y");
  FloatTensor weights = SmallIntegers({3, 2, 3, 3}, 1), columns = SmallIntegers({4, 27}, 2);
  for (float& w : weights.data) w *= 0.11f;
  for (float& w : columns.data) w *= 0.09f;
  model.Weight("w", weights).Weight("c", columns).Weight("b", {{3}, {0.3f, -0.2f, 0.1f}});
  AddQuant(model, "x", "xq", {Scalar(0.0625f)});
  AddQuant(model, "w", "wq", {{{3, 1, 1, 1}, {0.125f, 0.25f, 0.0625f}}, 0, 4, 1, 1});
  AddQuant(model, "b", "bq", {{{3}, {0.0078125f, 0.015625f, 0.00390625f}}, 0, 16});
  AddQuant(model, "c", "cq", {{{4, 1}, {0.5f, 0.25f, 0.125f, 0.25f}}, 0, 3, 1, 1});
  model.Node("Conv", {"xq", "wq", "bq"}, {"sums"});
  model.Node("Relu", {"sums"}, {"positive"});
  AddQuant(model, "positive", "pq", {Scalar(0.25f), 0, 4, 0});
  model.Node("Flatten", {"pq"}, {"flat"});
  model.Node("Transpose", {"cq"}, {"ct"}).Ints("perm", {1, 0});
  model.Node("MatMul", {"flat", "ct"}, {"product"});
  AddQuant(model, "product", "y", {Scalar(0.125f), 0, 8});
  return model;
}

TEST(ImportQonnx, ANetworkOfBrevitasKeepsItsCodes) {
  const auto graph = Brevitas().Import();
  ASSERT_TRUE(graph.ok()) << graph.status();
  int weights = 0;
  for (const quant::Node& node : graph->nodes) {
    if (!quant::TraitsOf(node.op).has_weights) continue;
    const quant::ConstantCodes* codes = quant::CodesOf(*graph, node.operands[1]);
    ASSERT_NE(codes, nullptr) << node.source;
    for (const int32_t code : codes->codes) EXPECT_LE(std::abs(code), 7);
    ++weights;
  }
  EXPECT_EQ(weights, 2);
  EXPECT_TRUE(quant::LowerToModule(*graph, {}, {}).ok()) << "all grids are in the file";
  const quant::OutputAccuracy y = quant::MeasureLowered(*graph);
  EXPECT_EQ(y.step, 0.125);
  EXPECT_LE(y.error.largest(), y.step);
  EXPECT_GT(y.error.sqnr_db(), 40);  // a step where sums of the network end between two codes
}

}  // namespace
}  // namespace tally::onnx
