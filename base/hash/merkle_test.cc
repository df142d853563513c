#include "base/hash/merkle.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_flags.h"
#include "base/hash/sha256.h"
#include "gtest/gtest.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

// The test data of Certificate Transparency's own implementations of RFC 6962.
const std::vector<Bytes> kLeaves = {
    {},
    {0x00},
    {0x10},
    {0x20, 0x21},
    {0x30, 0x31},
    {0x40, 0x41, 0x42, 0x43},
    {0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57},
    {0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f},
};

constexpr std::string_view kRoots[] = {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

std::vector<Digest> LeafHashes(size_t size) {
  std::vector<Digest> hashes;
  for (size_t i = 0; i < size; ++i) hashes.push_back(MerkleLeafHash(kLeaves[i]));
  return hashes;
}

std::vector<std::string> ToHex(const std::vector<Digest>& digests) {
  std::vector<std::string> hex;
  for (const Digest& digest : digests) hex.push_back(tally::ToHex(digest));
  return hex;
}

TEST(Merkle, RootsOfTheCertificateTransparencyLeaves) {
  MerkleTree tree;
  EXPECT_EQ(ToHex({tree.Root()})[0], kRoots[0]);
  for (size_t i = 0; i < kLeaves.size(); ++i) {
    tree.AddLeaf(kLeaves[i]);
    EXPECT_EQ(tree.size(), i + 1);
    EXPECT_EQ(ToHex({tree.Root()})[0], kRoots[i + 1]);
    EXPECT_EQ(MerkleRoot(LeafHashes(i + 1)), tree.Root());
  }
}

// Published paths for leaves 1, 6 and 3 (counted from one) of trees of 1, 8 and 3 leaves, and 2 of 5.
TEST(Merkle, PathsOfTheCertificateTransparencyLeaves) {
  using Path = std::vector<std::string>;
  EXPECT_EQ(ToHex(InclusionProof(LeafHashes(1), 0)), Path{});
  EXPECT_EQ(ToHex(InclusionProof(LeafHashes(8), 0)),
            (Path{"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                  "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                  "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"}));
  EXPECT_EQ(ToHex(InclusionProof(LeafHashes(8), 5)),
            (Path{"bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                  "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"}));
  EXPECT_EQ(ToHex(InclusionProof(LeafHashes(3), 2)),
            Path{"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"});
  EXPECT_EQ(ToHex(InclusionProof(LeafHashes(5), 1)),
            (Path{"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                  "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                  "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"}));
}

class MerkleBatchTest : public testing::TestWithParam<Sha256Batch> {
 protected:
  void SetUp() override {
    const CpuFlags required = GetParam().required;
    if (!DetectCpuFlags().HasAll(required)) {
      GTEST_SKIP() << "this processor lacks one of: " << CpuFlagsToString(required);
    }
  }
};

// Counts on both sides of full lanes and of the chunks in which leaves are joined, onto trees of any parity.
TEST_P(MerkleBatchTest, AddingManyLeavesIsAddingEach) {
  Bytes bytes(3000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 3);
  const LeafAt leaf_at = [&](uint64_t i) { return std::span(bytes).subspan(i, i % 100); };
  std::vector<uint64_t> counts = {1022, 1023, 1024, 1025, 2047, 2048, 2049};
  for (uint64_t count = 0; count <= 40; ++count) counts.push_back(count);
  for (const uint64_t count : counts) {
    MerkleTree many(GetParam()), one_by_one;
    for (int call = 1; call <= 3; ++call) {
      many.AddLeaves(count, leaf_at);
      for (uint64_t i = 0; i < count; ++i) one_by_one.AddLeaf(leaf_at(i));
      ASSERT_EQ(many.size(), one_by_one.size());
      ASSERT_EQ(many.Root(), one_by_one.Root()) << call << " calls of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MerkleBatchTest,
                         testing::ValuesIn(Sha256Batches().begin(), Sha256Batches().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Merkle, ANodeIsNoLeaf) {
  const std::vector<Digest> leaves = LeafHashes(2);
  Bytes both(leaves[0].begin(), leaves[0].end());
  both.insert(both.end(), leaves[1].begin(), leaves[1].end());
  EXPECT_NE(MerkleLeafHash(both), MerkleNodeHash(leaves[0], leaves[1]));
  both.insert(both.begin(), 0x01);
  EXPECT_EQ(Sha256Hash(both), MerkleNodeHash(leaves[0], leaves[1]));
}

TEST(Merkle, VerifyRefusesEmptyTreesAndIndicesBeyondTheEnd) {
  const Digest leaf = LeafHashes(1)[0];
  EXPECT_TRUE(VerifyInclusion(leaf, 0, 1, {}, leaf));
  EXPECT_FALSE(VerifyInclusion(leaf, 0, 0, {}, leaf));
  EXPECT_FALSE(VerifyInclusion(leaf, 1, 1, {}, leaf));
  EXPECT_FALSE(VerifyInclusion(leaf, ~uint64_t{0}, ~uint64_t{0}, {}, leaf));
}

}  // namespace
}  // namespace tally
