#include "proof/log/tiles.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/hash/sha256.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"

namespace tally {
namespace {

// Groups of three digits: "x001/234".
std::string NumberPath(uint64_t number) {
  char group[8];
  std::snprintf(group, sizeof group, "%03d", static_cast<int>(number % 1000));
  std::string path = group;
  while (number >= 1000) {
    number /= 1000;
    std::snprintf(group, sizeof group, "x%03d", static_cast<int>(number % 1000));
    path = absl::StrCat(group, "/", path);
  }
  return path;
}

std::string Partial(uint64_t width) { return width == kTileWidth ? "" : absl::StrCat(".p/", width); }

}  // namespace

std::string TilePath(const Tile& tile) {
  return absl::StrCat("tile/", tile.level, "/", NumberPath(tile.number), Partial(tile.width));
}

std::string EntriesPath(uint64_t number, uint64_t width) {
  return absl::StrCat("tile/entries/", NumberPath(number), Partial(width));
}

uint64_t WidthOf(int level, uint64_t number, uint64_t size) {
  const uint64_t hashes = size >> (kTileHeight * level), first = number * kTileWidth;
  return first >= hashes ? 0 : std::min(kTileWidth, hashes - first);
}

absl::StatusOr<Digest> TiledTree::Root(uint64_t earlier) const {
  if (earlier == 0) return Sha256Hash({});
  return Range(0, earlier);
}

absl::StatusOr<Digest> TiledTree::Node(int height, uint64_t index) const {
  const int level = height / kTileHeight, above = height % kTileHeight;
  const uint64_t first = index << above, number = first / kTileWidth, place = first % kTileWidth;
  const uint64_t count = uint64_t{1} << above;
  const Tile tile = {level, number, WidthOf(level, number, size_)};
  ASSIGN_OR_RETURN(const std::vector<Digest> hashes, read_(tile));
  if (hashes.size() < place + count)
    return MakeError(label::log_form,
                     absl::StrCat(TilePath(tile), " has ", hashes.size(), " hashes, fewer than its tree"));
  return MerkleRoot(std::span(hashes).subspan(place, count));
}

absl::StatusOr<Digest> TiledTree::Range(uint64_t begin, uint64_t end) const {
  const uint64_t count = end - begin;
  if (std::has_single_bit(count)) {
    const int height = std::countr_zero(count);
    return Node(height, begin >> height);
  }
  const uint64_t middle = begin + MerkleSplitPoint(count);
  ASSIGN_OR_RETURN(const Digest left, Range(begin, middle));
  ASSIGN_OR_RETURN(const Digest right, Range(middle, end));
  return MerkleNodeHash(left, right);
}

absl::StatusOr<std::vector<Digest>> TiledTree::InclusionProof(uint64_t index) const {
  std::vector<Digest> path;
  RETURN_IF_ERROR(AddPath(index, 0, size_, path));
  return path;
}

absl::Status TiledTree::AddPath(uint64_t index, uint64_t begin, uint64_t end,
                                std::vector<Digest>& path) const {
  if (end - begin <= 1) return absl::OkStatus();
  const uint64_t middle = begin + MerkleSplitPoint(end - begin);
  const bool is_left = index < middle;
  RETURN_IF_ERROR(is_left ? AddPath(index, begin, middle, path) : AddPath(index, middle, end, path));
  ASSIGN_OR_RETURN(const Digest sibling, is_left ? Range(middle, end) : Range(begin, middle));
  path.push_back(sibling);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Digest>> TiledTree::ConsistencyProof(uint64_t earlier) const {
  std::vector<Digest> proof;
  if (earlier == 0 || earlier == size_) return proof;
  RETURN_IF_ERROR(AddConsistency(earlier, 0, size_, true, proof));
  return proof;
}

absl::Status TiledTree::AddConsistency(uint64_t earlier, uint64_t begin, uint64_t end, bool is_whole,
                                       std::vector<Digest>& proof) const {
  if (earlier == end) {
    if (is_whole) return absl::OkStatus();  // the verifier has this root
    ASSIGN_OR_RETURN(const Digest root, Range(begin, end));
    proof.push_back(root);
    return absl::OkStatus();
  }
  const uint64_t middle = begin + MerkleSplitPoint(end - begin);
  const bool is_left = earlier <= middle;
  RETURN_IF_ERROR(is_left ? AddConsistency(earlier, begin, middle, is_whole, proof)
                          : AddConsistency(earlier, middle, end, false, proof));
  ASSIGN_OR_RETURN(const Digest sibling, is_left ? Range(middle, end) : Range(begin, middle));
  proof.push_back(sibling);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Digest>> TiledTree::PerfectRoots(uint64_t earlier) const {
  std::vector<Digest> roots;
  uint64_t begin = 0;
  for (uint64_t rest = earlier; rest > 0; rest -= std::bit_floor(rest)) {
    const uint64_t count = std::bit_floor(rest);
    ASSIGN_OR_RETURN(const Digest root, Range(begin, begin + count));
    roots.push_back(root);
    begin += count;
  }
  return roots;
}

}  // namespace tally
