#include "proof/log/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/log/decimal.h"
#include "proof/receipt/dsse.h"

namespace tally {
namespace {

absl::Status MalformedCheckpoint(std::string_view what) {
  return MakeError(label::log_form, absl::StrCat("the checkpoint ", ToAbsl(what)));
}

}  // namespace

std::string CheckpointText(const Checkpoint& checkpoint) {
  return absl::StrCat(checkpoint.origin, "\n", checkpoint.size, "\n", ToBase64(checkpoint.root), "\n");
}

absl::StatusOr<Checkpoint> ParseCheckpoint(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (lines.size() < 3 || !text.empty()) return MalformedCheckpoint("has fewer than three lines");
  const auto size = ParseDecimal(lines[1]);
  const auto root = FromBase64(lines[2]);
  if (!IsNoteName(lines[0])) return MalformedCheckpoint("has an origin that is no name");
  if (!size) return MalformedCheckpoint("has a size that is no number");
  if (!root || root->size() != sizeof(Digest))
    return MalformedCheckpoint("has a root that is not 32 bytes in base64");
  Checkpoint checkpoint = {.origin = std::string(lines[0]), .size = *size, .root = {}};
  std::ranges::copy(*root, checkpoint.root.begin());
  return checkpoint;
}

absl::StatusOr<Checkpoint> OpenCheckpoint(const SignedNote& note, const NoteKey& log) {
  ASSIGN_OR_RETURN(Checkpoint checkpoint, ParseCheckpoint(note.text));
  if (checkpoint.origin != log.name) {
    return MakeError(label::log_signature, absl::StrCat("the checkpoint is of the log '", checkpoint.origin,
                                                        "', not '", log.name, "'"));
  }
  RETURN_IF_ERROR(CheckSignature(note, log));
  return checkpoint;
}

}  // namespace tally
