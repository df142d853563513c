// Additions to a log, which no crash can take back or tear.
//
// An addition is first a file "pending" of its own. Tiles follow, and the checkpoint last, which is when
// readers see it. A process that finds "pending" has been preceded by one that ended in between: it writes
// the same files again. So no file of a tree ever has two contents.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/io/file_calls.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/log/log_folder.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

using Entries = std::vector<std::vector<uint8_t>>;

constexpr uint64_t kPendingVersion = 1;

absl::Status Unwritable(const std::string& path, const std::string& why) {
  return MakeError(label::file_write, absl::StrCat("'", Printable(path), "': ", why));
}

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(PathOf(path), error) || error;
}

// Makes a folder and those above it; each is on the disk before the next.
absl::Status MakeFolder(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return absl::OkStatus();
  RETURN_IF_ERROR(MakeFolder(path.parent_path()));
  fs::create_directory(path, error);
  if (error) return Unwritable(path.string(), error.message());
  SyncFolder(path.has_parent_path() ? path.parent_path().string() : ".");
  return absl::OkStatus();
}

std::vector<uint8_t> EncodePending(uint64_t size, std::span<const std::vector<uint8_t>> entries) {
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kPendingVersion);
  writer.WriteUnsigned(2);
  writer.WriteUnsigned(size);
  writer.WriteUnsigned(3);
  writer.WriteArray(entries.size());
  for (const auto& entry : entries) writer.WriteBytes(entry);
  return writer.Take();
}

struct Pending {
  uint64_t size = 0;  // the log's before
  Entries entries;
};

absl::StatusOr<Pending> DecodePending(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  Pending pending;
  RETURN_IF_ERROR(reader.ExpectMap(3));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kPendingVersion) return MakeError(label::proof_version, "pending is of another version");
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(pending.size, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const uint64_t count, reader.ReadArray());
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const std::span<const uint8_t> entry, reader.ReadBytes());
    pending.entries.emplace_back(entry.begin(), entry.end());
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return pending;
}

// The files of a tree that grows, by path, and the folders of narrower tiles that are full now.
class Additions {
 public:
  Additions(const std::string& folder, uint64_t size) : folder_(folder), size_(size) {}

  absl::Status Add(std::span<const std::vector<uint8_t>> entries) {
    RETURN_IF_ERROR(AddEntries(entries));
    std::vector<Digest> hashes =
        MerkleLeafHashes(entries.size(), [&](uint64_t i) { return std::span<const uint8_t>(entries[i]); });
    for (int level = 0; !hashes.empty(); ++level) {
      ASSIGN_OR_RETURN(hashes, AddHashes(level, hashes));
    }
    return absl::OkStatus();
  }

  const std::map<std::string, std::vector<uint8_t>>& files() const { return files_; }
  const std::vector<std::string>& narrower() const { return narrower_; }

 private:
  absl::Status AddEntries(std::span<const std::vector<uint8_t>> entries) {
    uint64_t number = size_ / kTileWidth, width = size_ % kTileWidth;
    std::vector<uint8_t> bundle;
    const auto append = [&](std::span<const uint8_t> entry) {
      bundle.push_back(static_cast<uint8_t>(entry.size() >> 8));
      bundle.push_back(static_cast<uint8_t>(entry.size()));
      bundle.insert(bundle.end(), entry.begin(), entry.end());
    };
    if (width > 0) {
      ASSIGN_OR_RETURN(const Entries before, ReadEntries(folder_, number, width));
      for (const auto& entry : before) append(entry);
    }
    for (const auto& entry : entries) {
      append(entry);
      if (++width < kTileWidth) continue;
      files_[EntriesPath(number, kTileWidth)] = std::exchange(bundle, {});
      narrower_.push_back(EntriesPath(number, kTileWidth) + ".p");
      ++number;
      width = 0;
    }
    if (width > 0) files_[EntriesPath(number, width)] = std::move(bundle);
    return absl::OkStatus();
  }

  // Adds hashes to a level, and returns those that the next level gets.
  absl::StatusOr<std::vector<Digest>> AddHashes(int level, std::span<const Digest> added) {
    const uint64_t before = size_ >> (kTileHeight * level);
    uint64_t number = before / kTileWidth;
    std::vector<Digest> tile, above;
    if (const uint64_t width = before % kTileWidth; width > 0) {
      ASSIGN_OR_RETURN(tile, FolderTiles(folder_)({level, number, width}));
      tile.resize(width);
    }
    const auto put = [&](uint64_t width) {
      std::vector<uint8_t>& bytes = files_[TilePath({level, number, width})];
      for (const Digest& digest : tile) bytes.insert(bytes.end(), digest.begin(), digest.end());
    };
    for (const Digest& hash : added) {
      tile.push_back(hash);
      if (tile.size() < kTileWidth) continue;
      put(kTileWidth);
      narrower_.push_back(TilePath({level, number}) + ".p");
      above.push_back(MerkleRoot(tile));
      tile.clear();
      ++number;
    }
    if (!tile.empty()) put(tile.size());
    return above;
  }

  const std::string& folder_;
  const uint64_t size_;
  std::map<std::string, std::vector<uint8_t>> files_;
  std::vector<std::string> narrower_;
};

}  // namespace

LogWriter::LogWriter(std::string folder, std::string origin, SigningKey key, int lock)
    : folder_(std::move(folder)), key_(std::move(key)), lock_(lock) {
  checkpoint_.origin = std::move(origin);
}

LogWriter::~LogWriter() { close(lock_); }

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Open(std::string folder, std::string origin,
                                                           SigningKey key) {
  RETURN_IF_ERROR(MakeFolder(PathOf(folder)));
  const std::string path = folder + "/lock";
  const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (lock < 0) return Unwritable(path, std::strerror(errno));
  std::unique_ptr<LogWriter> log(new LogWriter(std::move(folder), std::move(origin), std::move(key), lock));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return MakeError(label::log_locked,
                     absl::StrCat("another process adds to the log '", Printable(log->folder_),
                                  "': it has one writer at a time"));
  }
  RETURN_IF_ERROR(log->ReadState());
  RETURN_IF_ERROR(log->Complete());
  return log;
}

absl::Status LogWriter::ReadState() {
  checkpoint_.root = Sha256Hash({});
  if (!Exists(folder_ + "/checkpoint")) {
    if (Exists(folder_ + "/tile") && !Exists(folder_ + "/pending"))
      return MakeError(label::log_form, "the log has tiles and no checkpoint: it is not whole");
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string text, ReadCheckpointNote(folder_));
  ASSIGN_OR_RETURN(const SignedNote note, ParseNote(text));
  ASSIGN_OR_RETURN(checkpoint_, OpenCheckpoint(note, {checkpoint_.origin, key_.public_key()}));
  ASSIGN_OR_RETURN(const Digest root, TiledTree(checkpoint_.size, FolderTiles(folder_)).Root());
  if (root == checkpoint_.root) return absl::OkStatus();
  return MakeError(label::log_form, "the tiles of the log have another root than its checkpoint");
}

absl::Status LogWriter::Complete() {
  const std::string path = folder_ + "/pending";
  if (!Exists(path)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  ASSIGN_OR_RETURN(const Pending pending, DecodePending(bytes));
  if (pending.size == checkpoint_.size) {
    RETURN_IF_ERROR(Publish(pending.entries));
  } else if (pending.size + pending.entries.size() != checkpoint_.size) {
    return MakeError(label::log_form, absl::StrCat("the file pending continues a log of ", pending.size,
                                                   " entries, not of ", checkpoint_.size));
  }
  std::error_code error;
  fs::remove(PathOf(path), error);
  return error ? Unwritable(path, error.message()) : absl::OkStatus();
}

absl::StatusOr<uint64_t> LogWriter::Append(std::span<const std::vector<uint8_t>> entries) {
  RETURN_IF_ERROR(Complete());
  const uint64_t first = checkpoint_.size;
  while (!entries.empty()) {
    const auto part = entries.first(std::min(entries.size(), kEntriesAtOnce));
    RETURN_IF_ERROR(WriteFileAtomically(folder_ + "/pending", EncodePending(checkpoint_.size, part)));
    RETURN_IF_ERROR(Complete());
    entries = entries.subspan(part.size());
  }
  return first;
}

absl::Status LogWriter::Publish(std::span<const std::vector<uint8_t>> entries) {
  Additions additions(folder_, checkpoint_.size);
  RETURN_IF_ERROR(additions.Add(entries));
  std::vector<FileToWrite> files;
  for (const auto& [path, bytes] : additions.files()) {
    files.push_back({folder_ + "/" + path, bytes});
    RETURN_IF_ERROR(MakeFolder(PathOf(files.back().path).parent_path()));
  }
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  Checkpoint next = checkpoint_;
  next.size += entries.size();
  ASSIGN_OR_RETURN(next.root, TiledTree(next.size, FolderTiles(folder_)).Root());
  const std::string note = SignNote(CheckpointText(next), next.origin, key_);
  RETURN_IF_ERROR(WriteFileAtomically(folder_ + "/checkpoint", AsBytes(note)));
  checkpoint_ = std::move(next);
  std::error_code ignored;  // they may stay
  for (const std::string& path : additions.narrower()) fs::remove_all(PathOf(folder_ + "/" + path), ignored);
  return absl::OkStatus();
}

}  // namespace tally
