#include "cli/choices.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/json_output.h"
#include "cli/labels.h"
#include "serializer/module_id.h"

namespace tally::cli {
namespace {

constexpr size_t kMostBytesOfLabel = 1024;

bool IsLabel(std::string_view line) {
  if (line.size() > kMostBytesOfLabel) return false;
  while (!line.empty()) {
    const Utf8Character c = FirstUtf8Character(line);
    if (c.size == 0 || c.code < ' ' || c.code == 0x7f) return false;
    line.remove_prefix(c.size);
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadLabels(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  std::vector<std::string> lines = absl::StrSplit(std::string(bytes.begin(), bytes.end()), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  if (lines.empty() || !std::ranges::all_of(lines, IsLabel)) {
    return MakeError(label::labels_text,
                     absl::StrCat("'", path, "' must be a text file with one label per line"));
  }
  return lines;
}

std::string LabelsBeside(const std::string& module) { return module + ".labels"; }

std::string TextOfNotes(const std::string& module_id, const FileNotes& notes) {
  const auto list = [](const std::vector<std::string>& names) {
    Json named = Json::array();
    for (const std::string& name : names) {
      const std::string whole = Printable(name);
      named.push_back(IsLabel(whole) ? whole : PrintableStart(name));  // a file may call them anything
    }
    return named;
  };
  Json json = {{"module", module_id}, {"labels", list(notes.labels)}};
  if (!notes.bgr_inputs.empty()) json["bgr_inputs"] = list(notes.bgr_inputs);
  return json.dump(1) + "\n";
}

absl::StatusOr<FileNotes> ReadNotesBeside(const std::string& module_path, const Module& module) {
  const std::string path = LabelsBeside(module_path);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return FileNotes();
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  const Json json = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  const auto malformed = [&] {
    return MakeError(label::labels_text,
                     absl::StrCat("'", path, "' is not a file of labels that `tally quantize` writes"));
  };
  if (!json.is_object() || !json.contains("module") || !json.contains("labels")) return malformed();
  if (json["module"] != ToHex(ModuleId(module))) return FileNotes();
  FileNotes notes;
  for (const auto& [key, list] : {std::pair("labels", &notes.labels), {"bgr_inputs", &notes.bgr_inputs}}) {
    if (!json.contains(key)) continue;
    if (!json[key].is_array()) return malformed();
    for (const Json& one : json[key]) {
      if (!one.is_string() || !IsLabel(one.get<std::string>())) return malformed();
      list->push_back(one.get<std::string>());
    }
  }
  return notes;
}

std::vector<NamedChoice> LargestOf(std::span<const double> row, int64_t top,
                                   const std::vector<std::string>& labels) {
  std::vector<int64_t> places(row.size());
  std::iota(places.begin(), places.end(), 0);
  const auto count = std::min(places.size(), static_cast<size_t>(top));
  std::ranges::partial_sort(places, places.begin() + static_cast<int64_t>(count), [&](int64_t a, int64_t b) {
    const double x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  });
  std::vector<NamedChoice> choices;
  for (size_t i = 0; i < count; ++i) {
    const auto place = static_cast<size_t>(places[i]);
    choices.push_back({places[i], place < labels.size() ? labels[place] : std::to_string(place), row[place]});
  }
  return choices;
}

}  // namespace tally::cli
