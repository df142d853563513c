#include <gtest/gtest.h>

#include <numeric>

#include "ops/layout/lowering/attrs.h"
#include "ops/testing/lowering_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;
using Names = std::vector<std::string>;

TestOperand Ramp(std::initializer_list<int64_t> dims) {
  Ints values(Shape::Create(dims)->num_elements());
  std::iota(values.begin(), values.end(), 0);
  return Values(dims, values);
}

template <typename Attrs>
LoweringOutcome Lowered(std::string_view name, TestOperand x, const Attrs& attrs) {
  const auto y = RunLowering({.name = name, .operands = {std::move(x)}, .attributes = Pack(attrs)});
  EXPECT_TRUE(y.ok()) << name << ": " << y.status();
  return y.ok() ? *y : LoweringOutcome{};
}

// The result of one lowering as the operand of another.
TestOperand Again(const LoweringOutcome& y) { return {*Tensor::FromValues(y.types[0].shape, y.values[0])}; }

TEST(LayoutLowerings, WriteFewInstructions) {
  EXPECT_EQ(Lowered("slice", Ramp({7}), SliceAttrs{{kAnyHi}, {kAnyLo}, {0}, {-3}}).instructions,
            Names{"strided_slice"});
  EXPECT_EQ(Lowered("repeat", Ramp({2, 2}), RepeatAttrs{3, 1}).instructions,
            (Names{"reshape", "broadcast_to", "reshape"}));
  EXPECT_EQ(Lowered("space_to_depth", Ramp({1, 2, 4, 4}), BlockAttrs{2}).instructions,
            (Names{"reshape", "transpose", "reshape"}));
  EXPECT_EQ(Lowered("reorg", Ramp({1, 1, 3, 2}), BlockAttrs{2}).instructions,
            (Names{"strided_slice", "reshape", "transpose", "reshape"}));
  EXPECT_EQ(Lowered("flatten_2d", Ramp({2, 3}), AxisAttrs{1}).instructions, Names{});
}

TEST(LayoutLowerings, DepthToSpaceUndoesSpaceToDepth) {
  for (const BlockMode mode : {BlockMode::kBlocksFirst, BlockMode::kDepthFirst}) {
    for (const TestOperand& x : {Ramp({2, 3, 4}), Ramp({1, 3, 4, 6}), Ramp({2, 2, 2, 4, 2})}) {
      const auto deep = Lowered("space_to_depth", x, BlockAttrs{2, mode});
      const auto back = Lowered("depth_to_space", Again(deep), BlockAttrs{2, mode});
      EXPECT_EQ(back.types[0].shape, x.tensor.shape());
      EXPECT_EQ(Again(back).tensor.bytes()[1], 1);
      for (int64_t i = 0; i < x.tensor.shape().num_elements(); ++i) EXPECT_EQ(back.values[0][i], i);
    }
  }
}

TEST(LayoutLowerings, ReorgYoloIsNotSpaceToDepth) {
  const auto yolo = Lowered("reorg_yolo", Ramp({1, 4, 4, 4}), ReorgYoloAttrs{2});
  for (const BlockMode mode : {BlockMode::kBlocksFirst, BlockMode::kDepthFirst}) {
    EXPECT_NE(yolo.values[0], Lowered("space_to_depth", Ramp({1, 4, 4, 4}), BlockAttrs{2, mode}).values[0]);
  }
}

TEST(LayoutLowerings, ShuffleUndoesTheShuffleOfTheOtherGroups) {
  const auto once = Lowered("shuffle_channels", Ramp({2, 6, 2}), ShuffleChannelsAttrs{1, 2});
  const auto twice = Lowered("shuffle_channels", Again(once), ShuffleChannelsAttrs{1, 3});
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(twice.values[0][i], i);
}

TEST(LayoutLowerings, ReverseIsItsOwnInverse) {
  const auto once = Lowered("reverse", Ramp({2, 3, 4}), AxesAttrs{{0, -1}});
  EXPECT_EQ(once.values[0][0], 15);
  EXPECT_EQ(Lowered("reverse", Again(once), AxesAttrs{{2, 0}}).values[0][23], 23);
}

TEST(LayoutLowerings, UnstackAndSplitMayHaveManyResults) {
  const auto parts = Lowered("split", Ramp({7}), SplitAttrs{.count = 3});
  EXPECT_EQ(parts.values, (std::vector<Ints>{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_EQ(Lowered("unstack", Ramp({2, 2}), AxisAttrs{1}).values, (std::vector<Ints>{{0, 2}, {1, 3}}));
  EXPECT_EQ(
      LabelOf(LoweringCase{.name = "unstack", .operands = {Ramp({1025})}, .attributes = Pack(AxisAttrs{0})}),
      "lowering_operands");
}

// A mask is 0 and 1, so the bounds are those of x and 0.
TEST(LayoutLowerings, BandKeepsTheBoundsOfItsOperand) {
  EXPECT_EQ(Lowered("band", Values({2, 2}, {5, 6, 7, 8}), BandAttrs{.lowest = {0}}).types[0].ToString(),
            "[2,2] in [0, 8]");
  EXPECT_EQ(Lowered("band", Values({2, 2}, {5, 6, 7, 8}), BandAttrs{.lowest = {-9}}).types[0].ToString(),
            "[2,2] in [5, 8]");
}

// Entries beyond every limit neither overflow nor take time.
TEST(LayoutLowerings, BearHostileAttributes) {
  for (const int64_t step : {kAnyLo, kAnyLo + 1, int64_t{-1}, int64_t{1}, kAnyHi}) {
    for (const int64_t begin : {kAnyLo, int64_t{-1}, int64_t{0}, kAnyHi}) {
      for (const int64_t end : {kAnyLo, int64_t{-1}, int64_t{0}, kAnyHi}) {
        const std::string label =
            LabelOf(LoweringCase{.name = "slice",
                                 .operands = {Ramp({5})},
                                 .attributes = Pack(SliceAttrs{{begin}, {end}, {}, {step}})});
        EXPECT_TRUE(label.empty() || label == "lowering_operands") << label;
      }
    }
  }
  EXPECT_EQ(LabelOf(LoweringCase{.name = "depth_to_space",
                                 .operands = {Ramp({1, 6, 2, 2})},
                                 .attributes = Pack(BlockAttrs{INT32_MAX})}),
            "lowering_operands");
}

}  // namespace
}  // namespace tally
