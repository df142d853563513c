// Every implementation of SHA-256 against the standard's examples and OpenSSL.
#include "base/hash/sha256.h"

#include <openssl/evp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_flags.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

std::span<const uint8_t> AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Digest OpensslSha256(std::span<const uint8_t> bytes) {
  Digest digest;
  EXPECT_EQ(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr), 1);
  return digest;
}

class Sha256Test : public testing::TestWithParam<Sha256Implementation> {
 protected:
  void SetUp() override {
    const CpuFlags required = GetParam().required;
    if (!DetectCpuFlags().HasAll(required)) {
      GTEST_SKIP() << "this processor lacks one of: " << CpuFlagsToString(required);
    }
  }

  Digest Hash(std::span<const uint8_t> bytes) const {
    Sha256 hash(GetParam().compress);
    hash.Update(bytes);
    return hash.Finish();
  }
};

// FIPS 180-2 appendix B, and the empty message.
TEST_P(Sha256Test, HashesTheStandardsExamples) {
  EXPECT_EQ(ToHex(Hash({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ToHex(Hash(AsBytes("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Hash(AsBytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(ToHex(Hash(AsBytes(std::string(1'000'000, 'a')))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// All positions of the padding within a block, twice over.
TEST_P(Sha256Test, AgreesWithOpensslOnEveryShortLength) {
  Bytes message;
  for (int size = 0; size <= 200; ++size) {
    EXPECT_EQ(Hash(message), OpensslSha256(message)) << size;
    message.push_back(static_cast<uint8_t>(31 * size + 7));
  }
}

TEST_P(Sha256Test, AgreesWithOpensslHoweverTheMessageIsCut) {
  const bool holds = rc::check([this] {
    const auto chunk_of_any_size = rc::gen::resize(300, rc::gen::arbitrary<Bytes>());
    const auto chunks = *rc::gen::container<std::vector<Bytes>>(chunk_of_any_size);
    Sha256 hash(GetParam().compress);
    Bytes message;
    for (const Bytes& chunk : chunks) {
      hash.Update(chunk);
      message.insert(message.end(), chunk.begin(), chunk.end());
    }
    RC_ASSERT(hash.Finish() == OpensslSha256(message));
  });
  EXPECT_TRUE(holds);
}

TEST_P(Sha256Test, CompressesManyUnalignedBlocksAtOnce) {
  Bytes bytes(1 + 64 * 100);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 3);
  const std::span<const uint8_t> unaligned = std::span(bytes).subspan(1);
  EXPECT_EQ(Hash(unaligned), OpensslSha256(unaligned));
}

TEST_P(Sha256Test, StartsAfreshAfterFinish) {
  Sha256 hash(GetParam().compress);
  hash.Update(AsBytes("left over"));
  hash.Finish();
  hash.Update(AsBytes("abc"));
  EXPECT_EQ(hash.Finish(), Hash(AsBytes("abc")));
}

INSTANTIATE_TEST_SUITE_P(All, Sha256Test,
                         testing::ValuesIn(Sha256Implementations().begin(), Sha256Implementations().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Sha256, UsesTheBestImplementationThatTheProcessorRuns) {
  for (const Sha256Implementation& implementation : Sha256Implementations()) {
    if (!DetectCpuFlags().HasAll(implementation.required)) continue;
    EXPECT_EQ(BestSha256Compress(), implementation.compress) << implementation.name;
    break;
  }
  EXPECT_EQ(Sha256Hash(AsBytes("abc")), OpensslSha256(AsBytes("abc")));
}

}  // namespace
}  // namespace tally
