#include "cli/dispute_picture.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace tally::cli {
namespace {

constexpr uint64_t kWidth = 48;

// Which part of a line the part of a tree takes: at least one character.
std::string Bar(const TreePart& part, uint64_t of) {
  const auto at = [of](uint64_t leaf) {
    return static_cast<size_t>(static_cast<double>(leaf) / static_cast<double>(of) *
                               static_cast<double>(kWidth));
  };
  const size_t first = std::min<size_t>(at(part.first), kWidth - 1);
  const size_t end = std::clamp<size_t>(at(part.first + part.size), first + 1, kWidth);
  return std::string(first, '.') + std::string(end - first, '#') + std::string(kWidth - end, '.');
}

std::string_view LeavesOf(Subject subject) {
  constexpr std::string_view kNames[] = {"entry", "result", "leaf", "element", "column", "leaf"};
  return kNames[static_cast<size_t>(subject)];
}

}  // namespace

void DrawDispute(const PlayedDispute& played, std::ostream& out) {
  out << " 1  opening   the claim, and the root of " << played.opening.entries << " entries\n";
  uint64_t of = played.opening.entries;
  Subject before = Subject::kTrace;
  for (size_t i = 0; i < played.rounds.size(); ++i) {
    const Query& query = played.rounds[i].query;
    const TreePart& part = query.part;
    // The first query about a tree is about all of it.
    if (i == 0 || query.subject != before) of = part.first + part.size;
    before = query.subject;
    std::string name(NameOf(query.subject));
    name.resize(10, ' ');
    out << (i + 2 < 10 ? " " : "") << i + 2 << "  " << name << "[" << Bar(part, of) << "]  "
        << LeavesOf(query.subject) << " " << part.first;
    if (part.size > 1) out << " to " << part.first + part.size - 1;
    out << "\n";
  }
}

}  // namespace tally::cli
