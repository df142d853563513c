#include "cli/input_grid.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"

namespace tally::cli {
namespace {

bool ParseScale(const std::string& text, double* scale) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return absl::SimpleAtod(text, scale);
  double numerator = 0, denominator = 0;
  if (!absl::SimpleAtod(text.substr(0, slash), &numerator) ||
      !absl::SimpleAtod(text.substr(slash + 1), &denominator) || denominator == 0) {
    return false;
  }
  *scale = numerator / denominator;
  return true;
}

}  // namespace

absl::StatusOr<quant::InputFormat> ParseInputGrid(const std::string& text) {
  ASSIGN_OR_RETURN(const auto name_and_grid, SplitOption(text));
  const std::vector<std::string> parts = absl::StrSplit(name_and_grid.second, ',');
  quant::InputFormat format;
  format.name = name_and_grid.first;
  if (parts.size() != 4 || !ParseScale(parts[0], &format.type.scale) ||
      !absl::SimpleAtoi(parts[1], &format.type.zero_point) ||
      !absl::SimpleAtoi(parts[2], &format.type.interval.lo) ||
      !absl::SimpleAtoi(parts[3], &format.type.interval.hi)) {
    return MakeError(label::option_syntax, absl::StrCat("'", text, "' is not NAME=SCALE,ZERO,LO,HI"));
  }
  return format;
}

}  // namespace tally::cli
