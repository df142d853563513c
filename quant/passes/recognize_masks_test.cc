#include "quant/passes/recognize_masks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/ops_of.h"

namespace tally::quant {
namespace {

constexpr float kLeast = std::numeric_limits<float>::lowest();

// Scores [2, 3, 3] and a mask of integers [2, 1, 3] in front of a softmax.
struct Network {
  GraphBuilder b{"masked"};
  ValueId scores = *b.AddInput("scores", {2, 3, 3});
  ValueId mask = *b.AddInput(Value{"mask", {ElementType::kInt64, {2, 1, 3}}});

  ValueId Add(const Op& op, std::vector<ValueId> operands) {
    return *b.AddNode(op, std::move(operands), std::string(OpName(op)), "node");
  }
  ValueId Number(float number) { return *b.AddConstant("number", FloatTensor{{}, {number}}); }
  ValueId Integers(Int64Tensor integers) { return *b.AddConstant("integers", std::move(integers)); }
  ValueId Triangle() { return Integers({{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}}); }
  // (1 - mask) * factor
  ValueId Additive(float factor) {
    const ValueId open = Add(quant::Sub{}, {Number(1), Add(ToFloat{}, {mask})});
    return Add(quant::Mul{}, {open, Number(factor)});
  }
  ValueId Not(ValueId flag) { return Add(Compare{Comparison::kEqual}, {flag, Integers({{}, {0}})}); }
};

Graph Before(const std::function<ValueId(Network&)>& masked) {
  Network n;
  n.b.AddOutput(n.Add(Softmax{2}, {masked(n)}), "y");
  return *std::move(n.b).Build();
}

// The ops that are left, after it was seen that they compute the same for masks that leave something of each
// row.
std::string Recognized(const std::function<ValueId(Network&)>& masked) {
  const Graph before = Before(masked);
  const auto after = RecognizeMasks(before);
  EXPECT_TRUE(after.ok()) << after.status();
  EXPECT_TRUE(Verify(*after).ok()) << Verify(*after);
  FloatTensor scores{{2, 3, 3}, {}};
  for (int i = 0; i < 18; ++i) scores.data.push_back(std::sin(static_cast<float>(i * i)) * 5);
  for (const std::vector<float>& mask : {std::vector<float>{1, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 0, 0}}) {
    const std::vector<FloatTensor> samples = {scores, {{2, 1, 3}, mask}};
    const auto a = std::get<FloatTensor>((*RunGraph(before, samples))[0]);
    const auto b = std::get<FloatTensor>((*RunGraph(*after, samples))[0]);
    for (size_t i = 0; i < a.data.size(); ++i) EXPECT_NEAR(a.data[i], b.data[i], 1e-6) << i;
  }
  return OpsOf(*after);
}

TEST(RecognizeMasks, SumsWithFlagsTimesAVeryNegativeNumber) {
  for (const float factor : {-10000.0f, kLeast}) {
    const auto sum = [&](Network& n) { return n.Add(Add{}, {n.scores, n.Additive(factor)}); };
    EXPECT_EQ(Recognized(sum), "Lookup Masked Softmax");
  }
  const auto difference = [](Network& n) { return n.Add(Sub{}, {n.scores, n.Additive(10000)}); };
  EXPECT_EQ(Recognized(difference), "Lookup Masked Softmax");
}

TEST(RecognizeMasks, AnIntegerInputThatAMaskIsMadeOfIsAFlag) {
  const Graph graph = *RecognizeMasks(Before([](Network& n) {
    return n.Add(Add{}, {n.scores, n.Additive(-10000)});
  }));
  EXPECT_EQ(graph.values[graph.inputs[1]].interval, (Interval{0, 1}));
}

TEST(RecognizeMasks, ChoicesOfAVeryNegativeNumber) {
  const auto kept = [](Network& n) { return n.Add(Where{}, {n.mask, n.scores, n.Number(kLeast)}); };
  EXPECT_EQ(Recognized(kept), "Compare Masked Softmax");
  const auto hidden = [](Network& n) { return n.Add(Where{}, {n.Not(n.mask), n.Number(-1e4f), n.scores}); };
  EXPECT_EQ(Recognized(hidden), "Compare Masked Softmax");
}

TEST(RecognizeMasks, ATriangleAndAMaskAreOneMask) {
  const auto both = [](Network& n) {
    const ValueId causal = n.Add(Where{}, {n.Triangle(), n.scores, n.Number(kLeast)});
    const ValueId sum = n.Add(Add{}, {causal, n.Additive(kLeast)});
    return n.Add(Clip{kLeast, std::numeric_limits<float>::infinity()}, {sum});
  };
  EXPECT_EQ(Recognized(both), "Lookup IntegerArithmetic Masked Softmax");
  const auto as_numbers = [](Network& n) {
    const ValueId triangle =
        *n.b.AddConstant("triangle", FloatTensor{{3, 3}, {0, -1e4f, -1e4f, 0, 0, -1e4f, 0, 0, 0}});
    return n.Add(Add{}, {n.scores, n.Add(Add{}, {triangle, n.Additive(-1e4f)})});
  };
  EXPECT_EQ(Recognized(as_numbers).find("Add"), std::string::npos);
}

TEST(RecognizeMasks, FlagsThatAreMultiplied) {
  const auto product = [](Network& n) {
    const ValueId triangle = *n.b.AddConstant("triangle", FloatTensor{{3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}});
    const ValueId kept = n.Add(Mul{}, {n.Add(ToFloat{}, {n.mask}), triangle});
    const ValueId open = n.Add(Sub{}, {n.Number(1), kept});
    return n.Add(Add{}, {n.scores, n.Add(Mul{}, {open, n.Number(-10000)})});
  };
  EXPECT_EQ(Recognized(product), "IntegerArithmetic IntegerArithmetic Lookup Masked Softmax");
}

TEST(RecognizeMasks, BiasesStay) {
  const auto biased = [](Network& n) {
    const ValueId bias = *n.b.AddConstant("bias", FloatTensor{{3, 3}, {0, -1, -2, 1, 0, -1, 2, 1, 0}});
    return n.Add(Add{}, {n.scores, n.Add(Add{}, {bias, n.Additive(-10000)})});
  };
  EXPECT_EQ(Recognized(biased), "Lookup Add Masked Softmax");
}

TEST(RecognizeMasks, WhatMovesBetweenMaskAndSoftmaxStays) {
  const auto moved = [](Network& n) {
    return n.Add(Reshape{{1, 6, 3}}, {n.Add(Add{}, {n.scores, n.Additive(-10000)})});
  };
  EXPECT_EQ(Recognized(moved), "Lookup Masked Reshape Softmax");
}

TEST(RecognizeMasks, AComparedInputNeedBeNoFlag) {
  const auto segment = [](Network& n) {
    const ValueId same = n.Add(Compare{Comparison::kEqual}, {n.mask, n.Integers({{}, {1}})});
    return n.Add(Where{}, {same, n.scores, n.Number(-1e4f)});
  };
  EXPECT_EQ(Recognized(segment), "Compare Compare Masked Softmax");
  const Graph graph = *RecognizeMasks(Before(segment));
  EXPECT_EQ(graph.values[graph.inputs[1]].interval, std::nullopt);
}

// Each sum reads the one before it twice.
TEST(RecognizeMasks, ManyWaysToOneValueEnd) {
  const auto doubled = [](Network& n) {
    ValueId x = n.scores;
    for (int i = 0; i < 60; ++i) x = n.Add(Add{}, {x, x});
    return x;
  };
  EXPECT_EQ(RecognizeMasks(Before(doubled))->nodes.size(), 61u);
}

TEST(RecognizeMasks, WhatIsAddedToAllHidesNone) {
  const auto shifted = [](Network& n) { return n.Add(Add{}, {n.scores, n.Number(-5000)}); };
  EXPECT_EQ(Recognized(shifted), "Add Softmax");
}

TEST(RecognizeMasks, DifferencesOfWhatIsMaskedAlready) {
  const auto twice = [](Network& n) {
    const ValueId causal = n.Add(Where{}, {n.Triangle(), n.scores, n.Number(-1e4f)});
    return n.Add(Sub{}, {causal, n.Additive(10000)});
  };
  EXPECT_EQ(Recognized(twice), "Lookup IntegerArithmetic Masked Softmax");
  const auto from_mask = [](Network& n) { return n.Add(Sub{}, {n.Additive(-10000), n.scores}); };
  EXPECT_EQ(Recognized(from_mask), "ToFloat Sub Mul Sub Softmax");
}

TEST(RecognizeMasks, SmallNumbersHideNothing) {
  const auto bias = [](Network& n) { return n.Add(Add{}, {n.scores, n.Additive(-3)}); };
  EXPECT_EQ(Recognized(bias), "ToFloat Sub Mul Add Softmax");
}

TEST(RecognizeMasks, ThePositionsThatAMaskCountsAreNone) {
  Network n;
  const ValueId counts = n.Add(CumulativeSum{2}, {n.mask});
  n.b.AddOutput(n.Add(Mul{}, {n.scores, n.Add(ToFloat{}, {counts})}), "y");
  const Graph graph = *RecognizeMasks(*std::move(n.b).Build());
  EXPECT_EQ(graph.values[graph.inputs[1]].interval, std::nullopt);
  EXPECT_EQ(OpsOf(graph), "CumulativeSum ToFloat Mul");
}

}  // namespace
}  // namespace tally::quant
