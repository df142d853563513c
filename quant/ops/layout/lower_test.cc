// Lowered modules against the float graph they came from: family layout.
#include <gtest/gtest.h>

#include <vector>

#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

// Whether the module of `op`, which keeps the grid of x, adds no error to that of the grid.
void ExpectExact(const Op& op, const Shape& x, const std::vector<FloatTensor>& constants = {}) {
  constexpr double kHalfStep = 0.5 + 1e-4;
  const OutputAccuracy output = MeasureLowered(OneNode(op, {x}, constants));
  EXPECT_LE(output.error.largest() / output.step, kHalfStep) << OpName(op);
}

TEST(LowerLayout, MovesAreExactOnTheGrid) {
  ExpectExact(Slice{{1, 4}, {2, -1}, {1, -2}}, {3, 5});
  ExpectExact(Slice{{0, 3}, {3, 0}, {2, -1}}, {3, 5});
  for (const Pad::Mode mode : {Pad::Mode::kZero, Pad::Mode::kEdge, Pad::Mode::kReflect, Pad::Mode::kWrap}) {
    ExpectExact(Pad{mode, {1, 0}, {0, 7}}, {3, 4});
  }
  ExpectExact(Expand{{4, 2, 3}}, {2, 1});
  ExpectExact(Tile{{2, 3}}, {2, 5});
  ExpectExact(Tile{{}}, {});
}

TEST(LowerLayout, ZerosAreTheZeroPointAndInTheInterval) {
  // A clip that leaves 0 out, and then zeros around: they must not be taken for what the clip lets through.
  GraphBuilder b("padded");
  const ValueId x = *b.AddInput("x", {4, 8});
  const ValueId clip = *b.AddNode(Clip{1, 2}, {x}, "clip", "clip");
  const ValueId pad = *b.AddNode(Pad{Pad::Mode::kZero, {0, 1}, {0, 1}}, {clip}, "pad", "pad");
  const ValueId w = *b.AddConstant("w", Random({5, 10}, 1, -1, 1));
  b.AddOutput(*b.AddNode(Dense{}, {pad, w}, "y", "fc"));
  EXPECT_GT(Sqnr(*std::move(b).Build()), kGood);
}

TEST(LowerLayout, PadsWithANumberOnAGridThatHoldsIt) {
  EXPECT_GT(Sqnr(OneNode(PadConstant{-7.5f, {1, 0}, {0, 2}}, {{3, 20}})), kGood);
  EXPECT_GT(Sqnr(OneNode(PadConstant{0.25f, {1, 0}, {0, 2}}, {{3, 20}})), kGood);
}

TEST(LowerLayout, AChannelIsAppendedOnTheGrid) { ExpectExact(AppendChannel{1}, {2, 3, 4}); }

TEST(LowerSequences, ReverseAndFollowAndFind) {
  const Value lengths = IntegersIn({3}, {-1, 7});
  EXPECT_EQ(LargestError(ReverseSequence{1, 0}, {IntegersIn({5, 3, 2}, {-9, 9}), lengths}), 0);
  const OutputAccuracy floats =
      MeasureLowered(GraphOf(ReverseSequence{0, 2}, {FloatsOf({3, 2, 5}), lengths}));
  EXPECT_LE(floats.error.largest(), floats.step * (0.5 + 1e-4));
  EXPECT_EQ(LargestError(GatherTree{}, {IntegersIn({6, 3, 4}, {0, 9}), IntegersIn({6, 3, 4}, {-1, 5}),
                                        lengths, IntegersIn({}, {9, 9})}),
            0);
  for (const NonZeroResult result : {NonZeroResult::kPlaces, NonZeroResult::kCount}) {
    for (const int64_t bound : {3, 24}) {
      EXPECT_EQ(LargestError(NonZero{bound, result}, {IntegersIn({2, 3, 4}, {-1, 1})}), 0);
    }
  }
}

}  // namespace
}  // namespace tally::quant
