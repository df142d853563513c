#include "ops/expansion.h"

#include <gtest/gtest.h>

#include <limits>

namespace tally {
namespace {

// Computes columns in order.
class Computed final : public ColumnSource<TrappingInt> {
 public:
  explicit Computed(const Expansion<TrappingInt>& e) {
    for (const auto& steps : e.columns()) {
      columns_.emplace_back();
      for (int64_t i = 0; i < steps.length; ++i) {
        columns_.back().push_back(steps.at(StepReads<TrappingInt>({}, *this), i));
      }
    }
  }
  TrappingInt Read(int column, int64_t i) const override {
    return columns_.at(static_cast<size_t>(column)).at(static_cast<size_t>(i));
  }
  int64_t last() const { return static_cast<int64_t>(columns_.back().back()); }

 private:
  std::vector<std::vector<TrappingInt>> columns_;
};

Expansion<TrappingInt> OfNothing() { return {ReadContext{}, {}}; }

TrappingInt Number(const StepReads<TrappingInt>&, int64_t i) { return TrappingInt(i); }

TEST(Expansion, FoldsAllTermsOnceHoweverMany) {
  for (const int64_t n :
       {int64_t{0}, int64_t{1}, kTermsAtOnce, kTermsAtOnce + 1, kTermsAtOnce * kTermsAtOnce + 1}) {
    auto e = OfNothing();
    e.SumOf(n, Number);
    EXPECT_EQ(Computed(e).last(), n * (n - 1) / 2) << n;
    EXPECT_EQ(e.columns().back().length, 1) << n;
  }
}

TEST(Expansion, FindsTheFirst) {
  const auto first = [](int64_t n, int64_t from) {
    auto e = OfNothing();
    e.FirstOf(n, [from](const StepReads<TrappingInt>&, int64_t i) { return i >= from; });
    return Computed(e).last();
  };
  EXPECT_EQ(first(5000, 4000), 4000);
  EXPECT_EQ(first(5000, 0), 0);
  EXPECT_EQ(first(5000, 5000), 5000);
}

TEST(Expansion, BisectsAnyRange) {
  // The greatest t with `rank` of 0, 2, 4 .. below it.
  const auto greatest = [](int64_t lo, int64_t hi, int64_t rank) {
    auto e = OfNothing();
    e.Bisect(
        10, lo, hi, [rank](const StepReads<TrappingInt>&) { return TrappingInt(rank); },
        [](const StepReads<TrappingInt>&, int64_t i, const TrappingInt& t) {
          return TrappingInt(2 * i) < t;
        });
    return Computed(e).last();
  };
  EXPECT_EQ(greatest(0, 18, 3), 6);
  EXPECT_EQ(greatest(-7, 18, 0), 0);
  EXPECT_EQ(greatest(0, 18, 9), 18);
  EXPECT_EQ(greatest(0, 11, 9), 11);
  EXPECT_EQ(greatest(5, 5, 9), 5);
  constexpr int64_t kLo = std::numeric_limits<int64_t>::min(), kHi = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(greatest(kLo, kHi, 3), 6);
  EXPECT_EQ(greatest(kLo, kHi, 10), kHi);
  EXPECT_EQ(greatest(kLo, kLo + 1, 3), kLo + 1);
}

TEST(Expansion, ReadsNoPositionBeyondTheEnd) {
  auto e = OfNothing();
  const Column numbers =
      e.Map(5, [](const StepReads<TrappingInt>&, int64_t i) { return TrappingInt(i - 1); });
  const Computed computed(e);
  const StepReads<TrappingInt> reads({}, computed);
  EXPECT_EQ(reads.Position(numbers, 3, 3), 2);
  EXPECT_THROW(reads.Position(numbers, 4, 3), std::out_of_range);
  EXPECT_THROW(reads.Position(numbers, 0, 3), std::out_of_range);
}

}  // namespace
}  // namespace tally
