// Proofs as texts: that a log has an entry (C2SP tlog-proof), and that it continues an earlier one (the
// request of C2SP tlog-witness).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/log/checkpoint.h"
#include "proof/log/signed_note.h"

namespace tally {

// "c2sp.org/tlog-proof@v1", "index 5", hashes in base64, an empty line, and a checkpoint.
struct InclusionText {
  uint64_t index = 0;
  std::vector<Digest> path;
  std::string checkpoint;  // a signed note
};
std::string ToText(const InclusionText& proof);
// A line "extra" is passed over. Errors: log_form.
absl::StatusOr<InclusionText> ParseInclusion(std::string_view text);

// "old 5", hashes in base64, an empty line, and the checkpoint of the later tree.
struct ConsistencyText {
  uint64_t old_size = 0;
  std::vector<Digest> proof;
  std::string checkpoint;
};
std::string ToText(const ConsistencyText& proof);
// Errors: log_form.
absl::StatusOr<ConsistencyText> ParseConsistency(std::string_view text);

// The checkpoint of a log that has the entry at the proof's index. Errors: those of ParseNote and
// OpenCheckpoint; log_inclusion.
absl::StatusOr<Checkpoint> CheckInclusion(const InclusionText& proof, std::span<const uint8_t> entry,
                                          const NoteKey& log);

// The checkpoint of a log that continues `earlier`. Errors: as above; log_history.
absl::StatusOr<Checkpoint> CheckConsistency(const ConsistencyText& proof, const Checkpoint& earlier,
                                            const NoteKey& log);

// Error log_history: two checkpoints of one log, of which the second one is older, or another of the same
// size.
absl::Status CheckGrowth(const Checkpoint& earlier, const Checkpoint& later);

}  // namespace tally
