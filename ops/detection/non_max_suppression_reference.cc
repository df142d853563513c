#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/detection/attrs.h"
#include "ops/detection/rows.h"
#include "ops/reference.h"

namespace tally {
namespace {

using detection::Rows;

// The kept rows of a batch, best first.
template <typename Int>
std::vector<int64_t> Keep(const Rows<Int>& rows, int64_t valid, const NonMaxSuppressionAttrs& attrs) {
  std::vector<int64_t> order(static_cast<size_t>(valid));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const Int a = rows.score(i), b = rows.score(j);
    return a > b || (a == b && i < j);  // equal scores keep the order of the rows
  });
  if (attrs.top_k >= 0) order.resize(static_cast<size_t>(std::min(valid, attrs.top_k)));
  std::vector<int64_t> kept;
  for (const int64_t p : order) {
    if (attrs.max_output_size >= 0 && static_cast<int64_t>(kept.size()) >= attrs.max_output_size) break;
    if (rows.id(p) < 0) continue;
    const bool suppressed =
        std::any_of(kept.begin(), kept.end(), [&](int64_t q) { return rows.Suppress(p, q, attrs); });
    if (!suppressed) kept.push_back(p);
  }
  return kept;
}

}  // namespace

// Per batch b, of the rows below T = clamp(valid_count[b], 0, N): sorts them by descending score, looks at
// the first top_k, passes over negative ids, and emits each row that no emitted row suppresses, up to
// max_output_size of them. Every other row of y is -1.
template <typename Int>
void ReferenceNonMaxSuppression(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<NonMaxSuppressionAttrs>();
  const Operand<Int>&x = c.operands[0], &valid_count = c.operands[1];
  const Result<Int>& y = c.results[0];
  const int64_t B = x.shape()[0], N = x.shape()[1];
  for (int64_t b = 0; b < B; ++b) {
    if (!c.WantsOf(0, b * N * 6, N * 6)) continue;
    const Int count = valid_count[b];
    const int64_t valid = count < 0 ? 0 : count > N ? N : static_cast<int64_t>(count);
    const Rows<Int> rows(x, b);
    const std::vector<int64_t> kept = Keep(rows, valid, attrs);
    for (int64_t n = 0; n < N; ++n) {
      for (int64_t k = 0; k < 6; ++k) {
        const bool emitted = n < static_cast<int64_t>(kept.size());
        y.Set((b * N + n) * 6 + k, emitted ? rows.at(kept[static_cast<size_t>(n)], k) : Int(-1));
      }
    }
  }
}

TALLY_REFERENCE(NonMaxSuppression);

}  // namespace tally
