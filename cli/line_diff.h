// The lines that two lists have in common.
//
//   for (const DiffLine& line : DiffLines(a, b)) out << line.mark << line.text << "\n";
#pragma once

#include <string>
#include <vector>

namespace tally::cli {

struct DiffLine {
  char mark;  // ' ' in both, '-' in the first, '+' in the second
  std::string text;

  friend bool operator==(const DiffLine&, const DiffLine&) = default;
};

// With as many lines in common as possible; where the lists differ over more than 4,096 lines in each, those
// are taken as wholly different.
std::vector<DiffLine> DiffLines(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace tally::cli
