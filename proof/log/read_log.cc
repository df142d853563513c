// Logs as their readers see them.
#include <algorithm>
#include <filesystem>
#include <list>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/log/log_folder.h"

namespace tally {
namespace {

constexpr uint64_t kMaxNoteBytes = 1 << 16;
constexpr size_t kKeptTiles = 64;

// The file of a tile in the width that a tree has, or the full one, after which a log may delete the others.
absl::StatusOr<std::vector<uint8_t>> ReadOf(const std::string& folder, const std::string& path,
                                            const std::string& full, uint64_t most) {
  absl::StatusOr<std::vector<uint8_t>> bytes = ReadFile(folder + "/" + path, most);
  if (bytes.ok() || path == full) return bytes;
  absl::StatusOr<std::vector<uint8_t>> others = ReadFile(folder + "/" + full, most);
  return others.ok() ? others : bytes;
}

absl::StatusOr<std::vector<Digest>> ReadHashes(const std::string& folder, const Tile& tile) {
  const std::string path = TilePath(tile), full = TilePath({tile.level, tile.number});
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadOf(folder, path, full, kTileWidth * sizeof(Digest)));
  if (bytes.size() < tile.width * sizeof(Digest) || bytes.size() % sizeof(Digest) != 0) {
    return MakeError(label::log_form, absl::StrCat(path, " has ", bytes.size(), " bytes, not those of ",
                                                   tile.width, " hashes"));
  }
  std::vector<Digest> hashes(bytes.size() / sizeof(Digest));
  for (size_t i = 0; i < hashes.size(); ++i)
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(i * sizeof(Digest)), sizeof(Digest),
                hashes[i].begin());
  return hashes;
}

}  // namespace

absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(folder + "/checkpoint", kMaxNoteBytes));
  return std::string(AsText(bytes));
}

ReadTile FolderTiles(const std::string& folder) {
  using Kept = std::list<std::pair<Tile, std::vector<Digest>>>;
  return [folder, kept = std::make_shared<Kept>()](const Tile& tile) -> absl::StatusOr<std::vector<Digest>> {
    const auto found = std::ranges::find_if(*kept, [&](const auto& one) { return one.first == tile; });
    if (found != kept->end()) {
      kept->splice(kept->begin(), *kept, found);
      return kept->front().second;
    }
    ASSIGN_OR_RETURN(std::vector<Digest> hashes, ReadHashes(folder, tile));
    kept->emplace_front(tile, hashes);
    if (kept->size() > kKeptTiles) kept->pop_back();
    return hashes;
  };
}

absl::StatusOr<std::vector<std::vector<uint8_t>>> ReadEntries(const std::string& folder, uint64_t number,
                                                              uint64_t width) {
  const std::string path = EntriesPath(number, width), full = EntriesPath(number, kTileWidth);
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadOf(folder, path, full, kMaxBundleBytes));
  std::vector<std::vector<uint8_t>> entries;
  std::span<const uint8_t> rest = bytes;
  while (entries.size() < width && rest.size() >= 2) {
    const size_t size = static_cast<size_t>(rest[0] << 8 | rest[1]);
    if (rest.size() - 2 < size) break;
    entries.emplace_back(rest.begin() + 2, rest.begin() + 2 + static_cast<ptrdiff_t>(size));
    rest = rest.subspan(2 + size);
  }
  if (entries.size() == width) return entries;
  return MakeError(label::log_form, absl::StrCat(path, " has ", entries.size(), " whole entries of ", width));
}

}  // namespace tally
