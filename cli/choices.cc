#include "cli/choices.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/notes.h"

namespace tally::cli {
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
