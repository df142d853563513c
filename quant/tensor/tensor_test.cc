#include "quant/tensor/tensor.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally::quant {
namespace {

TEST(Tensor, ShapesUpToTheLimitsAreAccepted) {
  EXPECT_TRUE(CheckShape({}).ok());
  EXPECT_TRUE(CheckShape({1, 1, 1, 1, 1, 1, 1, 1}).ok());
  EXPECT_TRUE(CheckShape({kMaxElements}).ok());
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3, 4}), 24);
}

TEST(Tensor, GraphRank_AboveEightIsRefused) { EXPECT_EQ(ErrorLabel(CheckShape(Shape(9, 1))), "graph_rank"); }

TEST(Tensor, GraphDimension_ZeroAndNegativeAreRefused) {
  EXPECT_EQ(ErrorLabel(CheckShape({2, 0})), "graph_dimension");
  EXPECT_EQ(ErrorLabel(CheckShape({-1})), "graph_dimension");
}

TEST(Tensor, GraphSize_ProductsThatOverflowAreRefused) {
  EXPECT_EQ(ErrorLabel(CheckShape({kMaxElements, 2})), "graph_size");
  EXPECT_EQ(ErrorLabel(CheckShape({int64_t{1} << 32, int64_t{1} << 32})), "graph_size");
}

TEST(Tensor, TypesAndTheirText) {
  EXPECT_EQ(TypeOf(FloatTensor{{2}, {1, 2}}), (ValueType{ElementType::kFloat32, {2}}));
  EXPECT_EQ(TypeOf(Int64Tensor{{}, {1}}), (ValueType{ElementType::kInt64, {}}));
  EXPECT_EQ(ToString(ValueType{ElementType::kFloat32, {1, 16, 8}}), "float32[1, 16, 8]");
  EXPECT_EQ(ToString(ValueType{ElementType::kInt64, {}}), "int64[]");
}

TEST(RowLength, IsThatOfTheClasses) {
  for (const auto& [shape, length] : {std::pair<Shape, int64_t>{{}, 1},
                                      {{7}, 7},
                                      {{2, 7}, 7},
                                      {{8, 1}, 1},
                                      {{1, 7, 1, 1}, 7},
                                      {{3, 7, 1}, 7},
                                      {{1, 7, 2, 1}, 2},
                                      {{2, 1, 1}, 1}})
    EXPECT_EQ(RowLength(shape), length) << ToString(shape);
}

}  // namespace
}  // namespace tally::quant
