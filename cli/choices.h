// The largest elements of results, by the names of what they stand for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tally::cli {

// The lines of a text file, at least one, each in UTF-8, without control characters and of at most 1024
// bytes. Errors: those of ReadFile; labels_text.
absl::StatusOr<std::vector<std::string>> ReadLabels(const std::string& path);

struct NamedChoice {
  int64_t place;
  std::string name;  // its label, or its number where there is none
  double value;
};

// The `top` largest elements of a row, or all where it has fewer; of equal ones the first.
std::vector<NamedChoice> LargestOf(std::span<const double> row, int64_t top,
                                   const std::vector<std::string>& labels);

}  // namespace tally::cli
