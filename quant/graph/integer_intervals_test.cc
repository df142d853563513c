// Intervals of integers, in graphs and in runs.
#include "quant/graph/integer_intervals.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

using Kind = IntegerArithmetic::Kind;

// The interval of `op` of integers in the given intervals, or "none".
std::string IntervalOf(const Op& op, const std::vector<std::optional<Interval>>& intervals) {
  GraphBuilder b("intervals");
  std::vector<ValueId> operands;
  for (const auto& interval : intervals) {
    operands.push_back(*b.AddInput(Value{"x", IntegerType({3}), kGraphInput, interval}));
  }
  const ValueId y = *b.AddNode(op, operands, "y", "node");
  b.AddOutput(y);
  const Graph graph = *std::move(b).Build();
  EXPECT_TRUE(Verify(graph).ok());
  const auto interval = IntegerIntervals(graph, IntervalsOfInputs(graph))[y];
  return interval.has_value() ? interval->ToString() : "none";
}

TEST(IntegerIntervals, OfArithmetic) {
  const Interval a = {-2, 5}, b = {3, 4};
  EXPECT_EQ(IntervalOf(IntegerArithmetic{Kind::kAdd}, {a, b}), "[1, 9]");
  EXPECT_EQ(IntervalOf(IntegerArithmetic{Kind::kSub}, {a, b}), "[-6, 2]");
  EXPECT_EQ(IntervalOf(IntegerArithmetic{Kind::kMul}, {a, b}), "[-8, 20]");
  EXPECT_EQ(IntervalOf(IntegerArithmetic{Kind::kMax}, {a, b}), "[3, 5]");
  EXPECT_EQ(IntervalOf(IntegerArithmetic{Kind::kMin}, {a, b}), "[-2, 4]");
  EXPECT_EQ(IntervalOf(CumulativeSum{0}, {a}), "[-6, 15]");
  EXPECT_EQ(IntervalOf(CumulativeSum{0, true}, {b}), "[0, 12]");
  EXPECT_EQ(IntervalOf(CumulativeSum{0}, {b}), "[3, 12]");
}

TEST(IntegerIntervals, OfChoicesAndMoves) {
  const Interval a = {-2, 5}, b = {3, 9};
  EXPECT_EQ(IntervalOf(Compare{}, {a, b}), "[0, 1]");
  EXPECT_EQ(IntervalOf(Compare{}, {a, std::nullopt}), "[0, 1]");
  EXPECT_EQ(IntervalOf(Where{}, {std::nullopt, a, b}), "[-2, 9]");
  EXPECT_EQ(IntervalOf(Lookup{Int64Tensor{{2}, {8, -1}}}, {std::nullopt}), "[-1, 8]");
  EXPECT_EQ(IntervalOf(Concat{0}, {a, b}), "[-2, 9]");
  EXPECT_EQ(IntervalOf(Reshape{{1, 3}}, {b}), "[3, 9]");
  EXPECT_EQ(IntervalOf(Pad{Pad::Mode::kZero, {1}, {0}}, {b}), "[0, 9]");
  EXPECT_EQ(IntervalOf(Gather{0}, {b, std::nullopt}), "[3, 9]");
}

TEST(IntegerIntervals, NothingIsKnownOfOthers) {
  const Interval a = {0, 1}, large = {0, int64_t{1} << 40};
  EXPECT_EQ(IntervalOf(IntegerArithmetic{}, {a, std::nullopt}), "none");
  EXPECT_EQ(IntervalOf(IntegerArithmetic{Kind::kMul}, {large, large}), "none");
  EXPECT_EQ(IntervalOf(Concat{0}, {a, std::nullopt}), "none");
  EXPECT_EQ(IntervalOf(Transpose{{0}}, {std::nullopt}), "none");
}

TEST(Graph, AnIntervalIsOneOfIntegers) {
  for (const Value& input : {Value{"x", FloatType({3}), kGraphInput, Interval{0, 1}},
                             Value{"x", IntegerType({3}), kGraphInput, Interval{1, 0}}}) {
    GraphBuilder b("bad");
    b.AddOutput(*b.AddInput(input));
    EXPECT_EQ(ErrorLabel(Verify(*std::move(b).Build())), "graph_type");
  }
}

TEST(FloatExecutor, IntegerInputsTakeIntegers) {
  GraphBuilder b("integers");
  b.AddOutput(*b.AddInput(Value{"x", IntegerType({2}), kGraphInput}));
  const Graph graph = *std::move(b).Build();
  const auto run = [&](std::vector<float> x) {
    const std::vector<FloatTensor> inputs = {{{2}, std::move(x)}};
    return RunGraph(graph, inputs);
  };
  EXPECT_EQ(run({-3, 0x1p24f})->at(0), Tensor(Int64Tensor{{2}, {-3, 1 << 24}}));
  for (const float bad : {0.5f, 0x1.000002p24f, -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(ErrorLabel(run({1, bad}).status()), "graph_run_inputs") << bad;
  }
}

}  // namespace
}  // namespace tally::quant
