#include "ops/normalization/cpu/quick_inverse_root.h"

#include <gtest/gtest.h>

#include "base/testing/random_source.h"
#include "ops/normalization/inverse_root.h"

namespace tally {
namespace {

constexpr int kBits = 62;  // for a number whose root is taken

void ExpectTheInverseRoot(int64_t v, int64_t outside) {
  const QuickInverseRoot quick(v, outside);
  const InverseRoot<int64_t> slow(v, outside);
  ASSERT_EQ(quick.r, slow.r) << v << " and " << outside << " outside";
  ASSERT_EQ(quick.half_exponent, slow.half_exponent) << v;
}

TEST(QuickInverseRoot, IsTheInverseRootOfAnyNumber) {
  RandomSource source(1);
  for (int i = 0; i < 20000; ++i) {
    const int64_t v = source.Between(1, (int64_t{1} << source.Between(1, kBits)) - 1);
    ASSERT_NO_FATAL_FAILURE(ExpectTheInverseRoot(v, source.OneIn(2) ? 0 : source.Between(0, INT32_MAX)));
  }
}

TEST(QuickInverseRoot, IsTheInverseRootAroundSquares) {
  RandomSource source(2);
  for (int i = 0; i < 20000; ++i) {
    const int64_t root = source.Between(2, (int64_t{1} << source.Between(2, kBits / 2)) - 1);
    for (const int64_t v : {root * root - 1, root * root, root * root + 1}) {
      ASSERT_NO_FATAL_FAILURE(ExpectTheInverseRoot(v, 0));
    }
  }
}

}  // namespace
}  // namespace tally
