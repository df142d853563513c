#include "ops/attention/cpu/attention_loops.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/cpu_flags.h"

namespace tally {
namespace {

void ExpectHalvesToJoin(const AttentionLoops& loops) {
  constexpr int32_t kMost = 1 << 14;
  std::vector<int32_t> weights;
  for (int32_t w = -kMost; w <= kMost; ++w) weights.push_back(w);
  const auto n = static_cast<int64_t>(weights.size());
  std::vector<uint8_t> low(n), high(n);
  loops.split(weights.data(), n, low.data(), high.data());
  // As matrix units read them, and as they multiply a value of 1.
  const auto elements = [](const std::vector<uint8_t>& bytes) {
    std::vector<int32_t> signed_bytes;
    for (const uint8_t b : bytes) signed_bytes.push_back(static_cast<int8_t>(b));
    return signed_bytes;
  };
  std::vector<int32_t> joined = elements(low);
  loops.join(joined.data(), elements(high).data(), n);
  EXPECT_EQ(joined, weights);
}

// Kernels of matrix units alone split weights, but any processor can.
TEST(AttentionLoops, JoinTheHalvesOfEveryWeight) {
  ExpectHalvesToJoin(GetAttentionLoops<Isa::kPortable>());
  if (DetectCpuFlags().Has(CpuFlag::kAvx2)) ExpectHalvesToJoin(GetAttentionLoops<Isa::kAvx2>());
  if (DetectCpuFlags().Has(CpuFlag::kAvx512)) ExpectHalvesToJoin(GetAttentionLoops<Isa::kAvx512>());
}

}  // namespace
}  // namespace tally
