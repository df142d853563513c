// tally serve and tally referee: run servers (server/serve.h, server/referee.h).
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/net/dispute_options.h"
#include "cli/net/run_in_net.h"
#include "cli/net/serve_options.h"

namespace tally::cli {

void AddServerCommands(CommandLine& line) {
  const auto run = [&line] { return RunInNet(line.arguments()); };
  line.Calls(*AddServeOptions(line, line.Keep<server::ServeOptions>()), run);
  line.Calls(*AddRefereeOptions(line, line.Keep<server::RefereeOptions>()), run);
}

}  // namespace tally::cli
