// Weights that only a run knows are packed like those that a plan knows.
#include "ops/cpu/gemm/pack_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/int_math.h"
#include "base/testing/random_source.h"

namespace tally {
namespace {

void ExpectPanelsOfAPlan(const MicroKernel& kernel, uint64_t seed) {
  RandomSource source(seed);
  const int64_t depth = source.Between(1, 70), columns = source.Between(1, 70),
                zero = source.Between(-128, 127);
  const bool transposed = source.OneIn(2);
  const int64_t base = source.OneIn(2) ? 0 : source.Between(-100, 100);
  const Storage of_element = StorageOfWeights(kernel.element);
  const Storage storage = base == 0 ? of_element : Storage::kI32;
  // [columns, depth].
  const auto weights = source.ValuesOrEnds(columns * depth, RangeOf(of_element), 3);
  const auto first = source.Values(columns + kPanel, {-1000, 1000});  // others' after those of the columns
  const auto first_of_columns = std::span(first).first(columns);

  std::vector<uint8_t> b(weights.size() * SizeBytes(storage));
  for (int64_t n = 0; n < columns; ++n) {
    for (int64_t k = 0; k < depth; ++k) {
      StoreElement(storage, b.data(), transposed ? n * depth + k : k * columns + n,
                   weights[n * depth + k] + base);
    }
  }
  const GemmPlan plan = PlanMatrix(1, depth, columns, kernel);
  const PackedWeights expected =
      PackWeights(plan, kernel.element, depth, zero, first_of_columns,
                  [&](int64_t n, int64_t channel, int64_t) { return weights[n * depth + channel]; });

  AlignedVector<uint8_t> packed(expected.bytes.size(), 0xa5);  // as a run finds it
  AlignedVector<int32_t> init(expected.init.size(), -1);
  for (int64_t panel = 0; panel < CeilDiv<int64_t>(columns, kPanel); ++panel) {
    PackPanel({.b = b.data(),
               .storage = storage,
               .transposed = transposed,
               .base = base,
               .depth = depth,
               .columns = columns,
               .zero_x = zero,
               .first = first_of_columns,
               .element = kernel.element,
               .k_groups = plan.k_groups_per_segment,
               .panel = panel,
               .packed = packed.data(),
               .init = init.data()});
  }
  // Results of columns that do not exist, made by a zero point, are never stored.
  for (int64_t n = columns; n < std::ssize(init) && base != 0; ++n) {
    init[n] = 0;
    const int64_t bytes = ElementsTogether(kernel.element) * SizeBytes(of_element);
    for (int64_t k = 0; k < plan.k_groups_per_segment * kKGroup; k += bytes) {
      const int64_t at = (n / kPanel * plan.k_groups_per_segment * kKGroup + k) * kPanel + n % kPanel * bytes;
      std::fill_n(packed.begin() + at, bytes, uint8_t{0});
    }
  }
  EXPECT_EQ(packed, expected.bytes);
  EXPECT_EQ(init, expected.init);
}

TEST(PackPanel, IsPackWeightsOfARun) {
  for (const MicroKernel& kernel : AllMicroKernels()) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      ExpectPanelsOfAPlan(kernel, seed);
      ASSERT_FALSE(HasFailure()) << kernel.name << ", seed " << seed;
    }
  }
}

Epilogue::Scale FormOf(const RescaleParams& params, int64_t most = (int64_t{1} << 31) - 1) {
  return PackScale({&params, 1}, 3, {-most, most})->scale;
}

TEST(PackScale, TakesTheFirstFormThatIsExact) {
  using Scale = Epilogue::Scale;
  const RescaleParams last = {.multiplier = 0x7fff, .shift = 47, .lo = -128, .hi = 127};
  EXPECT_EQ(FormOf(last), Scale::kShort);
  RescaleParams p = last;
  p.multiplier = 0x8000;
  EXPECT_EQ(FormOf(p), Scale::kHighWord);
  p = last, p.multiplier = -1;
  EXPECT_EQ(FormOf(p), Scale::kHighWord);
  p = last, p.shift = 48;
  EXPECT_EQ(FormOf(p), Scale::kHighWord);
  p = last, p.bias = 1 << 16;
  EXPECT_EQ(FormOf(p), Scale::kShort);
  p.bias = 1 << 15;  // the low half of a product may carry into what is above
  EXPECT_EQ(FormOf(p), Scale::kHighWord);
  p = last, p.zero_out = 2;  // 2^48
  EXPECT_EQ(FormOf(p), Scale::kHighWord);
  // A shift of 16 is lifted to 17, the multiplier with it, where that has room.
  p = {.multiplier = 0x3fff, .shift = 16, .lo = -128, .hi = 127};
  EXPECT_EQ(FormOf(p), Scale::kShort);
  p.multiplier = 0x4000;
  EXPECT_EQ(FormOf(p), Scale::kHighWord);
  p.multiplier = 0x7fffffff;
  EXPECT_EQ(FormOf(p), Scale::kAnyShift);
}

ResidualScale::Sum SumOf(ResidualScale residual, const Interval& y = RangeOf(Storage::kI8)) {
  SplitResidual(y, RangeOf(Storage::kI8), residual);
  return residual.sum;
}

TEST(SplitResidual, TakesTheFirstFormThatIsExact) {
  using Sum = ResidualScale::Sum;
  const ResidualScale small = {
      .y_multiplier = 0x7fff, .r_multiplier = -0x8000, .shift = 14, .addend = 1 << 13};
  EXPECT_EQ(SumOf(small), Sum::kPairs);
  ResidualScale r = small;
  r.y_multiplier = 0x8000;
  EXPECT_EQ(SumOf(r), Sum::kHalves);
  r = small, r.addend = int64_t{1} << 31;
  EXPECT_EQ(SumOf(r), Sum::kHalves);
  r = small, r.shift = 32;
  EXPECT_EQ(SumOf(r), Sum::kHalves);
  EXPECT_EQ(SumOf(small, {0, 40000}), Sum::kAny);
  EXPECT_EQ(SumOf({.y_multiplier = 1, .r_multiplier = 1, .shift = 60}), Sum::kAny);
}

}  // namespace
}  // namespace tally
