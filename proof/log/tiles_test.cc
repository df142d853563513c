#include "proof/log/tiles.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/hash/merkle.h"

namespace tally {
namespace {

std::vector<Digest> Leaves(uint64_t count) {
  std::vector<Digest> leaves(count);
  for (uint64_t i = 0; i < count; ++i)
    leaves[i] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i >> 16), 7};
  return leaves;
}

// All tiles of a tree, from its definition.
std::map<Tile, std::vector<Digest>> TilesOf(std::vector<Digest> nodes) {
  std::map<Tile, std::vector<Digest>> tiles;
  for (int level = 0; !nodes.empty(); ++level) {
    std::vector<Digest> above;
    for (uint64_t first = 0; first < nodes.size(); first += kTileWidth) {
      const uint64_t width = std::min<uint64_t>(kTileWidth, nodes.size() - first);
      std::vector<Digest>& tile = tiles[{level, first / kTileWidth, width}];
      tile.assign(nodes.begin() + static_cast<ptrdiff_t>(first),
                  nodes.begin() + static_cast<ptrdiff_t>(first + width));
      if (width == kTileWidth) above.push_back(MerkleRoot(tile));
    }
    nodes = above;
  }
  return tiles;
}

TiledTree TreeOf(const std::vector<Digest>& leaves) {
  return TiledTree(leaves.size(),
                   [tiles = TilesOf(leaves)](const Tile& tile) -> absl::StatusOr<std::vector<Digest>> {
                     return tiles.at(tile);  // no other is asked for
                   });
}

// Sizes about the edges of tiles on three levels.
const uint64_t kSizes[] = {1, 2, 3, 5, 255, 256, 257, 511, 512, 700, 65535, 65536, 65537, 66000};

TEST(Tiles, PathsHaveGroupsOfThreeDigits) {
  EXPECT_EQ(TilePath({0, 0, 256}), "tile/0/000");
  EXPECT_EQ(TilePath({1, 67, 5}), "tile/1/067.p/5");
  EXPECT_EQ(TilePath({0, 1234067, 256}), "tile/0/x001/x234/067");
  EXPECT_EQ(EntriesPath(1000, 1), "tile/entries/x001/000.p/1");
  EXPECT_EQ(WidthOf(0, 1, 257), 1u);
  EXPECT_EQ(WidthOf(1, 0, 257), 1u);
  EXPECT_EQ(WidthOf(1, 0, 255), 0u);
  EXPECT_EQ(WidthOf(0, 0, 1000), 256u);
}

TEST(Tiles, RootsAndInclusionProofsAreThoseOfTheLeaves) {
  for (const uint64_t size : kSizes) {
    const std::vector<Digest> leaves = Leaves(size);
    const TiledTree tree = TreeOf(leaves);
    const Digest root = MerkleRoot(leaves);
    ASSERT_EQ(*tree.Root(), root) << size;
    for (const uint64_t index : {uint64_t{0}, size / 2, size - 1}) {
      ASSERT_EQ(*tree.Leaf(index), leaves[index]);
      const auto path = *tree.InclusionProof(index);
      ASSERT_EQ(path, InclusionProof(leaves, index));
      ASSERT_TRUE(VerifyInclusion(leaves[index], index, size, path, root));
    }
  }
}

TEST(Tiles, EarlierTreesAreShownToBeTheBeginning) {
  for (const uint64_t size : kSizes) {
    const std::vector<Digest> leaves = Leaves(size);
    const TiledTree tree = TreeOf(leaves);
    const Digest root = MerkleRoot(leaves);
    for (const uint64_t earlier : kSizes) {
      if (earlier > size) continue;
      const Digest old_root = MerkleRoot(std::span(leaves).first(earlier));
      ASSERT_EQ(*tree.Root(earlier), old_root);
      const auto proof = *tree.ConsistencyProof(earlier);
      ASSERT_TRUE(VerifyConsistency(earlier, old_root, size, root, proof)) << earlier << " " << size;
      MerkleTree grown(earlier, *tree.PerfectRoots(earlier));
      ASSERT_EQ(grown.Root(), old_root);
      grown.AddLeafHashes(std::span(leaves).subspan(earlier));
      ASSERT_EQ(grown.Root(), root);
    }
    EXPECT_TRUE(VerifyConsistency(0, MerkleTree().Root(), size, root, {}));
  }
}

TEST(Tiles, ATileThatIsTooShortIsRefused) {
  const std::vector<Digest> leaves = Leaves(300);
  const TiledTree tree(300, [&](const Tile& tile) -> absl::StatusOr<std::vector<Digest>> {
    auto hashes = TilesOf(leaves).at(tile);
    hashes.pop_back();
    return hashes;
  });
  EXPECT_EQ(ErrorLabel(tree.Root().status()), "log_form");
  EXPECT_EQ(ErrorLabel(tree.InclusionProof(0).status()), "log_form");
}

}  // namespace
}  // namespace tally
