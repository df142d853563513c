// tally serve: runs a server (server/serve.h).
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/net/run_in_net.h"
#include "cli/net/serve_options.h"

namespace tally::cli {

void AddServeCommand(CommandLine& line) {
  CLI::App* serve = AddServeOptions(line, line.Keep<server::ServeOptions>());
  line.Calls(*serve, [&line] { return RunInNet(line.arguments()); });
}

}  // namespace tally::cli
