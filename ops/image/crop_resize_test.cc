#include <gtest/gtest.h>

#include "ops/image/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

CropResizeAttrs Attrs(std::vector<int64_t> size, CropGrid grid = CropGrid::kStrictAlignEndpoints) {
  return {.size = std::move(size), .grid = grid};
}

OpCase Crop(TestOperand x, TestOperand boxes, TestOperand batch, const CropResizeAttrs& attrs) {
  return {.op = Opcode::kCropResize,
          .operands = {std::move(x), std::move(boxes), std::move(batch)},
          .attributes = Pack(attrs)};
}

const TestOperand kRow = Values({1, 1, 1, 5}, {0, 10, 20, 30, 40});
const TestOperand kFirst = Values({1}, {0});

// The points of the box from pixel 1 to pixel 3 of a row.
Ints PointsOf(CropGrid grid, int64_t n) {
  const auto y = RunOp(Crop(kRow, Values({1, 4}, {0, 1, 0, 3}), kFirst, Attrs({1, n}, grid)));
  EXPECT_TRUE(y.ok()) << y.status();
  return y->values[0];
}

TEST(CropResize, EachGridHasItsPoints) {
  EXPECT_EQ(PointsOf(CropGrid::kStrictAlignEndpoints, 3), (Ints{10, 20, 30}));
  EXPECT_EQ(PointsOf(CropGrid::kStrictAlignEndpoints, 1), (Ints{10}));
  EXPECT_EQ(PointsOf(CropGrid::kAlignEndpoints, 5), (Ints{10, 15, 20, 25, 30}));
  EXPECT_EQ(PointsOf(CropGrid::kAlignEndpoints, 1), (Ints{20}));
  EXPECT_EQ(PointsOf(CropGrid::kUpsample, 2), (Ints{10, 25}));
  EXPECT_EQ(PointsOf(CropGrid::kUpsample, 6), (Ints{10, 15, 20, 25, 30, 30}));
  EXPECT_EQ(PointsOf(CropGrid::kRoiAlign, 2), (Ints{15, 25}));
}

TEST(CropResize, RoundsOnceAndTiesGoUp) {
  const auto at = [](int64_t column, int64_t bits) {
    CropResizeAttrs attrs = Attrs({1, 1});
    attrs.fraction = 3;
    attrs.result_fraction = bits;
    return RunOp(Crop(Values({1, 1, 1, 2}, {0, -1}), Values({1, 4}, {0, column, 0, column}), kFirst, attrs))
        ->values[0][0];
  };
  EXPECT_EQ(at(4, 0), 0);  // -1/2
  EXPECT_EQ(at(5, 0), -1);
  EXPECT_EQ(at(5, 3), -5);
}

TEST(CropResize, OutsideIsTheBorderOrZero) {
  const TestOperand box = Values({1, 4}, {0, -1, 0, 5});
  EXPECT_EQ(RunOp(Crop(kRow, box, kFirst, Attrs({1, 3})))->values[0], (Ints{0, 20, 40}));
  const TestOperand x = Values({1, 1, 1, 5}, {5, 10, 20, 30, 40});
  CropResizeAttrs attrs = Attrs({1, 3});
  attrs.zero_outside = true;
  const auto y = RunOp(Crop(x, box, kFirst, attrs));
  EXPECT_EQ(y->values[0], (Ints{0, 20, 0}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 40}));
}

TEST(CropResize, ReadsTheImageThatTheBatchSays) {
  const TestOperand x = Values({3, 1, 1, 1}, {7, 8, 9});
  const TestOperand box = Values({4, 4}, Ints(16, 0));
  const auto y = RunOp(Crop(x, box, Values({4}, {1, -5, 2, 9}), Attrs({1, 1})));
  EXPECT_EQ(y->values[0], (Ints{8, 7, 9, 9}));
  EXPECT_EQ(y->gas, 4 * 320 + 64 * 4 + 1024);
}

TEST(CropResize, C1_RefusesImagesOfOtherRanks) {
  EXPECT_EQ(
      LabelOf(Crop(Values({1, 2, 2}, {0, 0, 0, 0}), Values({1, 4}, {0, 0, 0, 0}), kFirst, Attrs({1, 1}))),
      "crop_resize_c1");
}

TEST(CropResize, C2_RefusesBoxesAndBatchesOfOtherShapes) {
  EXPECT_EQ(LabelOf(Crop(kRow, Values({1, 5}, {0, 0, 0, 0, 0}), kFirst, Attrs({1, 1}))), "crop_resize_c2");
  EXPECT_EQ(LabelOf(Crop(kRow, Values({1, 4}, {0, 0, 0, 0}), Values({2}, {0, 0}), Attrs({1, 1}))),
            "crop_resize_c2");
}

// The extreme boxes of the widest interval that is accepted run in int64_t; RunOp compares them with cpp_int.
TEST(CropResize, C3_AcceptsNoBoxWhosePositionsLeave64Bits) {
  for (const CropGrid grid : {CropGrid::kStrictAlignEndpoints, CropGrid::kAlignEndpoints, CropGrid::kUpsample,
                              CropGrid::kRoiAlign}) {
    for (const BoxForm form : {BoxForm::kCornersHeightFirst, BoxForm::kCenterSizeWidthFirst}) {
      int accepted = 0;
      for (int bits = 30; bits < 64; ++bits) {
        const int64_t far = (uint64_t{1} << bits) - 1;
        CropResizeAttrs attrs = Attrs({3, 2}, grid);
        attrs.boxes = form;
        attrs.normalized = true;
        attrs.multiplier = 5;
        const TestOperand boxes = Constant(
            {4, 4}, {far, -far, -far, far, -far, -far, far, far, far, far, -far, -far, 0, far, 0, -far});
        const auto y = RunOp(Crop(kRow, boxes, Values({4}, {0, far, -far, 0}), attrs));
        accepted += y.ok();
        const std::string label = y.ok() ? "" : LabelOf(Crop(kRow, boxes, Values({4}, {0, 0, 0, 0}), attrs));
        EXPECT_EQ(label, y.ok() ? "" : "crop_resize_c3");
      }
      EXPECT_GT(accepted, 10);
      EXPECT_LT(accepted, 33);
    }
  }
}

TEST(CropResize, C4_RefusesDivisorsAndSumsThatLeave64Bits) {
  CropResizeAttrs attrs = Attrs({1, 1});
  const TestOperand boxes = Values({1, 4}, {0, 0, 1, 1});
  attrs.fraction = 30;
  EXPECT_EQ(LabelOf(Crop(kRow, boxes, kFirst, attrs)), "crop_resize_c4");
  attrs.fraction = 20;
  EXPECT_EQ(LabelOf(Crop(kRow, boxes, kFirst, attrs)), "");
  attrs.result_fraction = 20;
  EXPECT_EQ(LabelOf(Crop(kRow, boxes, kFirst, attrs)), "crop_resize_c4");
}

}  // namespace
}  // namespace tally
