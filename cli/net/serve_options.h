// The options of `tally serve`.
#pragma once

#include "cli/command_line.h"
#include "server/serve.h"

namespace tally::cli {

CLI::App* AddServeOptions(CommandLine& line, server::ServeOptions& options);

}  // namespace tally::cli
