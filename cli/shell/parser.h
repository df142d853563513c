// All that is said of a command line from its parser alone: help, pages, completions, and what was misspelt.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tally::cli {

// The commands of the parser as the words that call them, {"run"} or {"export", "onnx"}, in the order of the
// help.
std::vector<std::vector<std::string>> CommandsOf(const CLI::App& app);

// The parser of the command that these words call, or null.
const CLI::App* CommandAt(const CLI::App& app, const std::vector<std::string>& words);

// `tally help run` is `tally run --help`: the arguments after the program's name, in the parser's words.
std::vector<std::string> WithoutHelpCommand(std::vector<std::string> args);

// The first command or option in `args` that the parser does not know, with the nearest that it does; or "".
std::string WhatIsUnknown(const CLI::App& app, const std::vector<std::string>& args);

// The words that a value may be, where it is one of a few.
std::vector<std::string> ChoicesOf(const CLI::Option& option);

// "--output" and "-o" of an option; a positional has none.
std::vector<std::string> FlagsOf(const CLI::Option& option);

// A page for man(7) of a command, or of the tool where `words` is empty.
void PrintManPage(const CLI::App& app, const std::vector<std::string>& words, std::string_view version,
                  std::ostream& out);

// A script that completes commands, options, values that are one of a few, and files. Shell: bash, zsh or
// fish.
void PrintCompletion(const CLI::App& app, std::string_view shell, std::ostream& out);

}  // namespace tally::cli
