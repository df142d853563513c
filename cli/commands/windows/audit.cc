// tally audit is not on Windows: Debian has no SQLite for it.
#include "cli/commands/commands.h"

namespace tally::cli {

void AddAuditCommand(CommandLine&) {}

}  // namespace tally::cli
