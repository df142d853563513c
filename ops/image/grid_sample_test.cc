#include <gtest/gtest.h>

#include "ops/image/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

OpCase Sample(TestOperand x, TestOperand grid, const GridSampleAttrs& attrs) {
  return {.op = Opcode::kGridSample, .operands = {std::move(x), std::move(grid)}, .attributes = Pack(attrs)};
}

// The samples of the row [10, 20, 30] at columns k / 4 of half its width, -1 being its left end.
Ints Row(const GridSampleAttrs& attrs, std::vector<int64_t> columns) {
  Ints grid;
  for (const int64_t column : columns) grid.insert(grid.end(), {column, 0});
  const int64_t count = static_cast<int64_t>(columns.size());
  const auto y = RunOp(Sample(Values({1, 1, 1, 3}, {10, 20, 30}), Values({1, 1, count, 2}, grid), attrs));
  EXPECT_TRUE(y.ok()) << y.status();
  return y->values[0];
}

TEST(GridSample, CornersAreCentresOrEdgesOfPixels) {
  EXPECT_EQ(Row({.padding = GridPadding::kBorder, .align_corners = true, .fraction = 2}, {-4, -2, 0, 4}),
            (Ints{10, 15, 20, 30}));
  EXPECT_EQ(Row({.padding = GridPadding::kZeros, .fraction = 1}, {-2, 0, 2}), (Ints{5, 20, 15}));
}

TEST(GridSample, PaddingSaysWhatIsOutside) {
  const auto row = [](GridPadding padding, bool align_corners) {
    return Row({.mode = GridSampleMode::kNearest, .padding = padding, .align_corners = align_corners},
               {-3, -2, 2, 3});
  };
  EXPECT_EQ(row(GridPadding::kZeros, true), (Ints{0, 0, 0, 0}));
  EXPECT_EQ(row(GridPadding::kBorder, true), (Ints{10, 10, 30, 30}));
  EXPECT_EQ(row(GridPadding::kReflection, true), (Ints{30, 20, 20, 10}));
  EXPECT_EQ(row(GridPadding::kReflection, false), (Ints{30, 20, 20, 10}));
}

TEST(GridSample, CubicReproducesPixelsAndOvershootsBetweenThem) {
  const GridSampleAttrs attrs = {
      .mode = GridSampleMode::kCubic, .padding = GridPadding::kBorder, .align_corners = true, .fraction = 2};
  EXPECT_EQ(Row(attrs, {-4, 0, 4}), (Ints{10, 20, 30}));
  const auto step =
      RunOp(Sample(Values({1, 1, 1, 4}, {0, 0, 64, 64}), Values({1, 1, 1, 2}, {2, 0}),
                   {.mode = GridSampleMode::kCubic, .padding = GridPadding::kBorder, .fraction = 2}));
  EXPECT_EQ(step->values[0], (Ints{70}));
}

// At the middle of a pixel cell the checkerboard that follows the signs of the weights reaches both ends.
TEST(GridSample, TheCubicIntervalIsTight) {
  for (const int64_t sign : {-1, 1}) {
    Ints x;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) x.push_back(((i % 3 == 0) == (j % 3 == 0) ? sign : -sign) * 128);
    }
    const auto y = RunOp(Sample(Values({1, 1, 4, 4}, x, {-128, 128}), Values({1, 1, 1, 2}, {0, 0}),
                                {.mode = GridSampleMode::kCubic, .padding = GridPadding::kBorder}));
    EXPECT_EQ(y->types[0].interval, (Interval{-242, 242}));
    EXPECT_EQ(y->values[0], (Ints{sign * 242}));
  }
}

TEST(GridSample, ReadsColumnsBeforeRows) {
  const auto y = RunOp(Sample(Values({1, 1, 2, 2}, {1, 2, 3, 4}), Values({1, 1, 2, 2}, {1, -1, -1, 1}),
                              {.align_corners = true}));
  EXPECT_EQ(y->values[0], (Ints{2, 3}));
  EXPECT_EQ(y->types[0].interval, (Interval{0, 4}));
  EXPECT_EQ(y->gas, 2 * (48 * 4 + 272) + (8 * 4 + 88) * 2 + 512);
}

const TestOperand kX = Values({1, 1, 2, 2}, {1, 2, 3, 4});
const TestOperand kGrid = Values({1, 1, 1, 2}, {0, 0});

TEST(GridSample, C1_RefusesImagesOfOtherRanks) {
  EXPECT_EQ(LabelOf(Sample(Values({1, 2, 2}, {1, 2, 3, 4}), kGrid, {})), "grid_sample_c1");
}

TEST(GridSample, C2_RefusesGridsOfOtherShapes) {
  EXPECT_EQ(LabelOf(Sample(kX, Values({1, 1, 1, 3}, {0, 0, 0}), {})), "grid_sample_c2");
  EXPECT_EQ(LabelOf(Sample(kX, Values({2, 1, 1, 2}, {0, 0, 0, 0}), {})), "grid_sample_c2");
}

// The extreme positions of every width that is accepted run in int64_t; RunOp compares them with cpp_int.
TEST(GridSample, C3_AcceptsNoGridWhosePositionsLeave64Bits) {
  for (const auto mode : {GridSampleMode::kNearest, GridSampleMode::kBilinear, GridSampleMode::kCubic}) {
    for (const auto padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
      int accepted = 0;
      for (int bits = 40; bits < 64; ++bits) {
        const int64_t far = (uint64_t{1} << bits) - 1;
        const OpCase test = Sample(kX, Constant({1, 1, 2, 2}, {far, -far, -far, far}),
                                   {.mode = mode, .padding = padding, .fraction = 3});
        accepted += RunOp(test).ok();
        EXPECT_EQ(LabelOf(test), bits < 60 ? "" : "grid_sample_c3");
      }
      EXPECT_EQ(accepted, 20);
    }
  }
}

TEST(GridSample, C4_RefusesSumsThatLeave64Bits) {
  EXPECT_EQ(LabelOf(Sample(kX, kGrid, {.fraction = 29})), "grid_sample_c4");
  EXPECT_EQ(LabelOf(Sample(kX, kGrid, {.mode = GridSampleMode::kCubic, .fraction = 9})), "grid_sample_c4");
  EXPECT_EQ(LabelOf(Sample(kX, kGrid, {.fraction = 4, .result_fraction = 60})), "grid_sample_c4");
  EXPECT_EQ(LabelOf(Sample(Constant({1, 1, 1, 1}, {INT64_MIN}), kGrid, {})), "grid_sample_c4");
}

}  // namespace
}  // namespace tally
