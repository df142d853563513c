// tally log is not on Windows, whose files cannot replace each other while they are read.
#include "cli/commands/commands.h"

namespace tally::cli {

void AddLogCommands(CommandLine&) {}

}  // namespace tally::cli
