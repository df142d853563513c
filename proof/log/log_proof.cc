#include "proof/log/log_proof.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/log/decimal.h"
#include "proof/receipt/dsse.h"

namespace tally {
namespace {

constexpr std::string_view kInclusion = "c2sp.org/tlog-proof@v1";
constexpr size_t kMaxHashes = 64;  // no tree is higher

absl::Status MalformedProof(std::string_view what) {
  return MakeError(label::log_form, absl::StrCat("the proof ", ToAbsl(what)));
}

// A line without its end, taken from the text; nothing where there is no whole line.
std::optional<std::string_view> TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// "name 5"
absl::StatusOr<uint64_t> TakeNumber(std::string_view name, std::string_view& text) {
  const auto line = TakeLine(text);
  if (line && line->starts_with(name) && line->substr(name.size()).starts_with(' ')) {
    if (const auto number = ParseDecimal(line->substr(name.size() + 1))) return *number;
  }
  return MalformedProof(absl::StrCat("has no line '", ToAbsl(name), " NUMBER' where it belongs"));
}

// The hashes up to an empty line.
absl::StatusOr<std::vector<Digest>> TakeHashes(std::string_view& text) {
  std::vector<Digest> hashes;
  for (;;) {
    const auto line = TakeLine(text);
    if (!line) return MalformedProof("has no empty line before its checkpoint");
    if (line->empty()) return hashes;
    const auto bytes = FromBase64(*line);
    if (!bytes || bytes->size() != sizeof(Digest))
      return MalformedProof("has a line that is no hash in base64");
    if (hashes.size() == kMaxHashes) return MalformedProof("has more hashes than any tree is high");
    std::ranges::copy(*bytes, hashes.emplace_back().begin());
  }
}

std::string Lines(std::span<const Digest> hashes) {
  std::string lines;
  for (const Digest& hash : hashes) absl::StrAppend(&lines, ToBase64(hash), "\n");
  return lines;
}

absl::StatusOr<Checkpoint> CheckpointIn(const std::string& text, const NoteKey& log) {
  ASSIGN_OR_RETURN(const SignedNote note, ParseNote(text));
  return OpenCheckpoint(note, log);
}

}  // namespace

std::string ToText(const InclusionText& proof) {
  return absl::StrCat(ToAbsl(kInclusion), "\nindex ", proof.index, "\n", Lines(proof.path), "\n",
                      proof.checkpoint);
}

absl::StatusOr<InclusionText> ParseInclusion(std::string_view text) {
  if (TakeLine(text) != kInclusion)
    return MalformedProof(absl::StrCat("does not begin with '", ToAbsl(kInclusion), "'"));
  if (text.starts_with("extra ")) TakeLine(text);
  InclusionText proof;
  ASSIGN_OR_RETURN(proof.index, TakeNumber("index", text));
  ASSIGN_OR_RETURN(proof.path, TakeHashes(text));
  proof.checkpoint = std::string(text);
  return proof;
}

std::string ToText(const ConsistencyText& proof) {
  return absl::StrCat("old ", proof.old_size, "\n", Lines(proof.proof), "\n", proof.checkpoint);
}

absl::StatusOr<ConsistencyText> ParseConsistency(std::string_view text) {
  ConsistencyText proof;
  ASSIGN_OR_RETURN(proof.old_size, TakeNumber("old", text));
  ASSIGN_OR_RETURN(proof.proof, TakeHashes(text));
  proof.checkpoint = std::string(text);
  return proof;
}

absl::StatusOr<Checkpoint> CheckInclusion(const InclusionText& proof, std::span<const uint8_t> entry,
                                          const NoteKey& log) {
  ASSIGN_OR_RETURN(Checkpoint checkpoint, CheckpointIn(proof.checkpoint, log));
  if (VerifyInclusion(MerkleLeafHash(entry), proof.index, checkpoint.size, proof.path, checkpoint.root))
    return checkpoint;
  return MakeError(label::log_inclusion, absl::StrCat("the proof does not show that entry ", proof.index,
                                                      " of ", checkpoint.size, " is this receipt"));
}

absl::StatusOr<Checkpoint> CheckConsistency(const ConsistencyText& proof, const Checkpoint& earlier,
                                            const NoteKey& log) {
  ASSIGN_OR_RETURN(Checkpoint checkpoint, CheckpointIn(proof.checkpoint, log));
  RETURN_IF_ERROR(CheckGrowth(earlier, checkpoint));
  if (proof.old_size == earlier.size &&
      VerifyConsistency(earlier.size, earlier.root, checkpoint.size, checkpoint.root, proof.proof))
    return checkpoint;
  return MakeError(label::log_history,
                   absl::StrCat("the proof does not show that the log of ", checkpoint.size,
                                " entries begins with the one of ", earlier.size));
}

absl::Status CheckGrowth(const Checkpoint& earlier, const Checkpoint& later) {
  if (earlier.size > later.size) {
    return MakeError(label::log_history, absl::StrCat("the log had ", earlier.size, " entries, and now has ",
                                                      later.size, ": nothing is ever taken out of a log"));
  }
  if (earlier.size == later.size && earlier.root != later.root) {
    return MakeError(label::log_history,
                     absl::StrCat("the log has shown two trees of ", later.size,
                                  " entries: ", ToHex(earlier.root), " and ", ToHex(later.root)));
  }
  return absl::OkStatus();
}

}  // namespace tally
