// tally log: transparency logs of receipts.
#include "cli/commands/log.h"

#include "base/io/file.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/receipt_file.h"

namespace tally::cli {

absl::StatusOr<NoteKey> LogOptions::Key() const {
  ASSIGN_OR_RETURN(PublicKey key, ReadPublicKey(public_key));
  return NoteKey{origin, std::move(key)};
}

void LogOptions::AddTo(CommandLine& line, CLI::App& command) {
  AddOriginOption(command, origin);
  line.Reads(command.add_option("--key", public_key, "public key of the log"))->required();
}

void AddOriginOption(CLI::App& command, std::string& origin) {
  command.add_option("--origin", origin, "name of the log, such as example.com/log")
      ->required()
      ->check([](const std::string& name) {
        return IsNoteName(name) ? std::string() : "a name is of visible ASCII, without a plus sign";
      });
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  constexpr uint64_t kMaxBytes = 1 << 16;
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path, kMaxBytes));
  return std::string(AsText(bytes));
}

absl::StatusOr<Checkpoint> ReadCheckpoint(const std::string& path, const NoteKey& log) {
  ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  ASSIGN_OR_RETURN(const SignedNote note, ParseNote(text));
  return OpenCheckpoint(note, log);
}

void AddToSummary(const Checkpoint& checkpoint, Summary& summary) {
  summary.Add("log", "origin", checkpoint.origin);
  summary.Add("size", "size", checkpoint.size, "receipts");
  summary.Add("root", "root", ToHex(checkpoint.root));
}

void AddLogCommands(CommandLine& line) {
  auto* log = line.app.add_subcommand("log", "keep receipts in a log that only grows, and prove it");
  log->require_subcommand(1);
  AddLogAppendCommand(line, *log);
  AddLogProveCommand(line, *log);
  AddLogVerifyCommand(line, *log);
  AddLogMonitorCommand(line, *log);
}

}  // namespace tally::cli
