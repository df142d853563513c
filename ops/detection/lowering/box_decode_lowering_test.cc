#include <gtest/gtest.h>

#include <random>

#include "base/int_math.h"
#include "ops/detection/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using List = std::vector<int64_t>;

List Decode(const LoweringCase& test) {
  const auto y = RunLowering(test);
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? y->values[0] : List{};
}

TEST(BoxForms, AreInverseOnTheFinerGrid) {
  const List centers = {3, -4, 7, 5, 0, 0, 1, 2};
  const List corners = Decode({.name = "center_to_corners",
                               .operands = {Values({2, 4}, centers)},
                               .attributes = Pack(BoxFormAttrs{})});
  EXPECT_EQ(corners, (List{-1, -13, 13, -3, -1, -2, 1, 2}));
  // Both ways double: four times the centers, and twice twice the sides.
  const List back = Decode({.name = "corners_to_center",
                            .operands = {Values({2, 4}, corners)},
                            .attributes = Pack(BoxFormAttrs{})});
  for (size_t i = 0; i < centers.size(); ++i) EXPECT_EQ(back[i], 4 * centers[i]) << i;
}

TEST(BoxForms, RoundHalvesUp) {
  EXPECT_EQ(Decode({.name = "center_to_corners",
                    .operands = {Values({1, 4}, {0, 0, 3, -3})},
                    .attributes = Pack(BoxFormAttrs{.halve = true})}),
            (List{-1, 2, 2, -1}));
}

TEST(BoxDecode, DeltasOfZeroKeepThePrior) {
  const List priors = {10, 20, 31, 45};
  EXPECT_EQ(Decode({.name = "box_decode",
                    .operands = {Values({1, 1, 4}, {0, 0, 0, 0}), Constant({1, 4}, priors),
                                 Constant({1, 2}, {3, 3}), Constant({1}, {1 << 10})},
                    .attributes = Pack(BoxDecodeAttrs{.fraction = 10})}),
            priors);
}

// One rounding: every coordinate is the nearest integer to the exact rational, here compared over a common
// divisor.
TEST(BoxDecode, RoundsOnce) {
  std::mt19937_64 random(1);
  const auto draw = [&](int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(random() % (hi - lo + 1));
  };
  for (int round = 0; round < 20; ++round) {
    const int64_t fraction = draw(1, 12);
    List deltas, priors, table;
    for (int i = 0; i < 4 * 6; ++i) deltas.push_back(draw(-20, 20));
    for (int i = 0; i < 6; ++i) {
      const int64_t x = draw(-500, 500), y = draw(-500, 500);
      priors.insert(priors.end(), {x, y, x + draw(0, 300), y + draw(0, 300)});
    }
    for (int i = 0; i < 41; ++i) table.push_back(draw(0, 5000));
    const int64_t vx = draw(-99, 99), vy = draw(-99, 99), offset = draw(0, 3);
    const List boxes =
        Decode({.name = "box_decode",
                .operands = {Values({6, 4}, deltas), Values({6, 4}, priors), Constant({1, 2}, {vx, vy}),
                             Constant({41}, table)},
                .attributes =
                    Pack(BoxDecodeAttrs{.fraction = fraction, .table_offset = -20, .side_offset = offset})});
    for (size_t p = 0; p < 6; ++p) {
      for (size_t axis = 0; axis < 2; ++axis) {
        const int64_t lo = priors[4 * p + axis], hi = priors[4 * p + axis + 2], side = hi - lo + offset;
        const int64_t middle = (lo + hi + offset) * (int64_t{1} << fraction) +
                               2 * deltas[4 * p + axis] * (axis == 0 ? vx : vy) * side;
        const int64_t length = table[static_cast<size_t>(deltas[4 * p + axis + 2] + 20)] * side;
        const int64_t divisor = int64_t{1} << (fraction + 1);
        EXPECT_EQ(boxes[4 * p + axis], FloorDiv(middle - length + divisor / 2, divisor));
        EXPECT_EQ(boxes[4 * p + axis + 2], FloorDiv(middle + length + divisor / 2, divisor));
      }
    }
  }
}

TEST(BoxDecode, ItsIntervalIsThatOfTheImageWhenClipped) {
  const auto y =
      RunLowering({.name = "box_decode",
                   .operands = {Values({1, 4}, {-9, 9, 9, -9}, {-128, 127}), Constant({1, 4}, {0, 0, 50, 50}),
                                Constant({1, 4}, {3, 3, 3, 3})},
                   .attributes = Pack(BoxDecodeAttrs{.code = BoxCode::kCorner, .limits = {40, 60}})});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->types[0].ToString(), "[1,4] in [0, 60]");
  EXPECT_EQ(y->values[0], (List{0, 14, 40, 37}));
}

}  // namespace
}  // namespace tally
