#include "cli/networks/named_labels.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

// The fields of a line of CSV. A field in quotes has commas, and quotes that are doubled.
std::vector<std::string> FieldsOf(std::string_view line) {
  std::vector<std::string> fields = {""};
  bool is_quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool is_quote = line[i] == '"';
    if (is_quote && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (is_quote) {
      is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

absl::StatusOr<std::vector<std::vector<std::string>>> ReadCsv(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadFile(path));
  std::vector<std::vector<std::string>> lines;
  for (absl::string_view line : absl::StrSplit(absl::string_view(AsText(bytes).data(), bytes.size()), '\n')) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) lines.push_back(FieldsOf({line.data(), line.size()}));
  }
  return lines;
}

// The label of a path, or of an end of it that begins with a name.
std::optional<std::string> LabelOf(std::string_view path, const std::map<std::string, std::string>& labels) {
  for (;;) {
    if (const auto found = labels.find(std::string(path)); found != labels.end()) return found->second;
    const size_t slash = path.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::vector<std::string> LabelsOfFolders(const std::vector<std::string>& files) {
  std::vector<std::string> labels;
  for (const std::string& file : files) labels.push_back(PathOf(file).parent_path().filename().string());
  return labels;
}

absl::StatusOr<std::vector<std::string>> LabelsOfCsv(const std::string& path,
                                                     const std::vector<std::string>& files) {
  ASSIGN_OR_RETURN(const auto lines, ReadCsv(path));
  std::map<std::string, std::string> by_file;
  std::vector<std::string> labels;
  for (const std::vector<std::string>& fields : lines) {
    if (fields.size() > 1) by_file[fields[0]] = fields[1];
    if (fields.size() == 1) labels.push_back(fields[0]);
  }
  if (by_file.empty()) {
    if (labels.size() == files.size()) return labels;
    return MakeError(label::labels_text, absl::StrCat("'", path, "' has ", labels.size(), " labels for ",
                                                      files.size(), " samples"));
  }
  labels.clear();
  for (const std::string& file : files) {
    const std::optional<std::string> label = LabelOf(file, by_file);
    if (!label.has_value()) {
      return MakeError(
          label::labels_text,
          absl::StrCat("'", path, "' has no line FILE,LABEL for the sample '", Printable(file), "'"));
    }
    labels.push_back(*label);
  }
  return labels;
}

absl::StatusOr<std::vector<int64_t>> PlacesOf(const std::vector<std::string>& labels,
                                              const std::vector<std::string>& names, int64_t row) {
  std::map<std::string, int64_t> places;
  for (size_t i = 0; i < names.size(); ++i) places.emplace(names[i], static_cast<int64_t>(i));
  const std::set<std::string> classes(labels.begin(), labels.end());
  const auto number = [](const std::string& label) {
    int64_t place = 0;
    return absl::SimpleAtoi(label, &place) ? std::optional(place) : std::nullopt;
  };
  const bool are_numbers =
      std::ranges::all_of(classes, [&](const auto& one) { return number(one).has_value(); });
  if (names.empty() && !are_numbers && std::ssize(classes) == row) {
    for (const std::string& one : classes) places.emplace(one, std::ssize(places));
  }
  std::vector<int64_t> right;
  for (const std::string& label : labels) {
    const auto found = places.find(label);
    const std::optional<int64_t> place = found != places.end() ? std::optional(found->second) : number(label);
    if (!place.has_value()) {
      return MakeError(label::labels_text, absl::StrCat("'", Printable(label),
                                                        "' is not the name of an element of a row: --names "
                                                        "says how they are called"));
    }
    if (*place < 0 || *place >= row) {
      return MakeError(label::samples_range, absl::StrCat("a label is ", *place, ", where a row has ", row,
                                                          " elements: 0 to ", row - 1));
    }
    right.push_back(*place);
  }
  return right;
}

}  // namespace tally::cli
