#include <string>

#include "cli/shell/parser.h"

namespace tally::cli {
namespace {

// A line of a page as it is: roff takes a backslash, and a dot or a quote at the beginning, for its own.
std::string Plain(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\\') {
      plain += "\\e";
    } else if (c == '-') {
      plain += "\\-";
    } else if (c == '\n') {
      plain += "\n";
    } else {
      plain += c;
    }
    const bool begins = plain.size() == 1 || plain[plain.size() - 2] == '\n';
    if (begins && (c == '.' || c == '\'')) plain.insert(plain.size() - 1, "\\&");
  }
  return plain;
}

std::string NameOf(const std::vector<std::string>& words) {
  std::string name = "tally";
  for (const std::string& word : words) name += "-" + word;
  return name;
}

void PrintOption(const CLI::Option& option, std::ostream& out) {
  std::string names;
  for (const std::string& flag : FlagsOf(option))
    names += (names.empty() ? "" : ", ") + ("\\fB" + Plain(flag) + "\\fR");
  if (names.empty()) names = "\\fI" + Plain(option.get_name(true)) + "\\fR";
  const bool is_flag = option.get_expected_max() == 0;
  const bool has_choices = !ChoicesOf(option).empty();
  if (!is_flag && has_choices) names += " " + Plain(option.get_type_name());
  if (!is_flag && !has_choices && !option.get_positional()) names += " \\fIVALUE\\fR";
  out << ".TP\n"
      << names << "\n"
      << Plain(option.get_description()) << (option.get_required() ? " (required)" : "") << "\n";
}

}  // namespace

void PrintManPage(const CLI::App& app, const std::vector<std::string>& words, std::string_view version,
                  std::ostream& out) {
  const CLI::App* const command = CommandAt(app, words);
  if (command == nullptr) return;
  std::string call = "tally";
  for (const std::string& word : words) call += " " + word;
  const std::string name = NameOf(words);
  out << ".TH " << name << " 1 \"\" \"" << version << "\"\n.SH NAME\n"
      << Plain(name + " - " + command->get_description()) << "\n.SH SYNOPSIS\n.B " << Plain(call) << "\n";
  const bool has_commands = !command->get_subcommands([](const CLI::App*) { return true; }).empty();
  out << (has_commands ? "\\fICOMMAND\\fR " : "") << "[\\fIOPTION\\fR]...";
  for (const CLI::Option* option : command->get_options()) {
    if (!FlagsOf(*option).empty()) continue;
    const std::string positional = "\\fI" + Plain(option->get_name(true)) + "\\fR";
    out << " " << (option->get_required() ? positional : "[" + positional + "]");
  }
  out << "\n";
  if (has_commands) {
    out << ".SH COMMANDS\n";
    for (const CLI::App* below : command->get_subcommands([](const CLI::App*) { return true; }))
      out << ".TP\n.B " << Plain(below->get_name()) << "\n" << Plain(below->get_description()) << "\n";
  }
  out << ".SH OPTIONS\n";
  for (const CLI::Option* option : command->get_options()) PrintOption(*option, out);
  out << ".SH EXIT STATUS\n" << Plain(app.get_footer()) << "\n";
}

}  // namespace tally::cli
