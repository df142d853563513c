// Lowered modules against the float graph they came from: operators that move elements, of images, and
// transposed convolutions.
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "quant/graph/graph_builder.h"
#include "quant/lower/quantized_type.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

constexpr double kGood = 30;  // dB

double Sqnr(const Graph& graph, const LoweredSamples& samples = {}) {
  return MeasureLowered(graph, samples).error.sqnr_db();
}

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

TEST(LowerGather, TakesWhatTheIndicesName) {
  GraphBuilder b("gather");
  const ValueId x = *b.AddInput("x", {3, 4, 2});
  const ValueId indices = *b.AddConstant("i", Int64Tensor{{2, 2}, {3, -4, 0, -1}});
  b.AddOutput(*b.AddNode(Gather{1}, {x, indices}, "y", "gather"));
  const OutputAccuracy output = MeasureLowered(*std::move(b).Build());
  EXPECT_LE(output.error.largest() / output.step, 0.5 + 1e-4);
}

TEST(LowerConvTranspose, WithPadsStridesDilationsGroupsAndBias) {
  EXPECT_GT(Sqnr(OneNode(ConvTranspose{}, {{1, 3, 5, 6}}, {Random({3, 2, 3, 3}, 1, -1, 1)})), kGood);
  const ConvTranspose op = {{2, 3}, {1, 2}, {1, 0, 0, 2}, {1, 0}, 2};
  EXPECT_GT(Sqnr(OneNode(op, {{2, 4, 5, 6}}, {Random({4, 3, 3, 2}, 1, -1, 1), Random({6}, 2)})), kGood);
}

// Each output channel has a scale of its own, in every group.
TEST(LowerConvTranspose, ChannelsOfDifferentSizeKeepTheirPrecision) {
  FloatTensor weight = Random({4, 2, 2, 2}, 3, -1, 1);
  for (size_t i = 0; i < weight.data.size(); ++i) {
    if (i / 4 % 2 == 1) weight.data[i] *= 1e-3f;
  }
  GraphBuilder b("channels");
  const ValueId x = *b.AddInput("x", {1, 4, 4, 4});
  const ValueId w = *b.AddConstant("w", weight);
  const ValueId y = *b.AddNode(ConvTranspose{.groups = 2}, {x, w}, "y", "up");
  // The small channels alone.
  b.AddOutput(*b.AddNode(Slice{{0, 1, 0, 0}, {1, 4, 5, 5}, {1, 2, 1, 1}}, {y}, "small", "slice"));
  EXPECT_GT(Sqnr(*std::move(b).Build()), kGood);
}

TEST(LowerResize, NearestIsExactAndLinearRoundsOnce) {
  ExpectExact(Resize{.size = {6, 4}}, {1, 2, 3, 5});
  for (const Coordinates coordinates : {Coordinates::kHalfPixel, Coordinates::kAlignCorners,
                                        Coordinates::kAsymmetric, Coordinates::kPytorchHalfPixel}) {
    const Resize linear = {.size = {7, 4}, .linear = true, .coordinates = coordinates};
    EXPECT_GT(Sqnr(OneNode(linear, {{1, 2, 3, 9}})), kGood);
  }
  const Resize scaled = {.size = {5, 5}, .linear = true, .scales = {3, 2, 5, 4}};
  EXPECT_GT(Sqnr(OneNode(scaled, {{1, 2, 4, 4}})), kGood);
  EXPECT_GT(Sqnr(OneNode(scaled, {{1, 2, 4, 4}}), {.low = 1, .high = 3}), kGood);
}

// Cubic curves overshoot: the grid of the result has room for it.
TEST(LowerResize, CubicRoundsTwice) {
  for (const bool flag : {false, true}) {
    const ResizeCubic cubic = {.size = {7, 4}, .antialias = flag, .exclude_outside = flag};
    EXPECT_GT(Sqnr(OneNode(cubic, {{1, 2, 3, 9}})), kGood);
    EXPECT_GT(Sqnr(OneNode(cubic, {{1, 2, 3, 9}}), {.low = 1, .high = 3}), kGood);
  }
}

}  // namespace
}  // namespace tally::quant
