// tally log monitor: that a log only grows, and what it has gained since the last time.
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/hash/sha256.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/commands/log.h"
#include "cli/labels.h"
#include "cli/progress_bar.h"
#include "cli/receipt_file.h"
#include "proof/labels.h"
#include "proof/log/follow_log.h"
#include "proof/log/log_entry.h"
#include "proof/log/log_folder.h"

namespace tally::cli {
namespace {

struct MonitorOptions {
  std::string log, state, receipts;
  LogOptions whose;
  std::string witness, witness_key, cosigned;
  bool json = false;
};

// The checkpoint that was seen last; the empty log if there is none yet.
absl::StatusOr<Checkpoint> SeenLast(const std::string& state, const NoteKey& log) {
  std::error_code error;
  if (std::filesystem::exists(PathOf(state), error)) return ReadCheckpoint(state, log);
  return Checkpoint{.origin = log.name, .size = 0, .root = Sha256Hash({})};
}

absl::Status WriteReceipt(const std::string& folder, uint64_t index, std::span<const uint8_t> entry) {
  ASSIGN_OR_RETURN(const Receipt receipt, DecodeLogEntry(entry));
  return WriteFileAtomically(absl::StrCat(folder, "/", index, ".receipt"), AsBytes(ToJson(receipt)));
}

absl::Status Follow(const MonitorOptions& options, const Checkpoint& earlier, const Checkpoint& later) {
  if (!options.receipts.empty()) {
    std::error_code error;
    std::filesystem::create_directories(PathOf(options.receipts), error);
    if (error) {
      return MakeError(label::file_write,
                       absl::StrCat("'", Printable(options.receipts), "': ", error.message()));
    }
  }
  ProgressBar bar("follow the log");
  return FollowLog(options.log, earlier, later, [&](uint64_t index, std::span<const uint8_t> entry) {
    if ((index + 1) % 1024 == 0 || index + 1 == later.size) {
      bar.Show(static_cast<int64_t>(index + 1 - earlier.size),
               static_cast<int64_t>(later.size - earlier.size));
    }
    return options.receipts.empty() ? absl::OkStatus() : WriteReceipt(options.receipts, index, entry);
  });
}

absl::Status WriteCosigned(const MonitorOptions& options, const std::string& note, const std::string& text) {
  ASSIGN_OR_RETURN(const SigningKey key, ReadSigningKey(options.witness_key));
  const std::string cosigned = note + Cosign(text, options.witness, SecondsSince1970(), key);
  return WriteFileAtomically(options.cosigned, AsBytes(cosigned));
}

absl::Status Monitor(const MonitorOptions& options, std::ostream& out) {
  if (!options.witness.empty() && !IsNoteName(options.witness))
    return MakeError(label::option_syntax, "--witness is of visible ASCII, without a plus sign");
  RETURN_IF_ERROR(WritablePath(options.state).status());
  ASSIGN_OR_RETURN(const NoteKey log, options.whose.Key());
  ASSIGN_OR_RETURN(const Checkpoint earlier, SeenLast(options.state, log));
  ASSIGN_OR_RETURN(const std::string text, ReadCheckpointNote(options.log));
  ASSIGN_OR_RETURN(const SignedNote note, ParseNote(text));
  ASSIGN_OR_RETURN(const Checkpoint later, OpenCheckpoint(note, log));
  if (const absl::Status followed = Follow(options, earlier, later); !followed.ok()) {
    if (!HasLabel(followed, label::log_history)) return followed;
    // Both checkpoints are signed by the log: together they are the evidence against it.
    const std::string conflict = options.state + ".conflict";
    RETURN_IF_ERROR(WriteFileAtomically(conflict, AsBytes(text)));
    return WithMessage(followed, absl::StrCat(followed.message(), "; ", Printable(conflict),
                                              " keeps the checkpoint beside the one seen before"));
  }
  if (!options.witness.empty()) RETURN_IF_ERROR(WriteCosigned(options, text, note.text));
  RETURN_IF_ERROR(WriteFileAtomically(options.state, AsBytes(text)));
  Summary summary;
  AddToSummary(later, summary);
  summary.Add("new", "added", later.size - earlier.size, "receipts since the last time");
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddLogMonitorCommand(CommandLine& line, CLI::App& parent) {
  auto& options = line.Keep<MonitorOptions>();
  auto* monitor = parent.add_subcommand("monitor", "check that a log continues what it has shown before");
  line.Reads(monitor->add_option("log", options.log, "folder of the log"))->required();
  options.whose.AddTo(line, *monitor);
  line.WritesNamed(monitor->add_option("--state", options.state,
                                       "file of the checkpoint that was seen last; made at first"))
      ->required();
  line.WritesNamed(
      monitor->add_option("--receipts", options.receipts, "write the new receipts into this folder"));
  auto* const witness =
      monitor->add_option("--witness", options.witness, "name by which a witness signs the checkpoint");
  auto* const key = line.Reads(monitor->add_option("--witness-key", options.witness_key, "its private key"));
  auto* const cosigned = line.Writes(
      monitor->add_option("--cosigned", options.cosigned, "file for the checkpoint with its signature"));
  witness->needs(key)->needs(cosigned);
  key->needs(witness);
  cosigned->needs(witness);
  line.ForMachines(*monitor, options.json);
  line.Calls(*monitor, options, Monitor);
}

}  // namespace tally::cli
