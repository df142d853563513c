// The command line of the tool: its parser, what all commands share, and the command of a line once it is
// parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/input_options.h"
#include "cli/standard_input.h"

namespace tally::cli {

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app;

  // Options of a command, which live as long as the line.
  template <typename Options>
  Options& Keep() {
    const auto options = std::make_shared<Options>();
    kept_.push_back(options);
    return *options;
  }

  // The flags of every command with a report.
  void ForMachines(CLI::App& subcommand, bool& json);

  // A subcommand that is called with its options and the stream of its report.
  template <typename Options>
  void Calls(CLI::App& subcommand, Options& options,
             absl::Status (*run)(const Options& options, std::ostream& out)) {
    Calls(subcommand, [this, &options, run] { return run(options, *out_); });
  }
  void Calls(CLI::App& subcommand, std::function<absl::Status()> run);

  // Options whose values are paths that a command reads, and such that it writes.
  CLI::Option* Reads(CLI::Option* option);
  CLI::Option* Writes(CLI::Option* option);
  // The operand `module`, which a command reads.
  void ReadsModule(CLI::App& command, std::string& path);
  // A folder, or what has files beside it (MODULE.origin, KEY.pub), needs a name.
  CLI::Option* Named(CLI::Option* option);
  CLI::Option* WritesNamed(CLI::Option* option);

  // Parses the arguments of main and runs their command. Sets `json` when the report is for machines; wrong
  // usage is reported so too where the line has --json.
  absl::Status Run(const std::vector<std::string>& arguments, bool& json);

  // Those that Run was given.
  const std::vector<std::string>& arguments() const { return arguments_; }

  std::ostream& out() { return *out_; }

 private:
  std::vector<std::string> arguments_;
  std::vector<std::shared_ptr<void>> kept_;
  std::function<absl::Status()> command_;
  std::vector<const bool*> json_flags_;
  std::vector<CLI::Option*> read_options_, written_options_;
  StandardInput standard_input_;
  bool quiet_ = false;
  std::ostream nowhere_{nullptr};
  std::ostream* out_ = &std::cout;
};

// The options of commands that take samples, `flag` and how they are prepared.
void AddSampleOptions(CommandLine& line, CLI::App& subcommand, SampleOptions& samples,
                      const std::string& flag, bool required);
// Those of commands that feed results back.
void AddLoopOptions(CLI::App& subcommand, SampleOptions& samples);

}  // namespace tally::cli
