#include "base/copy_elements.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/tensor.h"

namespace tally {
namespace {

constexpr Storage kStorages[] = {Storage::kI8, Storage::kI16, Storage::kI32, Storage::kI64};

// The ends of the range of the narrower of two storages, and what is between them, after an address that is
// a multiple of nothing: of every count up to more than two vectors.
TEST(CopyElements, KeepsEveryValueInEveryStorage) {
  for (const Storage from : kStorages) {
    for (const Storage to : kStorages) {
      const Interval range = RangeOf(std::min(from, to));
      for (int64_t count = 0; count <= 150; ++count) {
        std::vector<uint8_t> x(static_cast<size_t>(1 + 8 * count)),
            y(static_cast<size_t>(1 + 8 * count + 8), 0x5a);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t value = i % 3 == 0 ? range.lo + i / 3 : i % 3 == 1 ? range.hi - i / 3 : i - 75;
          StoreElement(from, x.data() + 1, i, value);
        }
        CopyElements(from, x.data() + 1, to, y.data() + 1, count);
        for (int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(LoadElement(to, y.data() + 1, i), LoadElement(from, x.data() + 1, i))
              << i << " of " << count;
        }
        EXPECT_EQ(y[0], 0x5a);
        EXPECT_EQ(y[static_cast<size_t>(1 + count * SizeBytes(to))], 0x5a) << "behind the last";
      }
    }
  }
}

}  // namespace
}  // namespace tally
