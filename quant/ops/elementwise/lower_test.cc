// Lowered modules against the float graph they came from: family elementwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engines/engine.h"
#include "quant/graph/graph_builder.h"
#include "quant/grid/quantized_type.h"
#include "quant/lower/testing/measure_lowered.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

TEST(LowerElementwise, SubOfEqualAndOfBroadcastShapes) {
  EXPECT_GT(Sqnr(OneNode(Sub{}, {{2, 30}, {2, 30}})), kGood);
  EXPECT_GT(Sqnr(OneNode(Sub{}, {{2, 30}, {30}})), kGood);
  EXPECT_GT(Sqnr(OneNode(Sub{}, {{2, 30}}, {Random({2, 30}, 6)})), kGood);
}

TEST(LowerElementwise, MulOfEqualAndOfBroadcastShapes) {
  EXPECT_GT(Sqnr(OneNode(Mul{}, {{2, 30}, {2, 30}})), kGood);
  EXPECT_GT(Sqnr(OneNode(Mul{}, {{2, 1, 30}, {4, 1}})), kGood);
  EXPECT_GT(Sqnr(OneNode(Mul{}, {{2, 30}}, {Random({2, 30}, 6)})), kGood);
}

TEST(LowerElementwise, MaxAndMin) {
  EXPECT_GT(Sqnr(OneNode(Max{}, {{2, 30}, {30}})), kGood);
  EXPECT_GT(Sqnr(OneNode(Min{}, {{2, 30}, {2, 30}})), kGood);
  EXPECT_GT(Sqnr(OneNode(Max{}, {{2, 30}}, {Random({30}, 6)})), kGood);
}

// The opcodes of the module, without constants.
std::vector<std::string_view> CodeOf(const Graph& graph, const Calibration& calibration) {
  const auto module = LowerToModule(graph, calibration, {});
  EXPECT_TRUE(module.ok()) << module.status();
  std::vector<std::string_view> names;
  for (const Instruction& instruction : module->entry().body) {
    if (instruction.op != Opcode::kConstant) names.push_back(InfoOf(instruction.op).name);
  }
  return names;
}

// One for all, and one for each channel of any axis, on either side; some negative.
TEST(LowerElementwise, ConstantsOfChannelsAreOneRescale) {
  const Calibration calibration{1, {{"x0", {-2, 3, 1}}, {"y", {-9, 9, 1}}}};
  for (const Op& op : {Op(Add{}), Op(Sub{}), Op(Mul{})}) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{5}, Shape{1, 1, 5}, Shape{4, 1}, Shape{3, 1, 1}}) {
      for (const bool is_first : {false, true}) {
        GraphBuilder b("one");
        const ValueId x = *b.AddInput("x0", {3, 4, 5});
        const ValueId c = *b.AddConstant("c", Random(shape, 6));
        const auto operands = is_first ? std::vector<ValueId>{c, x} : std::vector<ValueId>{x, c};
        b.AddOutput(*b.AddNode(op, operands, "y", "node"));
        const Graph graph = *std::move(b).Build();
        EXPECT_EQ(CodeOf(graph, calibration), std::vector<std::string_view>{"rescale"}) << OpName(op);
        EXPECT_GT(Sqnr(graph), kGood) << OpName(op) << ToString(shape) << is_first;
      }
    }
  }
}

// A constant may be far larger than a step of the result.
TEST(LowerElementwise, AddendsThatLeaveNoRoomSaturate) {
  const Graph graph = OneNode(Add{}, {{2, 30}}, {FloatTensor{{}, {1e30f}}});
  const Calibration calibration{1, {{"x0", {-2, 3, 1}}, {"y", {-1, 1, 1}}}};
  EXPECT_EQ(CodeOf(graph, calibration), std::vector<std::string_view>{"rescale"});
}

// The divisor reads wide, so the 8 bits of a graph input would be too few for it.
TEST(LowerElementwise, DivByAValue) {
  const LoweredSamples samples{0.5, 3, {{{"x1", ChooseAffine(0, 3, kWideBits)}}}};
  EXPECT_GT(Sqnr(OneNode(Div{}, {{2, 30}, {2, 30}}), samples), kGood);
  EXPECT_GT(Sqnr(OneNode(Div{}, {{2, 30}, {1, 30}}), samples), kGood);
}

TEST(LowerElementwise, ActivationsBehindAreBounds) {
  for (const Op& op : {Op(Sub{}), Op(Mul{}), Op(Max{}), Op(Min{}), Op(Div{})}) {
    GraphBuilder b("fused");
    const ValueId x = *b.AddInput("x", {4, 30}), z = *b.AddInput("z", {4, 30});
    const ValueId y = *b.AddNode(op, {x, z}, "y", "node");
    b.AddOutput(*b.AddNode(Clip{0.75, 1}, {y}, "clip", "clip"));
    const Graph graph = *std::move(b).Build();
    const Calibration calibration{1, {{"x", {1, 3, 1}}, {"z", {1, 3, 1}}, {"clip", {0.75, 1, 1}}}};
    const auto code = CodeOf(graph, calibration);
    EXPECT_EQ(std::count(code.begin(), code.end(), "clip"), 0) << OpName(op);
    EXPECT_GT(Sqnr(graph, {1, 3}), kGood) << OpName(op);
  }
}

struct FunctionCase {
  Unary op;
  double low, high;
};

// 8 bits of the operand: half a step of it, times the slope.
TEST(LowerElementwise, FunctionsOf8Bits) {
  using F = RecipeFunction;
  for (const auto& [op, low, high] :
       {FunctionCase{{F::kSigmoid}, -6, 6},
        {{F::kTanh}, -3, 3},
        {{F::kErf}, -3, 3},
        {{F::kGelu}, -4, 4},
        {{F::kGeluTanh}, -4, 4},
        {{F::kGeluSigmoid}, -4, 4},
        {{F::kSilu}, -6, 6},
        {{F::kMish}, -4, 4},
        {{F::kSoftplus}, -6, 6},
        {{F::kSoftsign}, -4, 4},
        {{F::kElu, 1}, -4, 4},
        {{F::kSelu, 1.67326319217681884765625f, 1.05070102214813232421875f}, -4, 4},
        {{F::kCelu, 0.7f}, -4, 4},
        {{F::kHardSigmoid, 0.2f, 0.5f}, -4, 4},
        {{F::kHardSwish, 1.0f / 6, 0.5f}, -4, 4},
        {{F::kAtan}, -4, 4},
        {{F::kAsinh}, -4, 4},
        {{F::kIdentity}, -4, 4}}) {
    EXPECT_FALSE(op.ReadsWide(0));
    EXPECT_GT(Sqnr(OneNode(op, {{3, 50}}), {low, high}), kGood) << InfoOf(op.function).name;
  }
}

// 12 bits, which are enough and take less of a test's time than the 16 of a value that these read.
TEST(LowerElementwise, FunctionsOfWideOperands) {
  using F = RecipeFunction;
  for (const auto& [op, low, high] : {FunctionCase{{F::kExp}, -6, 3},
                                      {{F::kExp2}, -6, 6},
                                      {{F::kExpNegative}, -1, 6},
                                      {{F::kLog}, 0.01, 4},
                                      {{F::kLog2}, 0.01, 4},
                                      {{F::kSqrt}, 0, 4},
                                      {{F::kRsqrt}, 0.01, 4},
                                      {{F::kReciprocal}, 0.05, 4},
                                      {{F::kPower, 2}, -4, 4},
                                      {{F::kPower, 3}, -4, 4},
                                      {{F::kPower, 1.7f}, 0, 4},
                                      {{F::kPower, -0.75f}, 0.05, 4},
                                      {{F::kSin}, -20, 20},
                                      {{F::kCos}, -20, 20},
                                      {{F::kTan}, -1.4, 1.4},
                                      {{F::kAsin}, -1, 1},
                                      {{F::kAcos}, -1, 1},
                                      {{F::kSinh}, -4, 4},
                                      {{F::kCosh}, -4, 4},
                                      {{F::kAcosh}, 1, 4},
                                      {{F::kAtanh}, -0.99, 0.99},
                                      {{F::kFloor}, -4, 4},
                                      {{F::kCeil}, -4, 4},
                                      {{F::kRoundHalfEven}, -4, 4},
                                      {{F::kSign}, -4, 4},
                                      {{F::kThreshold, 1}, -4, 4}}) {
    EXPECT_TRUE(op.ReadsWide(0));
    const LoweredSamples samples{low, high, {{{"x0", ChooseAffine(low, high, 12)}}}};
    EXPECT_GT(Sqnr(OneNode(op, {{3, 50}}), samples), kGood) << InfoOf(op.function).name;
  }
}

TEST(LowerElementwise, SlopesAreExactToHalfAStep) {
  for (const Slopes& op :
       {Slopes{0.01f, 1}, Slopes{-1, 1}, Slopes{-1, -1}, Slopes{0, 2}, Slopes{-0.3f, -1e-9f}}) {
    EXPECT_GT(Sqnr(OneNode(op, {{3, 50}})), kGood) << op.below << " " << op.above;
  }
  const LoweredSamples exact{-128, 127, {{{"x0", {1, 0, {-128, 127}}}}}};
  const Graph graph = OneNode(Slopes{-1, 1}, {{1, 4}});
  const Calibration calibration{1, {{"y", {0, 65535, 1}}}};
  const auto module = LowerToModule(graph, calibration, exact.options);
  ASSERT_TRUE(module.ok()) << module.status();
  const TensorView& table = module->constants[0];
  ASSERT_EQ(table.shape.num_elements(), 256);
  for (int64_t i = 0; i < 256; ++i) EXPECT_EQ(table.at(i), std::abs(i - 128) - 32768);
}

// Halves go up, and a bound of an activation after is that of the entries.
TEST(LowerElementwise, EntriesOfSlopesRoundHalvesUpAndSaturate) {
  GraphBuilder b("slopes");
  const ValueId x = *b.AddInput("x0", {1, 4});
  const ValueId y = *b.AddNode(Slopes{0.5f, 0.5f}, {x}, "y", "node");
  b.AddOutput(*b.AddNode(Clip{-1, 2}, {y}, "clip", "clip"));
  const Calibration calibration{1, {{"clip", {-32768, 32767, 1}}}};
  const auto module = LowerToModule(*std::move(b).Build(), calibration, {{{"x0", {1, 0, {-4, 6}}}}});
  ASSERT_TRUE(module.ok()) << module.status();
  const TensorView& table = module->constants[0];
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < table.shape.num_elements(); ++i) entries.push_back(table.at(i));
  EXPECT_EQ(entries, (std::vector<int64_t>{-1, -1, -1, 0, 0, 1, 1, 2, 2, 2, 2}));
}

// Every code of 16 bits has a result within the half step that a table would have.
TEST(LowerElementwise, SlopesOfManyCodesAreProducts) {
  constexpr int64_t kCodes = 65536;
  std::vector<int64_t> codes(kCodes);
  std::iota(codes.begin(), codes.end(), -kCodes / 2);
  for (const Slopes& op : {Slopes{0.1f, 1}, Slopes{-1, 1}, Slopes{2, -0.3f}, Slopes{0, 0.5f}}) {
    const QuantizedType from{0.25, 77, {-kCodes / 2, kCodes / 2 - 1}};
    const Graph graph = OneNode(op, {{1, kCodes}});
    const auto lowered = LowerGraph(graph, {1, {{"y", {-5000, 7000, 1}}}}, {{{"x0", from}}});
    ASSERT_TRUE(lowered.ok()) << lowered.status();
    for (const TensorView& constant : lowered->module.constants) EXPECT_LT(constant.shape.num_elements(), 9);
    const QuantizedType to = lowered->values[graph.outputs[0].value]->type;
    auto valid = Validate(Module(lowered->module));
    ASSERT_TRUE(valid.ok()) << valid.status();
    const auto plan = *MakePlan("reference", std::make_shared<const ValidModule>(*std::move(valid)));
    const tally::Tensor x = *tally::Tensor::FromValues(*tally::Shape::Create({1, kCodes}), codes);
    const TensorView inputs[] = {x.view()};
    const tally::Tensor y = plan->Execute(inputs, {})->results[0];
    for (int64_t i = 0; i < kCodes; ++i) {
      const double real = static_cast<double>(codes[i] - from.zero_point) * from.scale;
      const double wanted = real * (real < 0 ? op.below : op.above) / to.scale + to.zero_point;
      const double held = std::clamp<double>(wanted, to.interval.lo, to.interval.hi);
      ASSERT_NEAR(y.view().at(i), held, 0.501) << op.below << " " << op.above << " of " << codes[i];
    }
  }
}

TEST(LowerElementwise, FunctionsAreRecipesWithSimpleFractions) {
  const Graph graph = OneNode(Unary{RecipeFunction::kHardSwish, 1.0f / 6, 0.5f}, {{1, 4}});
  const auto module = LowerToModule(graph, {1, {{"y", {-1, 4, 1}}}}, {{{"x0", {0.5, 2, {-8, 8}}}}});
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->recipes.size(), 1u);
  const Recipe& recipe = module->recipes[0].recipe;
  EXPECT_EQ(recipe.alpha, (RecipeParameter{1, 6}));
  EXPECT_EQ(recipe.beta, (RecipeParameter{1, 2}));
  EXPECT_EQ(recipe.first, -8);
  EXPECT_EQ(recipe.count, 17);
  EXPECT_EQ(recipe.zero_in, 2);
}

TEST(LowerElementwise, OperandsOfMoreThan16BitsAreRescaledFirst) {
  const LoweredSamples samples{-4, 4, {{{"x0", {0x1p-20, 0, {-(1 << 22), 1 << 22}}}}}};
  EXPECT_GT(Sqnr(OneNode(Unary{RecipeFunction::kExp}, {{3, 50}}), samples), kGood);
  EXPECT_GT(Sqnr(OneNode(Slopes{0.1f, 1}, {{3, 50}}), samples), kGood);
}

TEST(LowerElementwise, LowerUnsupported_AParameterThatNoFractionIs) {
  const Calibration calibration{1, {{"x0", {0, 1, 1}}, {"y", {0, 1, 1}}}};
  for (const float alpha : {1.2345678e-30f, 1e30f}) {
    const Graph graph = OneNode(Unary{RecipeFunction::kElu, alpha}, {{1, 4}});
    EXPECT_EQ(ErrorLabel(LowerToModule(graph, calibration, {}).status()), "lower_unsupported");
  }
}

}  // namespace
}  // namespace tally::quant
