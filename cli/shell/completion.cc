#include <string>

#include "cli/shell/parser.h"

namespace tally::cli {
namespace {

std::string Words(const std::vector<std::string>& words, const char* between = " ") {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : between) + word;
  return joined;
}

// Within single quotes of any of the three shells.
std::string Quoted(const std::string& text, const char* quote) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? quote : std::string(1, c);
  return quoted;
}

std::vector<std::string> AllFlags(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (std::string& flag : FlagsOf(*option)) flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<std::string> NamesBelow(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(below->get_name());
  return names;
}

// The commands that have commands below them, and the tool.
std::vector<std::vector<std::string>> GroupsOf(const CLI::App& app) {
  std::vector<std::vector<std::string>> groups = {{}};
  for (std::vector<std::string> words : CommandsOf(app)) {
    words.pop_back();
    if (words != groups.back()) groups.push_back(std::move(words));
  }
  return groups;
}

void PrintBash(const CLI::App& app, std::ostream& out) {
  out << "# Completion of tally for bash: source it, or put it into "
         "/usr/share/bash-completion/completions/tally.\n"
         "_tally() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path= word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$path $word\" in\n";
  for (const auto& group : GroupsOf(app)) {
    for (const std::string& name : NamesBelow(*CommandAt(app, group))) {
      std::string before = Words(group);
      if (!before.empty()) before = " " + before;
      out << "      '" << before << " " << name << "') path+=\" $word\" ;;\n";
    }
  }
  out << "    esac\n  done\n  COMPREPLY=()\n  case \"$path $before\" in\n";
  for (const auto& words : CommandsOf(app)) {
    for (const CLI::Option* option : CommandAt(app, words)->get_options()) {
      const auto choices = ChoicesOf(*option);
      for (const std::string& flag : FlagsOf(*option)) {
        if (choices.empty()) continue;
        out << "    ' " << Words(words) << " " << flag << "') COMPREPLY=($(compgen -W '" << Words(choices)
            << "' -- \"$current\")); return ;;\n";
      }
    }
  }
  out << "  esac\n  case \"$path\" in\n";
  for (const auto& group : GroupsOf(app)) {
    out << "    '" << (group.empty() ? "" : " " + Words(group)) << "') COMPREPLY=($(compgen -W '"
        << Words(NamesBelow(*CommandAt(app, group))) << (group.empty() ? " help" : "") << " "
        << Words(AllFlags(*CommandAt(app, group))) << "' -- \"$current\")) ;;\n";
  }
  for (const auto& words : CommandsOf(app)) {
    out << "    ' " << Words(words) << "') [[ $current == -* ]] && COMPREPLY=($(compgen -W '"
        << Words(AllFlags(*CommandAt(app, words))) << "' -- \"$current\")) ;;\n";
  }
  out << "  esac\n}\ncomplete -o default -F _tally tally\n";
}

void PrintZsh(const CLI::App& app, std::ostream& out) {
  const auto escaped = [](const std::string& text) {
    std::string plain;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':' || c == '\\') plain += '\\';
      plain += c;
    }
    return Quoted(plain, "'\\''");
  };
  out << "#compdef tally\n# Completion of tally for zsh: put it into a folder of $fpath, as _tally.\n"
         "_tally() {\n  local path= word\n  for word in \"${(@)words[2,CURRENT-1]}\"; do\n    case \"$path "
         "$word\" in\n";
  for (const auto& group : GroupsOf(app)) {
    for (const std::string& name : NamesBelow(*CommandAt(app, group)))
      out << "      '" << (group.empty() ? "" : " " + Words(group)) << " " << name
          << "') path+=\" $word\" ;;\n";
  }
  out << "    esac\n  done\n  case \"$path\" in\n";
  for (const auto& group : GroupsOf(app)) {
    out << "    '" << (group.empty() ? "" : " " + Words(group)) << "')\n      local -a commands=(";
    for (const CLI::App* below : CommandAt(app, group)->get_subcommands([](const CLI::App*) { return true; }))
      out << "\n        '" << below->get_name() << ":" << escaped(below->get_description()) << "'";
    out << ")\n      _describe command commands ;;\n";
  }
  for (const auto& words : CommandsOf(app)) {
    out << "    ' " << Words(words) << "')\n      _arguments -S";
    for (const CLI::Option* option : CommandAt(app, words)->get_options()) {
      const auto choices = ChoicesOf(*option);
      const std::string action = choices.empty() ? "_files" : "(" + Words(choices) + ")";
      const std::string value = option->get_expected_max() == 0 ? "" : ":value:" + action;
      for (const std::string& flag : FlagsOf(*option))
        out << " \\\n        '*" << flag << "[" << escaped(option->get_description()) << "]" << value << "'";
    }
    out << " \\\n        '*:file:_files' ;;\n";
  }
  out << "  esac\n}\n_tally \"$@\"\n";
}

void PrintFish(const CLI::App& app, std::ostream& out) {
  const auto escaped = [](const std::string& text) { return Quoted(text, "\\'"); };
  out << "# Completion of tally for fish: put it into ~/.config/fish/completions/tally.fish.\n";
  for (const auto& group : GroupsOf(app)) {
    const CLI::App& command = *CommandAt(app, group);
    const std::string where = group.empty()
                                  ? "__fish_use_subcommand"
                                  : "__fish_seen_subcommand_from " + Words(group) +
                                        "; and not __fish_seen_subcommand_from " + Words(NamesBelow(command));
    for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; }))
      out << "complete -c tally -n '" << where << "' -f -a " << below->get_name() << " -d '"
          << escaped(below->get_description()) << "'\n";
  }
  for (const auto& words : CommandsOf(app)) {
    for (const CLI::Option* option : CommandAt(app, words)->get_options()) {
      if (FlagsOf(*option).empty()) continue;
      out << "complete -c tally -n '__fish_seen_subcommand_from " << words.back() << "'";
      for (const std::string& name : option->get_lnames()) out << " -l " << name;
      for (const std::string& name : option->get_snames()) out << " -s " << name;
      const auto choices = ChoicesOf(*option);
      if (!choices.empty()) out << " -x -a '" << Words(choices) << "'";
      if (choices.empty() && option->get_expected_max() != 0) out << " -r";
      out << " -d '" << escaped(option->get_description()) << "'\n";
    }
  }
}

}  // namespace

void PrintCompletion(const CLI::App& app, std::string_view shell, std::ostream& out) {
  if (shell == "bash") PrintBash(app, out);
  if (shell == "zsh") PrintZsh(app, out);
  if (shell == "fish") PrintFish(app, out);
}

}  // namespace tally::cli
