#include "cli/commands/commands.h"
#include "cli/networks/imported_models.h"

namespace tally::cli {

void AddNetworkCommands(CommandLine& line) {
  KnownModelFiles() = ImportedModels();
  AddCheckCommand(line);
  AddImportCommand(line);
  auto* exports = line.app.add_subcommand("export", "write a module for another runtime");
  exports->require_subcommand(1);
  AddExportCvmCommand(line, *exports);
  AddExportOnnxCommand(line, *exports);
  AddQuantizeCommand(line);
  AddCompareCommand(line);
  AddReportCommand(line);
  AddBisectCommand(line);
  AddAuditCommand(line);
}

}  // namespace tally::cli
