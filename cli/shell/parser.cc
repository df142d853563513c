#include "cli/shell/parser.h"

#include <algorithm>

#include "cli/shell/nearest_name.h"

namespace tally::cli {
namespace {

void AddCommands(const CLI::App& app, std::vector<std::string>& words,
                 std::vector<std::vector<std::string>>& commands) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(command->get_name());
    const auto below = command->get_subcommands([](const CLI::App*) { return true; });
    if (below.empty()) commands.push_back(words);
    AddCommands(*command, words, commands);
    words.pop_back();
  }
}

const CLI::App* Below(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

std::string Joined(const std::string& before, const std::string& nearest, const std::string& more) {
  return before + (nearest.empty() ? "" : "; did you mean `" + nearest + "`?") + more;
}

}  // namespace

std::vector<std::vector<std::string>> CommandsOf(const CLI::App& app) {
  std::vector<std::string> words;
  std::vector<std::vector<std::string>> commands;
  AddCommands(app, words, commands);
  return commands;
}

const CLI::App* CommandAt(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    at = Below(*at, word);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::vector<std::string> WithoutHelpCommand(std::vector<std::string> args) {
  if (args.empty() || args[0] != "help") return args;
  args.erase(args.begin());
  args.push_back("--help");
  return args;
}

std::string WhatIsUnknown(const CLI::App& app, const std::vector<std::string>& args) {
  const CLI::App* at = &app;
  std::string path = "tally";
  for (const std::string& arg : args) {
    if (arg == "--") break;  // no options after it
    const auto commands = at->get_subcommands([](const CLI::App*) { return true; });
    if (arg.starts_with("--") && arg.size() > 2) {
      const std::string flag = arg.substr(0, arg.find('='));
      std::vector<std::string> flags;
      for (const CLI::Option* option : at->get_options()) {
        for (std::string& known : FlagsOf(*option)) flags.push_back(std::move(known));
      }
      if (std::ranges::find(flags, flag) != flags.end()) continue;
      const std::string more = "; `" + path + " --help` lists the options";
      return Joined("`" + path + "` has no option " + flag, NearestName(flag, flags), more);
    }
    if (commands.empty() || arg.starts_with("-")) continue;
    const CLI::App* below = Below(*at, arg);
    if (below == nullptr) {
      std::vector<std::string> names;
      for (const CLI::App* command : commands) names.push_back(command->get_name());
      const std::string nearest = NearestName(arg, names);
      const std::string more = "; `" + path + " --help` lists the commands";
      return Joined("`" + path + "` has no command " + arg, nearest.empty() ? "" : path + " " + nearest,
                    more);
    }
    at = below;
    path += " " + arg;
  }
  return "";
}

std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  std::vector<std::string> choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  for (const std::string& choice : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ','))
    choices.push_back(choice.substr(0, choice.find("->")));
  return choices;
}

std::vector<std::string> FlagsOf(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  return flags;
}

}  // namespace tally::cli
