// Lowered modules against the float graph they came from: family linear.
#include <gtest/gtest.h>

#include "quant/graph/graph_builder.h"
#include "quant/lower/testing/measure_lowered.h"

namespace tally::quant {
namespace {

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

}  // namespace
}  // namespace tally::quant
