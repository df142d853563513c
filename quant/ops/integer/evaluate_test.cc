// The operators of family integer, by hand-computed values: what they accept and what they give.
#include <gtest/gtest.h>

#include <limits>
#include <optional>

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

TEST(ToInteger, TowardZeroWithinBounds) {
  EXPECT_EQ(InferOp(ToInteger{}, {FloatType({2})}), "int64[2]");
  EXPECT_EQ(InferOp(ToInteger{}, {IntegerType({2})}), "graph_element_type");
  EXPECT_EQ(InferOp(ToInteger{{1, 0}}, {FloatType({2})}), "graph_attribute");
  EXPECT_EQ(InferOp(ToInteger{{0, int64_t{1} << 31}}, {FloatType({2})}), "graph_attribute");
  const FloatTensor x{{5}, {-1.75f, 1.75f, 300, -1e30f, 0}};
  EXPECT_EQ(EvaluateOp(ToInteger{{-128, 127}}, {x}), Tensor(Int64Tensor{{5}, {-1, 1, 127, -128, 0}}));
}

using Form = Scatter::Form;
using Kind = IntegerArithmetic::Kind;
using Ints = Int64Tensor;

TEST(PlacementOps, QuotientsAndRemaindersAgree) {
  for (const int64_t a : {-7, -6, 0, 6, 7}) {
    for (const int64_t b : {-3, -2, 2, 3}) {
      const auto of = [&](Kind kind) { return *IntegerArithmetic{kind}.Exactly(a, b); };
      EXPECT_EQ(of(Kind::kDivide) * b + of(Kind::kRemainder), a);
      EXPECT_EQ(of(Kind::kFloorDivide) * b + of(Kind::kModulo), a);
      EXPECT_EQ(of(Kind::kDivide), a / b);
      EXPECT_TRUE(of(Kind::kModulo) == 0 || (of(Kind::kModulo) < 0) == (b < 0)) << a << " " << b;
      EXPECT_TRUE(of(Kind::kRemainder) == 0 || (of(Kind::kRemainder) < 0) == (a < 0)) << a << " " << b;
    }
  }
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(IntegerArithmetic{Kind::kDivide}.Exactly(kLeast, -1), std::nullopt);
  EXPECT_EQ(IntegerArithmetic{Kind::kDivide}.Exactly(1, 0), std::nullopt);
  EXPECT_EQ(IntegerArithmetic{Kind::kPower}.Exactly(2, 63), std::nullopt);
  EXPECT_EQ(IntegerArithmetic{Kind::kPower}.Exactly(-2, 62), int64_t{1} << 62);
  EXPECT_EQ(IntegerArithmetic{Kind::kShiftLeft}.Exactly(1, -1), std::nullopt);
  EXPECT_EQ(IntegerArithmetic{Kind::kShiftRight}.Exactly(-5, 1), -3);
}

// The interval of each kind holds all results of operands within theirs.
TEST(PlacementOps, IntervalsHoldAllResults) {
  const Interval ends[] = {{-5, 3}, {0, 6}, {-4, -1}, {2, 2}, {-1, 0}};
  for (int kind = 0; kind <= static_cast<int>(Kind::kBitXor); ++kind) {
    const IntegerArithmetic op{static_cast<Kind>(kind)};
    for (const Interval& a : ends) {
      for (const Interval& b : ends) {
        const std::optional<Interval> both[] = {a, b};
        const auto interval = op.IntervalFrom(both, {});
        for (int64_t x = a.lo; x <= a.hi && interval.has_value(); ++x) {
          for (int64_t y = b.lo; y <= b.hi; ++y) {
            EXPECT_TRUE(interval->Contains(op.Compute(x, y))) << kind << ": " << x << ", " << y;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tally::quant
