#include "proof/freivalds/modular_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace tally {
namespace {

// All storages, and lengths about the edges of 8 and 32 elements, on which vectors work.
constexpr int64_t kLengths[] = {0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 257};
constexpr int64_t kFirst = 3;

class ModularSumsTest : public testing::TestWithParam<Storage> {
 protected:
  ModularSumsTest() {
    const Interval range = RangeOf(GetParam());
    std::uniform_int_distribution<int64_t> element(range.lo, range.hi);
    std::vector<int64_t> values(1000);
    for (int64_t& value : values) value = element(random_);
    values[kFirst] = range.lo;
    values[kFirst + 1] = range.hi;
    data_ = *Tensor::FromValues(*Shape::Create({1000}), GetParam(), values);
    for (uint64_t& factor : factors_) factor = random_();
  }

  uint64_t At(int64_t place) const { return static_cast<uint64_t>(data_.view().at(place)); }

  std::mt19937_64 random_{5};
  Tensor data_;
  std::vector<uint64_t> factors_ = std::vector<uint64_t>(257);
};

TEST_P(ModularSumsTest, DotIsTheSumOfItsProducts) {
  for (const int64_t step : {1, 3}) {
    for (const int64_t length : kLengths) {
      const auto factors = std::span<const uint64_t>(factors_).first(static_cast<size_t>(length));
      uint64_t sum = 0;
      for (int64_t i = 0; i < length; ++i) sum += At(kFirst + i * step) * factors[static_cast<size_t>(i)];
      ASSERT_EQ(Dot(data_.view(), kFirst, step, factors), sum) << step << " " << length;
    }
  }
}

TEST_P(ModularSumsTest, AddScaledAddsToEachSum) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  for (const int64_t offset : {0, -7}) {
    for (const int64_t step : {1, 3}) {
      for (const int64_t length : kLengths) {
        std::vector<uint64_t> sums = factors_, expected = factors_;
        for (int64_t i = 0; i < length; ++i)
          expected[static_cast<size_t>(i)] +=
              (At(kFirst + i * step) + static_cast<uint64_t>(offset)) * kFactor;
        AddScaled(data_.view(), kFirst, step, length, offset, kFactor, sums.data());
        ASSERT_EQ(sums, expected) << offset << " " << step << " " << length;
      }
    }
  }
}

// Elements at an odd address, as those of a module's file may be.
TEST_P(ModularSumsTest, AddressesOfAnyAlignmentAreRead) {
  std::vector<uint8_t> bytes(data_.bytes().size() + 1);
  std::copy(data_.bytes().begin(), data_.bytes().end(), bytes.begin() + 1);
  const TensorView moved = {GetParam(), data_.shape(), std::span(bytes).subspan(1)};
  EXPECT_EQ(Dot(moved, kFirst, 1, factors_), Dot(data_.view(), kFirst, 1, factors_));
  std::vector<uint64_t> sums = factors_, expected = factors_;
  AddScaled(moved, kFirst, 1, 257, 2, 3, sums.data());
  AddScaled(data_.view(), kFirst, 1, 257, 2, 3, expected.data());
  EXPECT_EQ(sums, expected);
}

INSTANTIATE_TEST_SUITE_P(Storages, ModularSumsTest, testing::ValuesIn(kAllStorages));

}  // namespace
}  // namespace tally
