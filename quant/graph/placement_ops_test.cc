// Operators that update elements at indices, reverse sequences and find elements, and arithmetic of integers:
// their types, intervals and definitions.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

using Form = Scatter::Form;
using Kind = IntegerArithmetic::Kind;
using Ints = Int64Tensor;

TEST(PlacementOps, TypesAndTheirRefusals) {
  const ValueType x = FloatType({4, 5, 3});
  EXPECT_EQ(InferOp(Scatter{Form::kSlices, 1}, {x, IntegerType({2}), FloatType({4, 2, 3})}),
            "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(Scatter{Form::kSlices, 1}, {x, IntegerType({2}), FloatType({4, 3, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(Scatter{Form::kElements, 1}, {x, IntegerType({3, 9, 2}), FloatType({3, 9, 2})}),
            "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(Scatter{Form::kElements, 1}, {x, IntegerType({5, 9, 2}), FloatType({5, 9, 2})}),
            "graph_shape");
  EXPECT_EQ(InferOp(Scatter{Form::kElements, 3}, {x, IntegerType({1, 1, 1}), FloatType({1, 1, 1})}),
            "graph_attribute");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, IntegerType({7, 2}), FloatType({7, 3})}), "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, IntegerType({7, 4}), FloatType({7})}), "graph_shape");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, FloatType({7, 2}), FloatType({7, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(Scatter{Form::kTuples}, {x, IntegerType({7, 2}), IntegerType({7, 3})}),
            "graph_element_type");
  EXPECT_EQ(
      InferOp(Scatter{Form::kTuples, 0, ScatterKind::kMul}, {x, IntegerType({7, 2}), FloatType({7, 3})}),
      "graph_attribute");
  EXPECT_EQ(InferOp(ReverseSequence{0, 1}, {x, IntegerType({4})}), "float32[4, 5, 3]");
  EXPECT_EQ(InferOp(ReverseSequence{0, 1}, {x, IntegerType({5})}), "graph_shape");
  EXPECT_EQ(InferOp(ReverseSequence{1, 1}, {x, IntegerType({5})}), "graph_attribute");
  EXPECT_EQ(InferOp(ReverseSequence{0, 1}, {x, FloatType({4})}), "graph_element_type");
  EXPECT_EQ(InferOp(NonZero{7}, {x}), "int64[7, 3]");
  EXPECT_EQ(InferOp(NonZero{7, NonZeroResult::kCount}, {IntegerType({9})}), "int64[]");
  EXPECT_EQ(InferOp(NonZero{61}, {x}), "graph_attribute");
  EXPECT_EQ(InferOp(NonZero{1}, {FloatType({})}), "graph_shape");
  const ValueType beams = IntegerType({6, 3, 4});
  EXPECT_EQ(InferOp(GatherTree{}, {beams, beams, IntegerType({3}), IntegerType({})}), "int64[6, 3, 4]");
  EXPECT_EQ(InferOp(GatherTree{}, {beams, beams, IntegerType({4}), IntegerType({})}), "graph_shape");
  EXPECT_EQ(InferOp(ReduceProduct{{1}}, {IntegerType({2, 3})}), "int64[2, 1]");
  EXPECT_EQ(InferOp(ReduceProduct{{1}}, {FloatType({2, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(ReduceSum{{1}, false}, {IntegerType({2, 3})}), "int64[2]");
  EXPECT_EQ(InferOp(ReduceSum{{1}, false, true}, {IntegerType({2, 3})}), "graph_element_type");
}

// The last of several updates of one element wins, and one outside changes nothing.
TEST(PlacementOps, ScatterUpdatesInOrder) {
  const Ints x{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(EvaluateOp(Scatter{Form::kElements, 1},
                       {x, Ints{{2, 3}, {0, -1, 0, 3, 1, -4}}, Ints{{2, 3}, {10, 20, 30, 40, 50, 60}}}),
            Tensor(Ints{{2, 3}, {30, 2, 20, 4, 50, 6}}));
  EXPECT_EQ(EvaluateOp(Scatter{Form::kSlices, 0, ScatterKind::kAdd},
                       {x, Ints{{3}, {1, 1, 2}}, Ints{{3, 3}, {1, 1, 1, 10, 20, 30, 7, 7, 7}}}),
            Tensor(Ints{{2, 3}, {1, 2, 3, 15, 26, 37}}));
  EXPECT_EQ(EvaluateOp(Scatter{Form::kTuples, 0, ScatterKind::kMul},
                       {x, Ints{{3, 2}, {1, -1, 1, 2, 0, 3}}, Ints{{3}, {2, 3, 99}}}),
            Tensor(Ints{{2, 3}, {1, 2, 3, 4, 5, 36}}));
  const FloatTensor f{{3}, {1, 2, 3}};
  EXPECT_EQ(EvaluateOp(Scatter{Form::kElements, 0, ScatterKind::kMax},
                       {f, Ints{{2}, {0, 1}}, FloatTensor{{2}, {0.5f, 2.5f}}}),
            Tensor(FloatTensor{{3}, {1, 2.5f, 3}}));
}

TEST(PlacementOps, SequencesAndPlaces) {
  EXPECT_EQ(EvaluateOp(ReverseSequence{0, 1}, {Ints{{2, 3}, {1, 2, 3, 4, 5, 6}}, Ints{{2}, {2, 9}}}),
            Tensor(Ints{{2, 3}, {2, 1, 3, 6, 5, 4}}));
  EXPECT_EQ(EvaluateOp(GatherTree{}, {Ints{{3, 1, 2}, {1, 2, 3, 4, 5, 6}},
                                      Ints{{3, 1, 2}, {0, 0, 0, 0, 1, 0}}, Ints{{1}, {3}}, Ints{{}, {9}}}),
            Tensor(Ints{{3, 1, 2}, {1, 1, 4, 3, 5, 6}}));
  const FloatTensor x{{2, 2}, {0, 0.5f, -1, 0}};
  EXPECT_EQ(EvaluateOp(NonZero{3}, {x}), Tensor(Ints{{3, 2}, {0, 1, 1, 0, -1, -1}}));
  EXPECT_EQ(EvaluateOp(NonZero{1}, {x}), Tensor(Ints{{1, 2}, {0, 1}}));
  for (const int64_t bound : {1, 3}) {
    EXPECT_EQ(EvaluateOp(NonZero{bound, NonZeroResult::kCount}, {x}), Tensor(Ints{{}, {2}}));
  }
}

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
