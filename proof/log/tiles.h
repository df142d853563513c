// The tiles of a log (C2SP tlog-tiles): a Merkle tree of RFC 6962 in files of up to 256 hashes, and what can
// be proved of it. Files of fewer hashes have the number in their name, so that no file ever changes.
//
//   tile/<level>/<number>        the hashes of the nodes 8*level above the leaves
//   tile/entries/<number>        the entries of tile/0/<number>
//
// Who reads tiles computes roots of them, and believes a root that is signed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"

namespace tally {

inline constexpr int kTileHeight = 8;
inline constexpr uint64_t kTileWidth = 256;
inline constexpr size_t kMaxEntryBytes = (1 << 16) - 1;
// The most bytes of a tile of entries, each of which has its length in two bytes before it.
inline constexpr uint64_t kMaxBundleBytes = kTileWidth * (2 + kMaxEntryBytes);

struct Tile {
  int level = 0;
  uint64_t number = 0;
  uint64_t width = kTileWidth;  // hashes, or entries

  friend auto operator<=>(const Tile&, const Tile&) = default;
};

// "tile/1/x001/234", with ".p/5" after it where the width is 5.
std::string TilePath(const Tile& tile);
std::string EntriesPath(uint64_t number, uint64_t width);

// The width of a tile in the tree of `size` leaves; 0 where that has no such tile.
uint64_t WidthOf(int level, uint64_t number, uint64_t size);

// The hashes of a tile that a tree has, in its full width or more. Errors: those of its files.
using ReadTile = std::function<absl::StatusOr<std::vector<Digest>>(const Tile&)>;

// A tree in tiles, all of one size. Errors of its functions: those of `read`; log_form, where a tile has
// fewer hashes.
class TiledTree {
 public:
  TiledTree(uint64_t size, ReadTile read) : size_(size), read_(std::move(read)) {}

  uint64_t size() const { return size_; }
  absl::StatusOr<Digest> Root() const { return Root(size_); }
  // The root that the tree had at an earlier size.
  absl::StatusOr<Digest> Root(uint64_t earlier) const;
  absl::StatusOr<Digest> Leaf(uint64_t index) const { return Node(0, index); }
  // The path of a leaf below size() to the root, lowest first.
  absl::StatusOr<std::vector<Digest>> InclusionProof(uint64_t index) const;
  // That the tree begins with the one of `earlier` <= size() leaves (RFC 9162, 2.1.4).
  absl::StatusOr<std::vector<Digest>> ConsistencyProof(uint64_t earlier) const;
  // The roots of the perfect trees that make up the first `earlier` leaves, the largest first.
  absl::StatusOr<std::vector<Digest>> PerfectRoots(uint64_t earlier) const;

 private:
  // The root of the leaves from index * 2^height on, as many as 2^height.
  absl::StatusOr<Digest> Node(int height, uint64_t index) const;
  // The root of [begin, end), which is a part that RFC 6962 makes.
  absl::StatusOr<Digest> Range(uint64_t begin, uint64_t end) const;
  absl::Status AddPath(uint64_t index, uint64_t begin, uint64_t end, std::vector<Digest>& path) const;
  absl::Status AddConsistency(uint64_t earlier, uint64_t begin, uint64_t end, bool is_whole,
                              std::vector<Digest>& proof) const;

  uint64_t size_;
  ReadTile read_;
};

}  // namespace tally
