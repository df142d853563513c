// The commands of `tally`, a file each: its options, how it parses them, and what it does.
#pragma once

#include "cli/command_line.h"

namespace tally::cli {

// Those that need a module and what belongs to it.
void AddOpsCommand(CommandLine& line);
void AddDiffCommand(CommandLine& line);
void AddAsmCommand(CommandLine& line);
void AddDumpCommand(CommandLine& line);
void AddValidateCommand(CommandLine& line);
void AddRunCommand(CommandLine& line);
void AddTraceCommand(CommandLine& line);
void AddJudgeCommand(CommandLine& line);
void AddKeygenCommand(CommandLine& line);
void AddCertifyCommand(CommandLine& line);
void AddCheckCertificateCommand(CommandLine& line);
void AddDisputeCommand(CommandLine& line);
void AddVerifyCommand(CommandLine& line);
void AddPlanCommand(CommandLine& line);
void AddInfoCommand(CommandLine& line);
void AddServerCommands(CommandLine& line);
void AddModuleCommands(CommandLine& line);  // all of them

// Those that need a network of another framework.
void AddCheckCommand(CommandLine& line);
void AddImportCommand(CommandLine& line);
void AddQuantizeCommand(CommandLine& line);
void AddCompareCommand(CommandLine& line);
void AddReportCommand(CommandLine& line);
void AddBisectCommand(CommandLine& line);
// tally export, with a command for each format.
void AddExportCvmCommand(CommandLine& line, CLI::App& parent);
void AddExportOnnxCommand(CommandLine& line, CLI::App& parent);
// All of them, and what else tally_minimal leaves out (no_networks.cc).
void AddNetworkCommands(CommandLine& line);
void AddAuditCommand(CommandLine& line);
void AddAuditRunCommand(CommandLine& line);
// tally log, with its commands.
void AddLogCommands(CommandLine& line);

// Those about the command line itself.
void AddCompletionCommand(CommandLine& line);
void AddManCommand(CommandLine& line);

}  // namespace tally::cli
