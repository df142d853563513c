// A log in a folder: tiles, entries and the checkpoint as files, which any web server shows to readers
// (docs/spec/log.md).
//
//   ASSIGN_OR_RETURN(const auto log, LogWriter::Open("log", "example.com/log", key));
//   ASSIGN_OR_RETURN(const uint64_t first, log->Append(entries));  // they are in the log, whatever happens next
//
//   ASSIGN_OR_RETURN(const std::string note, ReadCheckpointNote("log"));
//   const TiledTree tree(checkpoint.size, FolderTiles("log"));
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proof/log/checkpoint.h"
#include "proof/log/tiles.h"
#include "proof/receipt/ed25519.h"

namespace tally {

// The most entries that become part of a log together.
inline constexpr size_t kEntriesAtOnce = 1 << 16;

// The file "checkpoint". Errors: those of ReadFile.
absl::StatusOr<std::string> ReadCheckpointNote(const std::string& folder);
// Reads each tile once, and keeps the last ones. Errors: those of ReadFile; log_form.
ReadTile FolderTiles(const std::string& folder);
// The entries of a tile. Errors: those of ReadFile; log_form, also where there are fewer than `width`.
absl::StatusOr<std::vector<std::vector<uint8_t>>> ReadEntries(const std::string& folder, uint64_t number,
                                                              uint64_t width);

// The one process that may add to a log.
class LogWriter {
 public:
  // Makes a log if the folder is empty. What an earlier process has begun to add is completed. Errors:
  // log_locked, log_signature, log_form; those of reading and writing files.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Open(std::string folder, std::string origin,
                                                         SigningKey key);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // The index of the first of the entries, once all of them are on the disk and in the checkpoint. An entry
  // has at most kMaxEntryBytes. After an error, some may be in the log: all that are before those that are
  // not.
  absl::StatusOr<uint64_t> Append(std::span<const std::vector<uint8_t>> entries);

  const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  LogWriter(std::string folder, std::string origin, SigningKey key, int lock);
  absl::Status ReadState();
  // Adds what the file "pending" holds.
  absl::Status Complete();
  absl::Status Publish(std::span<const std::vector<uint8_t>> entries);

  std::string folder_;
  SigningKey key_;
  int lock_;  // a file descriptor
  Checkpoint checkpoint_;
};

}  // namespace tally
