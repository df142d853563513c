// tally-net: the commands of `tally` that speak over a network, which `tally` runs by it.
#include <cstdio>
#include <iostream>

#include "cli/command_line.h"
#include "cli/net/dispute_options.h"
#include "cli/net/dispute_over_network.h"
#include "cli/net/serve_options.h"
#include "cli/report.h"
#include "cli/standard_streams.h"
#include "server/referee.h"

namespace tally::cli {
namespace {

absl::Status Run(const std::vector<std::string>& arguments, bool& json) {
  CommandLine line;
  auto& serve = line.Keep<server::ServeOptions>();
  line.Calls(*AddServeOptions(line, serve), [&serve] { return server::Serve(serve); });
  auto& referee = line.Keep<server::RefereeOptions>();
  line.Calls(*AddRefereeOptions(line, referee), [&referee] { return server::RunReferee(referee); });
  auto& dispute = line.Keep<DisputeOptions>();
  line.Calls(*AddDisputeOptions(line, dispute), [&] { return DisputeOverNetwork(dispute, line.out()); });
  return line.Run(arguments, json);
}

}  // namespace
}  // namespace tally::cli

int main(int argc, char** argv) {
  using namespace tally::cli;
  PrepareStandardStreams();
  bool json = false;
  absl::Status status = WithoutExceptions([&] { return Run(Arguments(argc, argv), json); });
  if (status.ok()) status = FlushStandardOutput();
  return Report(status, json, std::cout, std::cerr);
}
