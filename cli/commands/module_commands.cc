#include "cli/commands/commands.h"

namespace tally::cli {

void AddModuleCommands(CommandLine& line) {
  AddOpsCommand(line);
  AddDiffCommand(line);
  AddAsmCommand(line);
  AddDumpCommand(line);
  AddValidateCommand(line);
  AddRunCommand(line);
  AddTraceCommand(line);
  AddJudgeCommand(line);
  AddKeygenCommand(line);
  AddCertifyCommand(line);
  AddCheckCertificateCommand(line);
  AddDisputeCommand(line);
  AddVerifyCommand(line);
  AddLogCommands(line);
  AddAuditRunCommand(line);
  AddPlanCommand(line);
  AddInfoCommand(line);
  AddServerCommands(line);
}

}  // namespace tally::cli
