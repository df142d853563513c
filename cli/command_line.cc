#include "cli/command_line.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/named_values.h"
#include "cli/output_files.h"
#include "cli/preparation.h"
#include "cli/progress_bar.h"
#include "cli/shell/parser.h"
#include "cli/version.h"

namespace tally::cli {
namespace {

CLI::Validator CheckOf(const OneOf& allowed) {
  return CLI::IsMember(std::vector<std::string>(allowed.words.begin(), allowed.words.end()));
}
template <typename T>
CLI::Validator CheckOf(const Within<T>& allowed) {
  return CLI::Range(allowed.least, allowed.most);
}

constexpr char kEmptyValue[] = "its value is empty";

// An empty value is a variable of a script that was not set: nothing that it could mean is meant.
void RefuseEmptyValues(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_expected_max() == 0) continue;  // a flag
    option->check([](const std::string& value) { return std::string(value.empty() ? kEmptyValue : ""); });
  }
  for (CLI::App* subcommand : app.get_subcommands({})) RefuseEmptyValues(*subcommand);
}

// The paths that values of these options may mean.
std::vector<std::string> PathsOf(const std::vector<CLI::Option*>& options) {
  std::vector<std::string> paths;
  for (const CLI::Option* option : options) {
    for (const std::string& value : option->results()) {
      for (std::string& path : PathsIn(value)) paths.push_back(std::move(path));
    }
  }
  return paths;
}

}  // namespace

CommandLine::CommandLine()
    : app("Tally: integer-only, deterministic inference for verifiable computation.", "tally") {
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // a path may begin with /
  app.set_version_flag("--version", VersionLine());
  app.footer(
      "`tally help COMMAND` describes a command. As a file, - is standard input or output. "
      "Exit codes: 0 success; 1 refused, 2 wrong usage, 3 a certificate that depends on an expansion, each "
      "with "
      "error[LABEL] on standard error.");
}

void CommandLine::ForMachines(CLI::App& subcommand, bool& json) {
  subcommand.add_flag("--json", json, "print the report as JSON");
  subcommand.add_flag("--quiet", quiet_,
                      "print no report (except --json) and no progress; errors are printed");
  json_flags_.push_back(&json);
}

void CommandLine::Calls(CLI::App& subcommand, std::function<absl::Status()> run) {
  subcommand.callback([this, run = std::move(run)] { command_ = run; });
}

CLI::Option* CommandLine::Reads(CLI::Option* option) {
  read_options_.push_back(option);
  option->transform([this](const std::string& value) { return standard_input_.PathInPlaceOf(value); });
  return option;
}

void CommandLine::ReadsModule(CLI::App& command, std::string& path) {
  Reads(command.add_option("module", path, "module file"))->required();
}

CLI::Option* CommandLine::Writes(CLI::Option* option) {
  written_options_.push_back(option);
  return option;
}

CLI::Option* CommandLine::Named(CLI::Option* option) {
  option->check([](const std::string& path) {
    return std::string(path == kStandardOutput ? "more than one file is written, so it needs a name" : "");
  });
  return option;
}

CLI::Option* CommandLine::WritesNamed(CLI::Option* option) { return Writes(Named(option)); }

absl::Status CommandLine::Run(const std::vector<std::string>& arguments, bool& json) {
  arguments_ = arguments;
  RefuseEmptyValues(app);
  const std::vector<std::string> args = WithoutHelpCommand({arguments.begin() + 1, arguments.end()});
  const std::string unknown = WhatIsUnknown(app, args);
  try {
    if (!unknown.empty()) throw CLI::ExtrasError({unknown});
    for (const std::string& arg : args) {
      if (arg.starts_with("--") && arg.ends_with("="))
        throw CLI::ValidationError(arg.substr(0, arg.size() - 1), kEmptyValue);
    }
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    const bool refused = error.get_exit_code() != 0;  // help and version are exceptions too
    if (refused) {
      json = std::ranges::count(args, "--json") > 0;
      return MakeError(label::usage,
                       unknown.empty() ? absl::StrCat(error.what(), "; `tally --help` says more") : unknown);
    }
    app.exit(error, std::cout);
    return absl::OkStatus();
  }
  json = std::ranges::any_of(json_flags_, [](const bool* flag) { return *flag; });
  std::vector<std::string> written;
  for (const CLI::Option* option : written_options_) {
    written.insert(written.end(), option->results().begin(), option->results().end());
  }
  RETURN_IF_ERROR(CheckApart(PathsOf(read_options_), written));
  if (std::ranges::count(written, kStandardOutput) > 0) out_ = &std::cerr;
  if (quiet_) ProgressBar::Silence();
  if (quiet_ && !json) out_ = &nowhere_;
  return command_();
}

void AddSampleOptions(CommandLine& line, CLI::App& subcommand, SampleOptions& samples,
                      const std::string& flag, bool required) {
  line.Reads(subcommand.add_option(flag, samples.files,
                                   "[NAME=]PATH: samples of an input: an .npy or .npz file, JSON lines, a "
                                   "PNG or JPEG image, a recording "
                                   "(WAV, FLAC, Ogg), or a folder of images or recordings"))
      ->required(required);
  ForEachField([&](const char* name, auto member, const auto& allowed, const char* help) {
    subcommand.add_option(absl::StrCat("--", name), samples.preparation.*member, help)
        ->check(CheckOf(allowed));
  });
}

void AddLoopOptions(CLI::App& subcommand, SampleOptions& samples) {
  subcommand
      .add_option("--loop", samples.loops,
                  "RESULT=INPUT: feed this result back as that input of the next sample (a state); give one "
                  "sample of the "
                  "input, the first state, or none to begin with zeros")
      ->allow_extra_args(false);
  subcommand
      .add_option("--loop-length", samples.loop_length,
                  "number of samples in a sequence; states begin anew after each (default: all samples are "
                  "one sequence)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
}

}  // namespace tally::cli
