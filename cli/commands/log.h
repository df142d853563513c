// Shared by the commands of tally log.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/command_line.h"
#include "cli/summary.h"
#include "proof/log/checkpoint.h"
#include "proof/log/signed_note.h"

namespace tally::cli {

// Whose log it is, for readers.
struct LogOptions {
  std::string origin, public_key;

  void AddTo(CommandLine& line, CLI::App& command);
  absl::StatusOr<NoteKey> Key() const;
};
void AddOriginOption(CLI::App& command, std::string& origin);

// A proof or a note, which are small. Errors: those of ReadFile.
absl::StatusOr<std::string> ReadText(const std::string& path);
// Errors: those of ReadFile, ParseNote and OpenCheckpoint.
absl::StatusOr<Checkpoint> ReadCheckpoint(const std::string& path, const NoteKey& log);

void AddToSummary(const Checkpoint& checkpoint, Summary& summary);

void AddLogAppendCommand(CommandLine& line, CLI::App& parent);
void AddLogProveCommand(CommandLine& line, CLI::App& parent);
void AddLogVerifyCommand(CommandLine& line, CLI::App& parent);
void AddLogMonitorCommand(CommandLine& line, CLI::App& parent);

}  // namespace tally::cli
