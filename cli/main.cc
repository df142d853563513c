// tally: the command line of the VM. Exit codes: 0 done; 1 refused, 2 wrong usage, 3 a certificate that
// depends on an expansion, all with error[LABEL].
#include <cstdio>
#include <iostream>

#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/report.h"
#include "cli/standard_streams.h"

namespace tally::cli {
namespace {

absl::Status Run(const std::vector<std::string>& arguments, bool& json) {
  CommandLine line;
  AddNetworkCommands(line);
  AddModuleCommands(line);
  AddCompletionCommand(line);
  AddManCommand(line);
  return line.Run(arguments, json);
}

}  // namespace
}  // namespace tally::cli

int main(int argc, char** argv) {
  using namespace tally::cli;
  PrepareStandardStreams();
  try {
    bool json = false;
    absl::Status status = WithoutExceptions([&] { return Run(Arguments(argc, argv), json); });
    if (status.ok()) status = FlushStandardOutput();
    return Report(status, json, std::cout, std::cerr);
  } catch (...) {  // there is no memory for the message either
    std::fputs("error[out_of_memory]: this machine has too little memory to say what was refused\n", stderr);
    return 1;
  }
}
