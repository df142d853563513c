// tally man: the pages of the manual, from the options themselves.
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/labels.h"
#include "cli/shell/parser.h"
#include "cli/version.h"

namespace tally::cli {

void AddManCommand(CommandLine& line) {
  auto& page = line.Keep<std::vector<std::string>>();
  auto* man =
      line.app.add_subcommand("man", "print the manual page of a command, or of the tool, for man(7)");
  man->add_option("command", page, "name of the command");
  line.Calls(*man, [&]() -> absl::Status {
    if (CommandAt(line.app, page) == nullptr) return MakeError(label::usage, WhatIsUnknown(line.app, page));
    PrintManPage(line.app, page, VersionLine(), line.out());
    return absl::OkStatus();
  });
}

}  // namespace tally::cli
