#include "cli/command_line.h"

namespace tally::cli {

void AddNetworkCommands(CommandLine&) {}

}  // namespace tally::cli
