// Fusion groups that end just where one condition of FindFusionGroups does not hold, each beside one that
// goes on: the engines that fuse compute what the reference does either way.
#include "engines/compile/fusion_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engines/testing/engine_case.h"
#include "ops/elementwise/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

using Names = std::vector<std::string>;

class Fusion : public EngineCase {
 protected:
  // A convolution of two channels.
  ValueId Convolution(ValueId x) { return EngineCase::Convolution(x, Constant({2, 2, 1, 1}, {3, -2, 1, 5})); }
  ValueId Lincomb(ValueId x, ValueId y, const LincombAttrs& attrs) {
    return b_.Op(Opcode::kLincomb, {x, y}, attrs);
  }
  ValueId Table(ValueId x, const std::vector<int64_t>& entries, int64_t offset) {
    return b_.Op(Opcode::kTable, {x, Constant({static_cast<int64_t>(entries.size())}, entries)},
                 TableAttrs{.offset = offset});
  }

  // The fusion groups of the module, and the equality of all engines on it.
  void Expect(const Names& fusions) {
    const auto module = Module();
    ASSERT_NE(module, nullptr);
    found_ = Find(*module);
    EXPECT_EQ(NamesOf(*module), fusions);
    ExpectEnginesAgree(module);
  }

  FusionGroups found_;

 private:
  static FusionGroups Find(const ValidModule& module) {
    const FunctionView function(module, 0);
    const auto gemm_at = [&](size_t step) -> std::optional<GemmForm> {
      if (function.instruction(step).op == Opcode::kConvolution) return GemmForm{1, false};
      if (function.instruction(step).op != Opcode::kMatmul) return std::nullopt;
      return GemmForm{function.type(function.result(step)).shape.rank() - 1, false};
    };
    return FindFusionGroups(function, CountUses(function), true, gemm_at);
  }

  Names NamesOf(const ValidModule& module) const {
    const FunctionView function(module, 0);
    Names fusions;
    for (const auto& [last, fused] : found_.by_last) {
      std::string names;
      for (size_t step = fused.gemm;; step = function.facts().last_steps[function.result(step)]) {
        names += (names.empty() ? "" : " ") + std::string(InfoOf(function.instruction(step).op).name);
        if (step == last) break;
      }
      fusions.push_back(names);
    }
    return fusions;
  }
};

TEST_F(Fusion, GoesOnToTheEnd) {
  const ValueId x = Param({2, 3}), r = Param({2, 3});
  ValueId y = Rescale(Add(Matmul(x), Constant({3}, {700, -500, 300})), kToBytes, 1);
  y = b_.Op(Opcode::kClip, {y}, ClipAttrs{.a_min = -100, .a_max = 99});
  y = Lincomb(y, r, {.multipliers = {3, 5}, .zero_points = {1, -2}, .shift = 3, .lo = -128, .hi = 127});
  std::vector<int64_t> entries(256);
  for (int64_t i = 0; i < 256; ++i) entries[i] = i * i % 251 - 125;
  Result(Table(b_.Op(Opcode::kRelu, {y}), entries, -128));
  Expect({"matmul broadcast_add rescale clip lincomb relu table"});
}

TEST_F(Fusion, EndsAheadOfASecondReader) {
  const ValueId x = Param({2, 3}), y = Rescale(Matmul(x));
  Result(b_.Op(Opcode::kRelu, {y}));
  Result(b_.Op(Opcode::kNegative, {y}));
  Expect({"matmul rescale"});
}

TEST_F(Fusion, EndsAheadOfASecondReaderOfTheSum) {
  const ValueId x = Param({2, 3}), y = Matmul(x);
  Result(b_.Op(Opcode::kNegative, {y}));
  Result(Rescale(y));
  Expect({"matmul"});
}

TEST_F(Fusion, EndsAtAResultThatOthersRead) {
  const ValueId x = Param({2, 3}), y = Rescale(Matmul(x));
  Result(b_.Op(Opcode::kRelu, {y}));
  Result(y);
  Expect({"matmul rescale"});
}

TEST_F(Fusion, OfTwoSumsThatMeetTheFirstTakesTheOther) {
  const ValueId x = Param({2, 3}), z = Param({2, 3});
  const ValueId first = Rescale(Matmul(x)), second = Rescale(Matmul(z));
  Result(Lincomb(second, first,
                 {.multipliers = {3, 5}, .zero_points = {0, 0}, .shift = 2, .lo = -128, .hi = 127}));
  Expect({"matmul rescale", "matmul rescale lincomb"});
}

TEST_F(Fusion, FollowsTheChannelsBehindAReshape) {
  const ValueId x = Param({3, 2, 1, 1});
  Result(Rescale(Reshape(Convolution(x), {3, 1, 2}), {.axis = 2, .lo = -128, .hi = 127}, 2));
  Result(Rescale(Reshape(Convolution(x), {1, 3, 2}), {.axis = 2, .lo = -128, .hi = 127}, 2));
  Expect({"convolution reshape rescale", "convolution reshape rescale"});
}

TEST_F(Fusion, DoesNotTakeTheBatchForTheChannels) {
  const ValueId x = Param({2, 2, 1, 1});
  Result(Rescale(Reshape(Convolution(x), {2, 2}), {.axis = 0, .lo = -128, .hi = 127}, 2));
  Expect({"convolution reshape"});
}

TEST_F(Fusion, TakesNoReshapeThatTheLayoutsTellApart) {
  const ValueId x = Param({1, 2, 2, 2});
  Result(Rescale(Reshape(Convolution(x), {1, 2, 4})));
  Expect({"convolution"});
}

TEST_F(Fusion, TakesNoSumOfALineForABias) {
  const ValueId x = Param({1, 2, 3, 2});
  Result(Rescale(Add(Convolution(x), Constant({2}, {100, -300}))));
  Expect({"convolution"});
}

TEST_F(Fusion, TakesNoConstantOfEachElementForABias) {
  const ValueId x = Param({2, 3});
  Result(Add(Matmul(x), Constant({2, 3}, {100, -300, 5, 6, 7000, 8})));
  Expect({"matmul"});
}

TEST_F(Fusion, TakesNoBiasThatAddsAnAxis) {
  const ValueId x = Param({2, 3}), y = Add(Matmul(x), Constant({1, 1, 3}, {100, -300, 5}));
  Result(Rescale(y, {.axis = 1, .lo = -128, .hi = 127}, 2));
  Expect({"matmul"});
}

TEST_F(Fusion, TakesABiasUpToTheEndOf32Bits) {
  const auto bias = [&](int64_t v) { return Constant({3}, {1, v, 2}); };
  const ValueId x = Param({2, 3}, {0, 1});
  Result(Add(Matmul(x), bias((int64_t{1} << 31) - 100)));
  Result(Add(Matmul(x), bias((int64_t{1} << 31) - 1)));
  Expect({"matmul broadcast_add", "matmul"});
}

TEST_F(Fusion, TakesABiasOfMatricesThatTheRunKnows) {
  const ValueId x = Param({2, 3}), w = Param({3, 5});
  Result(Add(b_.Op(Opcode::kMatmul, {x, w}, MatmulAttrs{}), Constant({5}, {100, -200, 300, -400, 500})));
  Expect({"matmul broadcast_add"});
}

TEST_F(Fusion, ScalesAlongTheChannelsAlone) {
  const ValueId x = Param({3, 3});
  Result(Rescale(Matmul(x), {.axis = -1, .lo = -128, .hi = 127}, 3));
  Result(Rescale(Matmul(x), {.axis = 0, .lo = -128, .hi = 127}, 3));
  Expect({"matmul rescale", "matmul"});
}

TEST_F(Fusion, ScalesWithin32Bits) {
  const ValueId x = Param({2, 3});
  Result(Rescale(Matmul(x), {.lo = -(int64_t{1} << 31), .hi = (int64_t{1} << 31) - 1}, 1, 0));
  Result(Rescale(Matmul(x), {.lo = -(int64_t{1} << 31), .hi = int64_t{1} << 31}, 1, 0));
  Expect({"matmul rescale", "matmul"});
}

TEST_F(Fusion, KnowsTwoRoundings) {
  const ValueId x = Param({2, 3});
  for (const Rounding rounding : {Rounding::kHalfUp, Rounding::kFloor, Rounding::kHalfEven}) {
    Result(Rescale(Matmul(x), {.zero_in = 2, .lo = -128, .hi = 127, .rounding = rounding}, 1, 33));
  }
  Expect({"matmul rescale", "matmul rescale", "matmul"});
}

TEST_F(Fusion, AddsWhatHasItsShape) {
  const ValueId x = Param({2, 3}), r = Param({2, 3}), row = Param({3});
  Result(Add(r, Rescale(Matmul(x))));
  Result(Add(row, Rescale(Matmul(x))));
  Expect({"matmul rescale broadcast_add", "matmul rescale"});
}

TEST_F(Fusion, AddsAndRescalesInOne) {
  const ValueId x = Param({2, 3}), r = Param({2, 3});
  Result(Rescale(Add(Rescale(Matmul(x)), r), {.zero_in = 3, .zero_out = -5, .lo = -128, .hi = 127}, 1, 30));
  Expect({"matmul rescale broadcast_add rescale"});
}

TEST_F(Fusion, AddsNoConstant) {
  const ValueId x = Param({2, 3});
  Result(Add(Rescale(Matmul(x)), Constant({2, 3}, {1, 2, 3, 4, 5, 6})));
  Expect({"matmul rescale"});
}

TEST_F(Fusion, AddsNothingToItself) {
  const ValueId x = Param({2, 3}), y = Rescale(Matmul(x));
  Result(Add(y, y));
  Expect({"matmul rescale"});
}

TEST_F(Fusion, CombinesWithTwoRoundings) {
  const ValueId x = Param({2, 3}), r = Param({2, 3});
  for (const Rounding rounding : {Rounding::kHalfUp, Rounding::kFloor, Rounding::kHalfEven}) {
    Result(Lincomb(Rescale(Matmul(x)), r,
                   {.multipliers = {3, -5},
                    .zero_points = {0, 7},
                    .shift = 2,
                    .rounding = rounding,
                    .lo = -128,
                    .hi = 127}));
  }
  Expect({"matmul rescale lincomb", "matmul rescale lincomb", "matmul rescale"});
}

TEST_F(Fusion, CombinesWithin32Bits) {
  const ValueId x = Param({2, 3}), r = Param({2, 3});
  for (const int64_t hi : {(int64_t{1} << 31) - 1, int64_t{1} << 31}) {
    Result(Lincomb(
        Rescale(Matmul(x)), r,
        {.multipliers = {1 << 30, 1 << 30}, .zero_points = {0, 0}, .lo = -(int64_t{1} << 31), .hi = hi}));
  }
  Expect({"matmul rescale lincomb", "matmul rescale"});
}

TEST_F(Fusion, CombinesWithUpTo16Bits) {
  const ValueId x = Param({2, 3}), words = Param({2, 3}, {-32768, 32767}),
                more = Param({2, 3}, {-32768, 32768});
  const LincombAttrs attrs = {
      .multipliers = {1, 1}, .zero_points = {0, 0}, .shift = 9, .lo = -128, .hi = 127};
  Result(Lincomb(Rescale(Matmul(x)), words, attrs));
  Result(Lincomb(Rescale(Matmul(x)), more, attrs));
  Expect({"matmul rescale lincomb", "matmul rescale"});
}

TEST_F(Fusion, CombinesTermsOf64Bits) {
  const ValueId x = Param({2, 3}), r = Param({2, 3});
  for (const int64_t zero_out : {0, 2}) {
    Result(Lincomb(Rescale(Matmul(x)), r,
                   {.multipliers = {(int64_t{1} << 31) - 1, 1},
                    .zero_points = {0, 0},
                    .shift = 62,
                    .zero_out = zero_out,
                    .lo = -128,
                    .hi = 127}));
  }
  Expect({"matmul rescale lincomb", "matmul rescale"});
}

TEST_F(Fusion, CombinesWideSums) {
  const ValueId x = Param({2, 3}, {-30000, 30000}), r = Param({2, 3});
  Result(Lincomb(Rescale(Matmul(x), {.lo = -100000, .hi = 100000}, 1, 29), r,
                 {.multipliers = {70, 9000}, .zero_points = {0, 0}, .shift = 16, .lo = -128, .hi = 127}));
  Expect({"matmul rescale lincomb"});
}

TEST_F(Fusion, FoldsClampsThatDoNotMeet) {
  const ValueId x = Param({2, 3});
  Result(b_.Op(Opcode::kRelu, {Rescale(Matmul(x), {.lo = -100, .hi = -50})}));
  Result(
      b_.Op(Opcode::kClip, {Rescale(Matmul(x), {.lo = 20, .hi = 90})}, ClipAttrs{.a_min = -7, .a_max = 5}));
  Expect({"matmul rescale relu", "matmul rescale clip"});
}

// The engines lower it to a clip, but where that would take a module beyond its limits.
TEST_F(Fusion, ReluClampsAtZero) {
  const ValueId x = Param({2, 3});
  Result(b_.Op(Opcode::kRelu, {Rescale(Matmul(x))}));
  Expect({"matmul rescale relu"});
  EXPECT_EQ(found_.by_last.begin()->second.scale[0].lo, 0);
  EXPECT_EQ(found_.by_last.begin()->second.scale[0].hi, 127);
}

TEST_F(Fusion, ClampsWhatWasAdded) {
  const ValueId x = Param({2, 3}), r = Param({2, 3});
  Result(b_.Op(Opcode::kRelu, {Add(Rescale(Matmul(x)), r)}));
  Expect({"matmul rescale broadcast_add relu"});
}

TEST_F(Fusion, LooksUpBytes) {
  const ValueId x = Param({2, 3});
  std::vector<int64_t> bytes(200), words(200);
  for (int64_t i = 0; i < 200; ++i) bytes[i] = i % 97 - 48, words[i] = 3 * i - 300;
  Result(Table(Rescale(Matmul(x)), bytes, -70));
  Result(Table(Rescale(Matmul(x)), words, -70));
  Result(Table(Rescale(Matmul(x), {.lo = -300, .hi = 300}), bytes, -70));
  Expect({"matmul rescale table", "matmul rescale", "matmul rescale"});
}

}  // namespace
}  // namespace tally
