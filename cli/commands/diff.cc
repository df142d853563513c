// tally diff: two modules side by side.
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/hash/digest.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "cli/line_diff.h"
#include "cli/load.h"
#include "cli/summary.h"
#include "serializer/module_id.h"
#include "serializer/tensor_digest.h"
#include "vm/text/printer.h"

namespace tally::cli {
namespace {

struct DiffOptions {
  std::string a, b;
  bool json = false;
};

// The line without the numbers of its values, which move with each instruction before it.
std::string WithoutNumbers(absl::string_view line) {
  std::string text;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    text += c;
    if (c != '%' || quoted) continue;
    while (i + 1 < line.size() && absl::ascii_isdigit(static_cast<unsigned char>(line[i + 1]))) ++i;
  }
  return text;
}

// The module's text, with digests in place of long constants.
std::vector<std::string> LinesOf(const ValidModule& valid) {
  constexpr absl::string_view kLong = "{...}";
  const Module& module = valid.module();
  std::vector<std::string> lines;
  size_t next_constant = 0;
  const std::string text = Print(valid, {.long_constants = false});
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (absl::StartsWith(line, "; gas")) continue;  // the summary says it
    lines.push_back(WithoutNumbers(line));
    // Constants stand in their order where they are defined; others are named by their index.
    const bool defines = line.find(" = constant ") != absl::string_view::npos &&
                         line.find("{index = ") == absl::string_view::npos;
    if (!defines && !absl::StartsWith(line, "data ")) continue;
    const size_t index = next_constant++;
    const size_t at = lines.back().find(std::string(kLong));
    if (at == std::string::npos || index >= module.constants.size()) continue;
    lines.back().replace(at, kLong.size(),
                         "{" + ToHex(TensorDigest(module.constants[index])).substr(0, 16) + "...}");
  }
  return lines;
}

void Say(std::string_view name, std::string_view key, const Json& a, const Json& b, std::string_view unit,
         Summary& summary) {
  const auto text = [&](const Json& x) {
    return x.is_string() ? x.get<std::string>() : x.dump() + std::string(unit);
  };
  summary.Say(name, a == b ? text(a) + ", of both" : text(a) + "\n        " + text(b), key, {a, b});
}

absl::Status DiffModules(const DiffOptions& options, std::ostream& out) {
  ASSIGN_OR_RETURN(const auto a, LoadValidModule(options.a));
  ASSIGN_OR_RETURN(const auto b, LoadValidModule(options.b));
  Summary summary;
  Say("module", "module_id", ToHex(ModuleId(a->module())), ToHex(ModuleId(b->module())), "", summary);
  Say("gas", "gas", a->gas(), b->gas(), "", summary);
  Say("arena", "arena_bytes", a->arena_bytes(), b->arena_bytes(), " bytes", summary);
  Say("weights", "constant_bytes", a->constant_bytes(), b->constant_bytes(), " bytes", summary);
  Json lines = Json::array();
  std::string text;
  int64_t common = 0;
  for (const DiffLine& line : DiffLines(LinesOf(*a), LinesOf(*b))) {
    common += line.mark == ' ' ? 1 : 0;
    if (line.mark == ' ') continue;
    lines.push_back(line.mark + line.text);
    text += std::string("\n") + line.mark + " " + line.text;
  }
  const bool equal = a->module() == b->module();
  if (text.empty() && !equal) text = "\nonly which values instructions read";
  summary.Say("lines", absl::StrCat(common, " in common", text), "lines", lines);
  summary.Say("equal", equal ? "yes" : "no", "equal", equal);
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace

void AddDiffCommand(CommandLine& line) {
  auto& options = line.Keep<DiffOptions>();
  auto* diff = line.app.add_subcommand("diff", "show what two modules share and where they differ");
  line.Reads(diff->add_option("a", options.a, "module file"))->required();
  line.Reads(diff->add_option("b", options.b, "module file"))->required();
  line.ForMachines(*diff, options.json);
  line.Calls(*diff, options, DiffModules);
}

}  // namespace tally::cli
