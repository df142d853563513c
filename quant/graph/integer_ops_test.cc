// Operators on integers: their types, intervals and definitions.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "quant/graph/float_executor.h"
#include "quant/graph/graph_builder.h"
#include "quant/graph/integer_intervals.h"
#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

using Kind = IntegerArithmetic::Kind;

TEST(IntegerOps, TypesAndTheirRefusals) {
  EXPECT_EQ(InferOp(ToFloat{}, {IntegerType({2, 3})}), "float32[2, 3]");
  EXPECT_EQ(InferOp(ToFloat{}, {FloatType({2, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Compare{}, {IntegerType({2, 1}), IntegerType({3})}), "int64[2, 3]");
  EXPECT_EQ(InferOp(Compare{}, {FloatType({2, 1}), FloatType({3})}), "int64[2, 3]");
  EXPECT_EQ(InferOp(Compare{}, {FloatType({2, 1}), IntegerType({3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Compare{}, {IntegerType({2}), IntegerType({3})}), "graph_shape");
  EXPECT_EQ(InferOp(IntegerArithmetic{}, {IntegerType({2, 1}), IntegerType({3})}), "int64[2, 3]");
  EXPECT_EQ(InferOp(IntegerArithmetic{}, {IntegerType({2}), FloatType({2})}), "graph_element_type");
  EXPECT_EQ(InferOp(IntegerArithmetic{}, {IntegerType({2})}), "graph_operands");
  EXPECT_EQ(InferOp(CumulativeSum{1}, {IntegerType({2, 3})}), "int64[2, 3]");
  EXPECT_EQ(InferOp(CumulativeSum{1}, {FloatType({2, 3})}), "float32[2, 3]");
  EXPECT_EQ(InferOp(CumulativeSum{2}, {IntegerType({2, 3})}), "graph_attribute");
  EXPECT_EQ(InferOp(Where{}, {IntegerType({2, 1}), FloatType({3}), FloatType({1})}), "float32[2, 3]");
  EXPECT_EQ(InferOp(Where{}, {IntegerType({2, 1}), IntegerType({3}), IntegerType({1})}), "int64[2, 3]");
  EXPECT_EQ(InferOp(Where{}, {FloatType({2}), FloatType({2}), FloatType({2})}), "graph_element_type");
  EXPECT_EQ(InferOp(Where{}, {IntegerType({2}), FloatType({2}), IntegerType({2})}), "graph_element_type");
  EXPECT_EQ(InferOp(Lookup{FloatTensor{{2}, {1, 2}}}, {IntegerType({3})}), "float32[3]");
  EXPECT_EQ(InferOp(Lookup{Int64Tensor{{2}, {1, 2}}}, {IntegerType({3})}), "int64[3]");
  EXPECT_EQ(InferOp(Lookup{FloatTensor{{2}, {1, 2}}}, {FloatType({3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Lookup{FloatTensor{{0}, {}}}, {IntegerType({3})}), "graph_attribute");
  EXPECT_EQ(InferOp(Lookup{FloatTensor{{1}, {std::numeric_limits<float>::infinity()}}}, {IntegerType({3})}),
            "graph_attribute");
  EXPECT_EQ(InferOp(Masked{}, {FloatType({2, 3}), IntegerType({3})}), "float32[2, 3]");
  EXPECT_EQ(InferOp(Masked{}, {FloatType({3}), IntegerType({2, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(Masked{}, {IntegerType({3}), IntegerType({3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Masked{}, {FloatType({3}), FloatType({3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Relu{}, {IntegerType({3})}), "graph_element_type");
}

TEST(IntegerOps, ComputeWithIntegers) {
  const Int64Tensor a = {{2, 2}, {1, -2, 3, 4}}, b = {{2}, {2, -2}};
  EXPECT_EQ(EvaluateOp(IntegerArithmetic{Kind::kSub}, {a, b}), Tensor(Int64Tensor{{2, 2}, {-1, 0, 1, 6}}));
  EXPECT_EQ(EvaluateOp(IntegerArithmetic{Kind::kMul}, {a, b}), Tensor(Int64Tensor{{2, 2}, {2, 4, 6, -8}}));
  EXPECT_EQ(EvaluateOp(Compare{Comparison::kGreaterEqual}, {a, b}),
            Tensor(Int64Tensor{{2, 2}, {0, 1, 1, 1}}));
  EXPECT_EQ(EvaluateOp(Where{}, {Int64Tensor{{2, 1}, {0, 5}}, a, b}),
            Tensor(Int64Tensor{{2, 2}, {2, -2, 3, 4}}));
  EXPECT_EQ(EvaluateOp(Lookup{FloatTensor{{3}, {7, 8, 9}}}, {a}), Tensor(FloatTensor{{2, 2}, {8, 7, 9, 9}}));
  // The definition wraps where lowering refuses.
  const Int64Tensor largest = {{1}, {std::numeric_limits<int64_t>::max()}}, one = {{1}, {1}};
  EXPECT_EQ(EvaluateOp(IntegerArithmetic{Kind::kAdd}, {largest, one}),
            Tensor(Int64Tensor{{1}, {std::numeric_limits<int64_t>::min()}}));
}

TEST(IntegerOps, ComparisonsWithNanAreFalse) {
  const FloatTensor nan = {{1}, {std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_EQ(EvaluateOp(Compare{Comparison::kLess}, {nan, nan}), Tensor(Int64Tensor{{1}, {0}}));
  EXPECT_EQ(EvaluateOp(Compare{Comparison::kNotEqual}, {nan, nan}), Tensor(Int64Tensor{{1}, {1}}));
}

TEST(IntegerOps, SumsUpToEachElement) {
  const FloatTensor x = {{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(EvaluateOp(CumulativeSum{1}, {x}), Tensor(FloatTensor{{2, 3}, {1, 3, 6, 4, 9, 15}}));
  EXPECT_EQ(EvaluateOp(CumulativeSum{0, true}, {x}), Tensor(FloatTensor{{2, 3}, {0, 0, 0, 1, 2, 3}}));
  EXPECT_EQ(EvaluateOp(CumulativeSum{1, false, true}, {x}),
            Tensor(FloatTensor{{2, 3}, {6, 5, 3, 15, 11, 6}}));
}

TEST(Masked, HidesFarBelowTheRest) {
  const FloatTensor x = {{2, 2}, {1, -5, 3, 4}};
  EXPECT_EQ(EvaluateOp(Masked{}, {x, Int64Tensor{{2}, {0, 1}}}),
            Tensor(FloatTensor{{2, 2}, {1, -29, 3, -29}}));
}

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

TEST(ToInteger, TowardZeroWithinBounds) {
  EXPECT_EQ(InferOp(ToInteger{}, {FloatType({2})}), "int64[2]");
  EXPECT_EQ(InferOp(ToInteger{}, {IntegerType({2})}), "graph_element_type");
  EXPECT_EQ(InferOp(ToInteger{{1, 0}}, {FloatType({2})}), "graph_attribute");
  EXPECT_EQ(InferOp(ToInteger{{0, int64_t{1} << 31}}, {FloatType({2})}), "graph_attribute");
  const FloatTensor x{{5}, {-1.75f, 1.75f, 300, -1e30f, 0}};
  EXPECT_EQ(EvaluateOp(ToInteger{{-128, 127}}, {x}), Tensor(Int64Tensor{{5}, {-1, 1, 127, -128, 0}}));
}

}  // namespace
}  // namespace tally::quant
