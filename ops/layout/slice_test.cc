#include <gtest/gtest.h>

#include "ops/layout/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase StridedSliceCase(TestOperand x, Ints begin, Ints end, Ints stride) {
  return {.op = Opcode::kStridedSlice,
          .operands = {std::move(x)},
          .attributes = Pack(StridedSliceAttrs{std::move(begin), std::move(end), std::move(stride)})};
}

OpCase SliceLikeCase(TestOperand x, TestOperand like, Ints axis) {
  return {.op = Opcode::kSliceLike,
          .operands = {std::move(x), std::move(like)},
          .attributes = Pack(SliceLikeAttrs{std::move(axis)})};
}

TestOperand Five() { return Values({5}, {0, 1, 2, 3, 4}); }

Ints SliceOfFive(Ints begin, Ints end, Ints stride) {
  const auto y = RunOp(StridedSliceCase(Five(), std::move(begin), std::move(end), std::move(stride)));
  return y.ok() ? y->values[0] : Ints{};
}

TEST(StridedSlice, TakesEveryStrideThElement) {
  EXPECT_EQ(SliceOfFive({1}, {4}, {1}), (Ints{1, 2, 3}));
  EXPECT_EQ(SliceOfFive({0}, {5}, {2}), (Ints{0, 2, 4}));
  EXPECT_EQ(SliceOfFive({0}, {4}, {3}), (Ints{0, 3}));
}

TEST(StridedSlice, CanSelectTheLastElement) {
  EXPECT_EQ(SliceOfFive({4}, {5}, {1}), (Ints{4}));
  EXPECT_EQ(SliceOfFive({4}, {-6}, {-2}), (Ints{4, 2, 0}));
}

TEST(StridedSlice, CountsNegativeIndicesFromTheBack) {
  EXPECT_EQ(SliceOfFive({-3}, {-1}, {1}), (Ints{2, 3}));
  EXPECT_EQ(SliceOfFive({-1}, {-4}, {-1}), (Ints{4, 3, 2}));
}

TEST(StridedSlice, ClampsIndicesBeyondTheEnds) {
  EXPECT_EQ(SliceOfFive({-100}, {100}, {1}), (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(SliceOfFive({100}, {-100}, {-1}), (Ints{4, 3, 2, 1, 0}));
  EXPECT_EQ(SliceOfFive({INT32_MAX}, {INT32_MIN}, {INT32_MIN}), (Ints{4}));
}

TEST(StridedSlice, DefaultsToTheWholeAxis) {
  EXPECT_EQ(SliceOfFive({}, {}, {}), (Ints{0, 1, 2, 3, 4}));
  EXPECT_EQ(SliceOfFive({2}, {}, {}), (Ints{2, 3, 4}));
  EXPECT_EQ(SliceOfFive({}, {2}, {}), (Ints{0, 1}));
}

TEST(StridedSlice, SlicesEveryAxis) {
  const auto y =
      RunOp(StridedSliceCase(Values({2, 3}, {1, 2, 3, 4, 5, 6}, {-9, 9}), {1, 2}, {2, -4}, {1, -2}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,2] in [-9, 9]");
  EXPECT_EQ(y->values[0], (Ints{6, 4}));
  EXPECT_EQ(y->gas, 28 * 2);
}

TEST(StridedSlice, LeavesScalarsAlone) {
  EXPECT_EQ(RunOp(StridedSliceCase(Values({}, {5}), {}, {}, {}))->values[0], Ints{5});
}

TEST(StridedSlice, C1_RefusesListsLongerThanTheRank) {
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {0, 0}, {5}, {1})), "strided_slice_c1");
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {0}, {5, 1}, {1})), "strided_slice_c1");
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {0}, {5}, {1, 1})), "strided_slice_c1");
}

TEST(StridedSlice, C2_RefusesStrideZero) {
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {0}, {5}, {0})), "strided_slice_c2");
}

TEST(StridedSlice, C3_RefusesEmptyResults) {
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {2}, {2}, {1})), "strided_slice_c3");
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {3}, {2}, {1})), "strided_slice_c3");
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {5}, {}, {1})), "strided_slice_c3");
  // The default end is the dim, which a walk downward from 0 does not pass.
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {}, {}, {-1})), "strided_slice_c3");
  // -1 is the last element, not one before the first.
  EXPECT_EQ(LabelOf(StridedSliceCase(Five(), {4}, {-1}, {-1})), "strided_slice_c3");
}

TEST(SliceLike, CutsEveryAxis) {
  const auto y = RunOp(SliceLikeCase(Values({2, 3}, {1, 2, 3, 4, 5, 6}), Values({2, 2}, {0, 0, 0, 0}), {}));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[2,2] in [1, 6]");
  EXPECT_EQ(y->values[0], (Ints{1, 2, 4, 5}));
  EXPECT_EQ(y->gas, 28 * 4);
}

TEST(SliceLike, CutsListedAxesOnly) {
  const TestOperand x = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(RunOp(SliceLikeCase(x, Values({1, 1}, {0}), {0}))->values[0], (Ints{1, 2, 3}));
  EXPECT_EQ(RunOp(SliceLikeCase(x, Values({1, 1}, {0}), {-1, 1}))->values[0], (Ints{1, 4}));
  EXPECT_EQ(RunOp(SliceLikeCase(x, Values({1}, {0}), {0}))->values[0], (Ints{1, 2, 3}));
  EXPECT_EQ(RunOp(SliceLikeCase(x, Values({1, 1, 9}, Ints(9, 0)), {1}))->values[0], (Ints{1, 4}));
}

TEST(SliceLike, LeavesScalarsAlone) {
  EXPECT_EQ(RunOp(SliceLikeCase(Values({}, {5}), Values({}, {0}), {}))->values[0], Ints{5});
}

TEST(SliceLike, C1_RefusesOtherRanksWithoutAxes) {
  EXPECT_EQ(LabelOf(SliceLikeCase(Values({2, 1}, {1, 2}), Values({2}, {0, 0}), {})), "slice_like_c1");
}

TEST(SliceLike, C2_RefusesAxesThatDoNotExistInBoth) {
  EXPECT_EQ(LabelOf(SliceLikeCase(Five(), Values({1, 1}, {0}), {1})), "slice_like_c2");
  EXPECT_EQ(LabelOf(SliceLikeCase(Five(), Values({1, 1}, {0}), {-2})), "slice_like_c2");
  EXPECT_EQ(LabelOf(SliceLikeCase(Values({2, 1}, {1, 2}), Values({1}, {0}), {-1})), "slice_like_c2");
}

TEST(SliceLike, C3_RefusesLongerDims) {
  EXPECT_EQ(LabelOf(SliceLikeCase(Values({2}, {1, 2}), Values({3}, {0, 0, 0}), {})), "slice_like_c3");
}

}  // namespace
}  // namespace tally
