// Operators that choose elements by indices or by their order: their types, intervals and definitions.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "quant/graph/testing/evaluate_op.h"
#include "quant/graph/testing/infer_op.h"

namespace tally::quant {
namespace {

constexpr TopK kIndices = {.axis = 1, .k = 2, .result = TopKResult::kIndices};
constexpr NonMaxSuppression kCount = {.max_per_class = 2, .result = SuppressionResult::kCount};

TEST(SelectionOps, TypesAndTheirRefusals) {
  EXPECT_EQ(InferOp(GatherElements{1}, {FloatType({2, 3}), IntegerType({1, 5})}), "float32[1, 5]");
  EXPECT_EQ(InferOp(GatherElements{1}, {IntegerType({2, 3}), IntegerType({3, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherElements{1}, {FloatType({2, 3}), IntegerType({3})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherElements{2}, {FloatType({2, 3}), IntegerType({2, 3})}), "graph_attribute");
  EXPECT_EQ(InferOp(GatherElements{1}, {FloatType({2, 3}), FloatType({2, 3})}), "graph_element_type");
  EXPECT_EQ(InferOp(GatherNd{}, {FloatType({2, 3, 4}), IntegerType({5, 2})}), "float32[5, 4]");
  EXPECT_EQ(InferOp(GatherNd{1}, {IntegerType({2, 3, 4}), IntegerType({2, 5, 2})}), "int64[2, 5]");
  EXPECT_EQ(InferOp(GatherNd{1}, {FloatType({2, 3, 4}), IntegerType({3, 5, 2})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherNd{}, {FloatType({2, 3}), IntegerType({5, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(GatherNd{2}, {FloatType({2, 3}), IntegerType({2, 1})}), "graph_attribute");
  EXPECT_EQ(InferOp(GatherNd{-1}, {FloatType({2, 3}), IntegerType({2, 1})}), "graph_attribute");
  EXPECT_EQ(InferOp(TopK{1, 2}, {FloatType({2, 3})}), "float32[2, 2]");
  EXPECT_EQ(InferOp(TopK{1, 2}, {IntegerType({2, 3})}), "int64[2, 2]");
  EXPECT_EQ(InferOp(kIndices, {FloatType({2, 3})}), "int64[2, 2]");
  EXPECT_EQ(InferOp(TopK{1, 4}, {FloatType({2, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(TopK{1, 0}, {FloatType({2, 3})}), "graph_shape");
  EXPECT_EQ(InferOp(TopK{2, 1}, {FloatType({2, 3})}), "graph_attribute");
  EXPECT_EQ(InferOp(NonMaxSuppression{.max_per_class = 9}, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}),
            "int64[30, 3]");
  EXPECT_EQ(InferOp(kCount, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}), "int64[2]");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {FloatType({2, 5, 4}), FloatType({2, 3, 4})}), "graph_shape");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {FloatType({2, 5, 3}), FloatType({2, 3, 5})}), "graph_shape");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {FloatType({1, 5, 4}), FloatType({2, 3, 5})}), "graph_shape");
  EXPECT_EQ(InferOp(NonMaxSuppression{}, {IntegerType({2, 5, 4}), FloatType({2, 3, 5})}),
            "graph_element_type");
  EXPECT_EQ(InferOp(NonMaxSuppression{.max_per_class = 0}, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}),
            "graph_attribute");
  EXPECT_EQ(InferOp(NonMaxSuppression{.iou_threshold = 1.5f}, {FloatType({2, 5, 4}), FloatType({2, 3, 5})}),
            "graph_attribute");
}

TEST(SelectionOps, Intervals) {
  const std::vector<std::optional<Interval>> known = {Interval{-5, 40}, std::nullopt};
  EXPECT_EQ((TopK{1, 2}.IntervalFrom(known, {IntegerType({2, 3})})), (Interval{-5, 40}));
  EXPECT_EQ(kIndices.IntervalFrom(known, {IntegerType({2, 3})}), (Interval{0, 2}));
  const OperandTypes types = {FloatType({2, 5, 4}), FloatType({2, 7, 5})};
  EXPECT_EQ(NonMaxSuppression{}.IntervalFrom({}, types), (Interval{-1, 6}));
  EXPECT_EQ(kCount.IntervalFrom({}, types), (Interval{0, 14}));
}

TEST(SelectionOps, AnIndexCountsFromTheBackAndOneOutsideIsTheNearest) {
  const Tensor x = Int64Tensor{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(EvaluateOp(GatherElements{1}, {x, Int64Tensor{{2, 2}, {-1, 9, -9, 1}}}),
            Tensor(Int64Tensor{{2, 2}, {3, 3, 4, 5}}));
  EXPECT_EQ(EvaluateOp(GatherElements{0}, {x, Int64Tensor{{1, 3}, {1, 0, -1}}}),
            Tensor(Int64Tensor{{1, 3}, {4, 2, 6}}));
  EXPECT_EQ(EvaluateOp(GatherNd{}, {x, Int64Tensor{{3, 2}, {-1, 0, 0, 7, -8, -2}}}),
            Tensor(Int64Tensor{{3}, {4, 3, 2}}));
}

TEST(SelectionOps, ValuesThatAreNoneComeFirstSoThatCalibrationFindsThem) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = FloatTensor{{1, 5}, {4, nan, 7, nan, 9}};
  EXPECT_EQ(EvaluateOp({TopK{1, 4, false, TopKResult::kIndices}}, {x}),
            Tensor(Int64Tensor{{1, 4}, {1, 3, 4, 2}}));
  EXPECT_EQ(EvaluateOp({TopK{1, 3, true, TopKResult::kIndices}}, {x}),
            Tensor(Int64Tensor{{1, 3}, {1, 3, 0}}));
}

// The overlap of boxes that are equal as such, but given as other corners or as centers and sides.
TEST(SelectionOps, BoxesByAnyTwoCornersOrByTheirCenters) {
  const Tensor scores = FloatTensor{{1, 1, 2}, {1, 2}};
  const Tensor corners = FloatTensor{{1, 2, 4}, {0, 0, 4, 2, 4, 2, 0, 0}};
  const Tensor centers = FloatTensor{{1, 2, 4}, {2, 1, 4, 2, 2, 1, 4, 2}};
  NonMaxSuppression op = {.max_per_class = 2};
  EXPECT_EQ(EvaluateOp(op, {corners, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, -1, -1, -1}}));
  op.encoding = BoxEncoding::kCenter;
  EXPECT_EQ(EvaluateOp(op, {centers, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, -1, -1, -1}}));
  // As centers and sides, the first of the corners' boxes has its center in the corner of the other and 4
  // times its sides.
  EXPECT_EQ(EvaluateOp(op, {corners, scores}), Tensor(Int64Tensor{{2, 3}, {0, 0, 1, 0, 0, 0}}));
}

}  // namespace
}  // namespace tally::quant
