#include "proof/log/follow_log.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/log/log_folder.h"
#include "proof/log/log_proof.h"
#include "proof/log/tiles.h"

namespace tally {
namespace {

constexpr int kHighestLevel = 7;  // with which a tree has 2^64 leaves

absl::Status OtherHashes(const Tile& tile) {
  return MakeError(label::log_form, TilePath(tile) + " has other hashes than its tree");
}

// That the tile of these leaves has their hashes, and that each tile which they fill is in the one above it.
absl::Status CheckTiles(const ReadTile& read, uint64_t number, const std::vector<Digest>& leaves,
                        uint64_t size) {
  std::vector<Digest> below = leaves;
  Tile tile = {0, number, below.size()};
  ASSIGN_OR_RETURN(std::vector<Digest> hashes, read(tile));
  hashes.resize(below.size());
  if (hashes != below) return OtherHashes(tile);
  while (below.size() == kTileWidth && tile.level < kHighestLevel) {
    const uint64_t place = tile.number % kTileWidth;
    tile = {tile.level + 1, tile.number / kTileWidth, 0};
    tile.width = WidthOf(tile.level, tile.number, size);
    ASSIGN_OR_RETURN(std::vector<Digest> above, read(tile));
    if (above.size() <= place || above[place] != MerkleRoot(below)) return OtherHashes(tile);
    above.resize(place + 1);
    below = std::move(above);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FollowLog(const std::string& folder, const Checkpoint& earlier, const Checkpoint& later,
                       const std::function<absl::Status(uint64_t, std::span<const uint8_t>)>& use) {
  RETURN_IF_ERROR(CheckGrowth(earlier, later));
  const ReadTile read = FolderTiles(folder);
  const TiledTree tree(later.size, read);
  ASSIGN_OR_RETURN(std::vector<Digest> roots, tree.PerfectRoots(earlier.size));
  MerkleTree followed(earlier.size, std::move(roots));
  if (followed.Root() != earlier.root) {
    return MakeError(label::log_history,
                     absl::StrCat("the first ", earlier.size, " entries have the root ",
                                  ToHex(followed.Root()), ", and had ", ToHex(earlier.root)));
  }
  for (uint64_t index = earlier.size; index < later.size;) {
    const uint64_t number = index / kTileWidth;
    ASSIGN_OR_RETURN(const auto entries, ReadEntries(folder, number, WidthOf(0, number, later.size)));
    const std::vector<Digest> leaves =
        MerkleLeafHashes(entries.size(), [&](uint64_t i) { return std::span<const uint8_t>(entries[i]); });
    RETURN_IF_ERROR(CheckTiles(read, number, leaves, later.size));
    for (size_t i = index % kTileWidth; i < entries.size(); ++i, ++index) {
      followed.AddLeafHash(leaves[i]);
      RETURN_IF_ERROR(use(index, entries[i]));
    }
  }
  if (followed.Root() == later.root) return absl::OkStatus();
  return MakeError(label::log_form, absl::StrCat("the entries have the root ", ToHex(followed.Root()),
                                                 ", the checkpoint has ", ToHex(later.root)));
}

}  // namespace tally
