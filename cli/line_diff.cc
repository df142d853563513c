#include "cli/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tally::cli {
namespace {

constexpr size_t kMaxCells = size_t{1} << 24;

class Differ {
 public:
  Differ(const std::vector<std::string>& a, const std::vector<std::string>& b) : a_(a), b_(b) {
    const size_t least = std::min(a.size(), b.size());
    while (start_ < least && a[start_] == b[start_]) ++start_;
    while (end_ < least - start_ && a[a.size() - 1 - end_] == b[b.size() - 1 - end_]) ++end_;
  }

  std::vector<DiffLine> Run() {
    for (size_t i = 0; i < start_; ++i) lines_.push_back({' ', a_[i]});
    Middle(a_.size() - start_ - end_, b_.size() - start_ - end_);
    for (size_t i = a_.size() - end_; i < a_.size(); ++i) lines_.push_back({' ', a_[i]});
    return std::move(lines_);
  }

 private:
  // The longest common subsequence of n and m lines.
  void Middle(size_t n, size_t m) {
    const bool compares = n * m <= kMaxCells;
    // By i and j, how many lines the rests from i and j on have in common.
    std::vector<uint32_t> common(compares ? (n + 1) * (m + 1) : 0);
    const auto at = [&](size_t i, size_t j) -> uint32_t& { return common[i * (m + 1) + j]; };
    for (size_t i = compares ? n : 0; i-- > 0;) {
      for (size_t j = m; j-- > 0;)
        at(i, j) = A(i) == B(j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
    size_t i = 0, j = 0;
    while (i < n || j < m) {
      if (compares && i < n && j < m && A(i) == B(j)) {
        lines_.push_back({' ', A(i++)});
        ++j;
      } else if (i < n && (!compares || j == m || at(i + 1, j) >= at(i, j + 1))) {
        lines_.push_back({'-', A(i++)});
      } else {
        lines_.push_back({'+', B(j++)});
      }
    }
  }

  const std::string& A(size_t i) const { return a_[start_ + i]; }
  const std::string& B(size_t j) const { return b_[start_ + j]; }

  const std::vector<std::string>&a_, &b_;
  size_t start_ = 0, end_ = 0;  // lines that both begin and end with
  std::vector<DiffLine> lines_;
};

}  // namespace

std::vector<DiffLine> DiffLines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return Differ(a, b).Run();
}

}  // namespace tally::cli
