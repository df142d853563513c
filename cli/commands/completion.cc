// tally completion: what a shell completes command lines with.
#include <string>

#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/shell/parser.h"

namespace tally::cli {

void AddCompletionCommand(CommandLine& line) {
  auto& shell = line.Keep<std::string>();
  auto* completion = line.app.add_subcommand("completion", "print a script that completes command lines");
  completion->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  line.Calls(*completion, [&] {
    PrintCompletion(line.app, shell, line.out());
    return absl::OkStatus();
  });
}

}  // namespace tally::cli
