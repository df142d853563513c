// Every way to hash several messages at once against the portable one and OpenSSL.
#include "base/hash/sha256_batch.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_flags.h"
#include "base/hash/digest.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

class Sha256BatchTest : public testing::TestWithParam<Sha256Batch> {
 protected:
  void SetUp() override {
    const CpuFlags required = GetParam().required;
    if (!DetectCpuFlags().HasAll(required)) {
      GTEST_SKIP() << "this processor lacks one of: " << CpuFlagsToString(required);
    }
  }

  std::vector<Digest> Hash(uint8_t prefix, const std::vector<Sha256Message>& messages) const {
    std::vector<Digest> digests(messages.size());
    GetParam().hash(prefix, messages.data(), messages.size(), digests[0].data());
    return digests;
  }
};

Digest Portable(uint8_t prefix, Sha256Message message) {
  const Sha256Batch& portable = Sha256Batches().back();
  Digest digest;
  portable.hash(prefix, &message, 1, digest.data());
  return digest;
}

Digest OpensslSha256(uint8_t prefix, const Bytes& message) {
  Bytes prefixed = {prefix};
  prefixed.insert(prefixed.end(), message.begin(), message.end());
  Digest digest;
  EXPECT_EQ(EVP_Digest(prefixed.data(), prefixed.size(), digest.data(), nullptr, EVP_sha256(), nullptr), 1);
  return digest;
}

Bytes Noise(size_t size) {
  Bytes bytes(size);
  uint32_t state = 1;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

// Odd sizes put the messages on every alignment; sizes cover every place of the padding.
TEST_P(Sha256BatchTest, EqualsThePortableOneForEverySizeAndCount) {
  const Bytes bytes = Noise(1 + 1100 * kMaxSha256Lanes);
  std::vector<size_t> sizes;
  for (size_t size = 0; size <= 300; ++size) sizes.push_back(size);
  for (size_t size = 1000; size <= 1100; ++size) sizes.push_back(size);
  for (const size_t size : sizes) {
    std::vector<Sha256Message> messages;
    std::vector<Digest> expected;
    for (size_t i = 0; i < GetParam().lanes; ++i) {
      messages.push_back({bytes.data() + 1 + i * size, size});
      expected.push_back(Portable(0, messages.back()));
      ASSERT_EQ(Hash(0, messages), expected) << size << " bytes in each of " << i + 1 << " messages";
    }
  }
}

TEST_P(Sha256BatchTest, AgreesWithOpensslOnMessagesOfAnySizes) {
  const bool holds = rc::check([this] {
    const auto lanes = static_cast<int>(GetParam().lanes);
    const auto prefix = *rc::gen::arbitrary<uint8_t>();
    const auto message = rc::gen::resize(200, rc::gen::arbitrary<Bytes>());
    const auto bytes = *rc::gen::container<std::vector<Bytes>>(*rc::gen::inRange(1, lanes + 1), message);
    std::vector<Sha256Message> messages;
    std::vector<Digest> expected;
    for (const Bytes& one : bytes) {
      messages.push_back({one.data(), one.size()});
      expected.push_back(OpensslSha256(prefix, one));
    }
    RC_ASSERT(Hash(prefix, messages) == expected);
  });
  EXPECT_TRUE(holds);
}

TEST_P(Sha256BatchTest, WritesNoDigestBeyondTheCount) {
  const Bytes bytes = Noise(100);
  for (size_t count = 1; count <= GetParam().lanes; ++count) {
    const std::vector<Sha256Message> messages(count, {bytes.data(), bytes.size()});
    std::vector<Digest> digests(kMaxSha256Lanes + 1);
    GetParam().hash(0, messages.data(), count, digests[0].data());
    EXPECT_EQ(std::count(digests.begin(), digests.end(), Digest{}), kMaxSha256Lanes + 1 - count);
  }
}

// A short message finishes first; its digest is where a longer one is still to be read.
TEST_P(Sha256BatchTest, MayOverlayTheMessages) {
  Bytes bytes = Noise(100 * kMaxSha256Lanes);
  std::vector<Sha256Message> messages;
  std::vector<Digest> expected;
  for (size_t i = 0; i < GetParam().lanes; ++i) {
    messages.push_back({&bytes[100 * i], 100 * (GetParam().lanes - i)});
    expected.push_back(Portable(0, messages.back()));
  }
  GetParam().hash(0, messages.data(), messages.size(), bytes.data());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(std::equal(expected[i].begin(), expected[i].end(), bytes.begin() + 32 * i)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sha256BatchTest,
                         testing::ValuesIn(Sha256Batches().begin(), Sha256Batches().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Sha256Batch, NoneHasMoreLanesThanTheMost) {
  for (const Sha256Batch& batch : Sha256Batches()) EXPECT_LE(batch.lanes, kMaxSha256Lanes) << batch.name;
}

TEST(Sha256Batch, EveryProcessorRunsItsChoice) {
  EXPECT_TRUE(DetectCpuFlags().HasAll(BestSha256Batch().required));
  EXPECT_EQ(BestSha256Batch().name, ChooseSha256Batch(DetectCpuFlags()).name);
  EXPECT_EQ(Sha256Batches().back().required, CpuFlags());
}

#if defined(__x86_64__)
TEST(Sha256Batch, TheChoiceIsAFunctionOfTheFlags) {
  const CpuFlags sse41 = CpuFlags().With(CpuFlag::kSse41);
  const CpuFlags sha_ni = sse41.With(CpuFlag::kShaNi);
  EXPECT_EQ(ChooseSha256Batch(CpuFlags()).name, "sse2_lanes");
  EXPECT_EQ(ChooseSha256Batch(sse41.With(CpuFlag::kAvx2)).name, "avx2_lanes");
  EXPECT_EQ(ChooseSha256Batch(sha_ni).name, "sha_ni");
  EXPECT_EQ(ChooseSha256Batch(sha_ni.With(CpuFlag::kAvx2)).name, "sha_ni");
  EXPECT_EQ(ChooseSha256Batch(sse41.With(CpuFlag::kAvx2).With(CpuFlag::kAvx512)).name, "avx512_lanes");
  EXPECT_EQ(ChooseSha256Batch(sha_ni.With(CpuFlag::kAvx2).With(CpuFlag::kAvx512)).name, "avx512_lanes");
}
#endif

}  // namespace
}  // namespace tally
