// The checkpoint of a log (C2SP tlog-checkpoint): how many entries it has, and the root over all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/log/signed_note.h"

namespace tally {

struct Checkpoint {
  std::string origin;  // the name of the log
  uint64_t size = 0;
  Digest root = {};  // SHA-256 of nothing where there are no entries

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// "origin\nsize\nbase64 of the root\n", which is signed as a note.
std::string CheckpointText(const Checkpoint& checkpoint);
// Lines after the third one are extensions, which are passed over. Errors: log_form.
absl::StatusOr<Checkpoint> ParseCheckpoint(std::string_view text);

// The checkpoint of a note that the log has signed, under the name of its origin. Errors: log_form;
// log_signature, also for another origin.
absl::StatusOr<Checkpoint> OpenCheckpoint(const SignedNote& note, const NoteKey& log);

}  // namespace tally
