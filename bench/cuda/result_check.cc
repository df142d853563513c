#include "bench/cuda/result_check.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "bench/models/random_source.h"

namespace tally::bench {

std::string WrongSample(const LinearProblem& problem, ResultForm form, std::span<const uint8_t> result) {
  if (static_cast<int64_t>(result.size()) != problem.result_bytes(form)) return "of another size";
  const int64_t last_row = problem.rows() - 1, last_column = problem.columns() - 1;
  RandomSource random(2);
  for (int64_t i = 0; i < kSampledElements; ++i) {
    int64_t row = random.Uniform(0, last_row), column = random.Uniform(0, last_column);
    if (i % 16 == 0) row = last_row;
    if (i % 16 == 1) column = last_column;
    if (i < 4) {
      row = i % 2 * last_row;
      column = i / 2 * last_column;
    }
    const int64_t expected = problem.Expected(row, column, form),
                  stored = StoredAt(result, row * problem.columns() + column, form);
    if (stored == expected) continue;
    return absl::StrCat("[", row, ", ", column, "] is ", stored, ", the host computes ", expected);
  }
  return "";
}

std::string Difference(const LinearProblem& problem, ResultForm form, std::span<const uint8_t> ours,
                       std::span<const uint8_t> theirs, int64_t tolerance) {
  if (std::ranges::equal(ours, theirs)) return "";
  if (ours.size() != theirs.size()) return "of another size";
  for (int64_t i = 0; i < problem.rows() * problem.columns(); ++i) {
    const int64_t a = StoredAt(ours, i, form), b = StoredAt(theirs, i, form);
    if (std::abs(a - b) <= tolerance) continue;
    return absl::StrCat("[", i / problem.columns(), ", ", i % problem.columns(), "] is ", a, " and not ", b);
  }
  return "";
}

}  // namespace tally::bench
