#include <gtest/gtest.h>

#include <random>

#include "ops/attention/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Attrs = ScaledDotProductAttentionAttrs;
using Ints = std::vector<int64_t>;

constexpr int64_t kWide = (int64_t{1} << 47) - 1;
constexpr int64_t kOne = int64_t{1} << 30;  // an exponential's

OpCase Attend(std::vector<TestOperand> operands, const Attrs& attrs) {
  return {
      .op = Opcode::kScaledDotProductAttention, .operands = std::move(operands), .attributes = Pack(attrs)};
}

TestOperand Noise(std::mt19937_64& random, const std::vector<int64_t>& dims, int64_t size) {
  Tensor t(*Shape::Create(dims), Storage::kI64);
  Ints values;
  for (int64_t i = 0; i < t.shape().num_elements(); ++i) {
    values.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(2 * size + 1)) - size);
  }
  return {*Tensor::FromValues(t.shape(), values), Interval{-size, size}};
}

// Falls by half every eight entries.
TestOperand Table() {
  Ints entries;
  for (int d = 0; d < 248; ++d) entries.push_back((kOne >> (d / 8)) * (16 - d % 8) / 16);
  return Constant({248}, entries);
}

// One step of a composition: the result of an operator with one, as an operand.
TestOperand Apply(Opcode op, std::vector<TestOperand> operands, Attributes attributes) {
  const auto y = RunOp({.op = op, .operands = std::move(operands), .attributes = std::move(attributes)});
  if (!y.ok()) throw std::runtime_error(std::string(y.status().message()));
  return {*Tensor::FromValues(y->types[0].shape, y->values[0]), y->types[0].interval};
}

TestOperand Requantize(TestOperand x, int64_t m, int64_t s, const RescaleAttrs& attrs) {
  return Apply(Opcode::kRescale, {std::move(x), Constant({1}, {m}), Constant({1}, {0}), Constant({1}, {s})},
               Pack(attrs));
}

// 1 where a query sees a key, for the shape of the logits.
TestOperand Seen(const Shape& logits, const Attrs& attrs, const std::vector<TestOperand>& operands) {
  Ints seen;
  const int64_t keys = logits[logits.rank() - 1], queries = logits[logits.rank() - 2];
  for (int64_t i = 0; i < logits.num_elements(); ++i) {
    const int64_t s = i % keys, l = i / keys % queries;
    bool sees = attrs.causal.empty() || s <= l + attrs.causal[0];
    // A mask of [L, S], the same for every batch.
    if (attrs.mask == MaskKind::kBoolean)
      sees = sees && operands[4].tensor.view().at(i % (keys * queries)) != 0;
    seen.push_back(sees ? 1 : 0);
  }
  return {*Tensor::FromValues(logits, seen), Interval{0, 1}};
}

// matmul, rescale (and the mask), softmax, matmul, rescale.
TestOperand Compose(const std::vector<TestOperand>& operands, const Attrs& attrs) {
  const RescaleAttrs all = {.lo = -kWide, .hi = kWide};
  TestOperand t = Apply(Opcode::kMatmul, {operands[0], operands[1]}, Pack(MatmulAttrs{.transpose_b = true}));
  t = Requantize(t, attrs.logit_multiplier, attrs.logit_shift, all);
  if (attrs.mask == MaskKind::kAdditive) t = Apply(Opcode::kBroadcastAdd, {t, operands[4]}, {});
  t = Apply(Opcode::kClip, {t}, Pack(ClipAttrs{-(1 << 15), (1 << 15) - 1}));
  const TestOperand seen = Seen(t.tensor.shape(), attrs, operands);
  t = Apply(Opcode::kBroadcastMul, {t, seen}, {});
  t = Apply(Opcode::kLincomb, {t, seen},
            Pack(LincombAttrs{.multipliers = {1, 1 << 17},
                              .zero_points = {0, 0},
                              .bias = -(1 << 17),
                              .lo = -kWide,
                              .hi = kWide}));
  t = Apply(Opcode::kSoftmax, {t, operands[3]}, Pack(SoftmaxAttrs{.bits = 15, .hi = 1 << 15}));
  t = Apply(Opcode::kMatmul, {t, operands[2]}, Pack(MatmulAttrs{}));
  return Requantize(t, attrs.multiplier, attrs.shift,
                    {.zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi});
}

TEST(ScaledDotProductAttention, EqualsItsParts) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const auto between = [&](int64_t lo, int64_t hi) {
      return lo + static_cast<int64_t>(random() % static_cast<uint64_t>(hi - lo + 1));
    };
    const int64_t queries = between(1, 4), keys = between(1, 5), depth = between(1, 4), heads = between(1, 3);
    std::vector<TestOperand> operands = {Noise(random, {2, heads, queries, depth}, 127),
                                         Noise(random, {2, 1, keys, depth}, 127),
                                         Noise(random, {heads, keys, between(1, 3)}, 127), Table()};
    Attrs attrs = {.logit_multiplier = between(-999, 999),
                   .logit_shift = between(0, 12),
                   .mask = static_cast<MaskKind>(between(0, 2)),
                   .multiplier = between(-99, 99),
                   .shift = between(10, 22),
                   .zero_out = between(-9, 9),
                   .lo = -128,
                   .hi = 127};
    if (between(0, 1) == 1) attrs.causal = {between(-3, 3)};
    if (attrs.mask == MaskKind::kBoolean) operands.push_back(Noise(random, {queries, keys}, 1));
    if (attrs.mask == MaskKind::kAdditive) operands.push_back(Noise(random, {queries, keys}, 50));
    const auto y = RunOp(Attend(operands, attrs));
    ASSERT_TRUE(y.ok()) << y.status();
    const TestOperand composed = Compose(operands, attrs);
    ASSERT_EQ(composed.tensor.shape(), y->types[0].shape);
    for (size_t i = 0; i < y->values[0].size(); ++i) {
      ASSERT_EQ(y->values[0][i], composed.tensor.view().at(static_cast<int64_t>(i))) << round;
    }
    EXPECT_TRUE(composed.interval->Contains(y->types[0].interval)) << "the proof is the better one";
  }
}

TEST(ScaledDotProductAttention, AddsNothingOfWhatIsNotSeen) {
  const std::vector<TestOperand> operands = {Values({2, 1}, {1, 1}), Values({2, 1}, {0, 0}),
                                             Values({2, 1}, {100, -50}), Constant({1}, {kOne})};
  Attrs attrs = {.causal = std::vector<int64_t>{0}, .lo = -128, .hi = 127};
  EXPECT_EQ(RunOp(Attend(operands, attrs))->values[0], (Ints{100, 25}));
  attrs.causal = {-1};  // the first query sees nothing, and takes the mean of all
  EXPECT_EQ(RunOp(Attend(operands, attrs))->values[0], (Ints{25, 100}));
}

TEST(ScaledDotProductAttention, BoundsTheMeansByTheWeights) {
  const auto y = RunOp(
      Attend({Values({1, 1}, {1}), Values({3, 1}, {1, 2, 3}), Values({3, 1}, {-2, 1, 4}), Constant({1}, {2})},
             {.shift = 0, .lo = -kWide, .hi = kWide}));
  ASSERT_TRUE(y.ok()) << y.status();
  const int64_t weights = (1 << 15) + 3;
  EXPECT_EQ(y->types[0].interval, (Interval{-2 * weights, 4 * weights}));
  EXPECT_EQ(y->accumulator, (Interval{-2 * weights, 4 * weights}));
  EXPECT_EQ(y->gas, 3 * 14 * (1 + 1 + 48) + 768 + 4);
}

const TestOperand kQ = Values({1, 2}, {1, 1}), kK = Values({3, 2}, {1, 2, 3, 4, 5, 6});
const TestOperand kV = Values({3, 1}, {7, 8, 9}), kTable = Constant({1}, {kOne});

TEST(ScaledDotProductAttention, C1_RefusesAConstantBeyondTheTensorLimit) {
  EXPECT_EQ(LabelOf(Attend({kQ, kK, Constant({3, 1}, {0, 0, kWide + 1}), kTable}, {})),
            "scaled_dot_product_attention_c1");
}

TEST(ScaledDotProductAttention, C2_RefusesVectors) {
  EXPECT_EQ(LabelOf(Attend({kQ, kK, Values({3}, {1, 2, 3}), kTable}, {})), "scaled_dot_product_attention_c2");
}

TEST(ScaledDotProductAttention, C3_RefusesMatricesThatDoNotFit) {
  EXPECT_EQ(LabelOf(Attend({Values({1, 1}, {1}), kK, kV, kTable}, {})), "scaled_dot_product_attention_c3");
  EXPECT_EQ(LabelOf(Attend({kQ, kK, Values({1, 1}, {1}), kTable}, {})), "scaled_dot_product_attention_c3");
}

TEST(ScaledDotProductAttention, C4_RefusesBatchesThatDoNotBroadcast) {
  EXPECT_EQ(LabelOf(Attend({Values({2, 1, 2}, {1, 1, 1, 1}), kK, Values({3, 3, 1}, Ints(9, 1)), kTable}, {})),
            "scaled_dot_product_attention_c4");
  EXPECT_EQ(
      LabelOf(Attend({Values({2, 1, 2}, {1, 1, 1, 1}), Values({3, 3, 2}, Ints(18, 1)), kV, kTable}, {})),
      "scaled_dot_product_attention_c4");
}

TEST(ScaledDotProductAttention, C5_RefusesAMaskThatIsMissingOrTooMuch) {
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, kTable}, {.mask = MaskKind::kAdditive})),
            "scaled_dot_product_attention_c5");
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, kTable, Values({}, {1})}, {})), "scaled_dot_product_attention_c5");
}

TEST(ScaledDotProductAttention, C6_RefusesAMaskThatDoesNotBroadcast) {
  const Attrs attrs = {.mask = MaskKind::kBoolean};
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, kTable, Values({2}, {1, 1})}, attrs)),
            "scaled_dot_product_attention_c6");
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, kTable, Values({2, 1, 1}, {1, 1})}, attrs)),
            "scaled_dot_product_attention_c6");
}

TEST(ScaledDotProductAttention, C7_RefusesATableThatIsNoConstantList) {
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, Values({1}, {kOne})}, {})), "scaled_dot_product_attention_c7");
}

TEST(ScaledDotProductAttention, C8_RefusesEntriesOutsideTheirRange) {
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, Constant({1}, {0})}, {})), "scaled_dot_product_attention_c8");
}

TEST(ScaledDotProductAttention, C9_RefusesAnEmptyClamp) {
  EXPECT_EQ(LabelOf(Attend({kQ, kK, kV, kTable}, {.lo = 1})), "scaled_dot_product_attention_c9");
}

TEST(ScaledDotProductAttention, C10_RefusesLogitsThatLeave64Bits) {
  const auto label = [](int64_t element) {
    return LabelOf(Attend({Values({1, 1}, {element}), Values({1, 1}, {1 << 20}), Values({1, 1}, {0}), kTable},
                          {.logit_multiplier = 1 << 23}));
  };
  EXPECT_EQ(label((1 << 20) - 1), "");
  EXPECT_EQ(label(1 << 20), "scaled_dot_product_attention_c10");
}

TEST(ScaledDotProductAttention, C11_RefusesMeansThatLeave64Bits) {
  const auto label = [](int64_t multiplier) {
    return LabelOf(
        Attend({kQ, kK, Values({3, 1}, {0, 0, int64_t{1} << 40}), kTable}, {.multiplier = multiplier}));
  };
  EXPECT_EQ(label(127), "");
  EXPECT_EQ(label(-256), "scaled_dot_product_attention_c11");
}

}  // namespace
}  // namespace tally
