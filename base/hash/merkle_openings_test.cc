#include "base/hash/merkle_openings.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hash/merkle.h"

namespace tally {
namespace {

std::vector<Digest> Leaves(uint64_t count) {
  std::vector<Digest> hashes;
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t leaf[] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8)};
    hashes.push_back(MerkleLeafHash(leaf));
  }
  return hashes;
}

std::vector<OpenedLeaf> Opened(const std::vector<Digest>& hashes, const std::vector<uint64_t>& numbers) {
  std::vector<OpenedLeaf> opened;
  for (const uint64_t i : numbers) opened.emplace_back(i, hashes[i]);
  return opened;
}

TEST(MerkleOpenings, EverySetOfLeavesGivesTheRoot) {
  for (uint64_t size = 1; size <= 9; ++size) {
    const std::vector<Digest> hashes = Leaves(size);
    for (uint64_t set = 1; set < uint64_t{1} << size; ++set) {
      std::vector<uint64_t> numbers;
      for (uint64_t i = 0; i < size; ++i) {
        if ((set >> i & 1) != 0) numbers.push_back(i);
      }
      const std::vector<Digest> siblings = OpeningSiblings(hashes, numbers);
      EXPECT_EQ(RootOfOpening(size, Opened(hashes, numbers), siblings), MerkleRoot(hashes)) << size;
      if (numbers.size() == 1) {
        EXPECT_EQ(siblings.size(), InclusionProof(hashes, numbers[0]).size());
      }
    }
  }
}

TEST(MerkleOpenings, NothingElseDoes) {
  const std::vector<Digest> hashes = Leaves(300);
  const std::vector<uint64_t> numbers = {0, 5, 6, 255, 256, 299};
  const std::vector<OpenedLeaf> opened = Opened(hashes, numbers);
  const std::vector<Digest> siblings = OpeningSiblings(hashes, numbers);
  const Digest root = MerkleRoot(hashes);
  ASSERT_EQ(RootOfOpening(300, opened, siblings), root);
  const auto fails = [&](uint64_t size, std::vector<OpenedLeaf> leaves, std::vector<Digest> with) {
    return RootOfOpening(size, leaves, with) != root;
  };
  for (const uint64_t size : {0, 1, 299, 301, 512}) EXPECT_TRUE(fails(size, opened, siblings)) << size;
  for (size_t i = 0; i < siblings.size(); ++i) {
    std::vector<Digest> other = siblings;
    other[i][7] ^= 1;
    EXPECT_TRUE(fails(300, opened, other)) << i;
    other = siblings;
    other.erase(other.begin() + static_cast<int64_t>(i));
    EXPECT_TRUE(fails(300, opened, other)) << i;
    other.insert(other.begin(), Digest{});
    EXPECT_TRUE(fails(300, opened, other)) << i;
  }
  for (size_t i = 0; i < opened.size(); ++i) {
    std::vector<OpenedLeaf> other = opened;
    other[i].second[31] ^= 128;
    EXPECT_TRUE(fails(300, other, siblings)) << i;
    other = opened;
    other[i].first ^= 1;
    EXPECT_TRUE(fails(300, other, siblings)) << i;
    other = opened;
    other.insert(other.begin() + static_cast<int64_t>(i), opened[i]);
    EXPECT_EQ(RootOfOpening(300, other, siblings), std::nullopt) << "a leaf twice";
  }
  std::vector<Digest> more = siblings;
  more.emplace_back();
  EXPECT_EQ(RootOfOpening(300, opened, more), std::nullopt);
  EXPECT_EQ(RootOfOpening(300, {}, std::vector{root}), std::nullopt) << "nothing is opened";
}

TEST(MerkleOpenings, ATreeThatClaimsToBeHugeTakesNoTime) {
  const std::vector<Digest> hashes = Leaves(1);
  EXPECT_EQ(RootOfOpening(~uint64_t{0}, Opened(hashes, {0}), {}), std::nullopt);
}

}  // namespace
}  // namespace tally
