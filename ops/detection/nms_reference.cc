#include <algorithm>
#include <vector>

#include "ops/detection/attrs.h"
#include "ops/detection/scored_boxes.h"
#include "ops/reference.h"

namespace tally {
namespace {

using detection::Pick;
using detection::ScoredBoxes;

template <typename Int>
class Suppression {
 public:
  Suppression(const ReferenceContext<Int>& c)
      : attrs_(c.template attrs<NmsAttrs>()), entries_(c.operands, attrs_) {}

  int64_t batches() const { return entries_.batches(); }
  const NmsAttrs& attrs() const { return attrs_; }

  // The rows of one batch, in the order of its lists or of its scores.
  std::vector<Pick> Select(int64_t batch) const {
    const int64_t lists = entries_.lists();
    const std::vector<int64_t> best = BestClasses(batch);
    std::vector<Pick> picks;
    for (int64_t list = 0; list < lists; ++list) Append(Keep(List(batch, list, best, true)), &picks);
    int64_t limit = attrs_.max_per_batch;
    if (picks.empty() && attrs_.at_least_one) {
      for (int64_t list = 0; list < lists; ++list) Append(List(batch, list, best, false), &picks);
      limit = 1;
    }
    SortByScore(&picks);
    if (static_cast<int64_t>(picks.size()) > limit) picks.resize(static_cast<size_t>(limit));
    if (attrs_.order == NmsOrder::kClass) {
      std::stable_sort(picks.begin(), picks.end(),
                       [](const Pick& p, const Pick& q) { return p.cls < q.cls; });
    }
    return picks;
  }

  // Equal scores stay as they are.
  void SortByScore(std::vector<Pick>* picks) const {
    std::stable_sort(picks->begin(), picks->end(),
                     [&](const Pick& p, const Pick& q) { return entries_.Score(p) > entries_.Score(q); });
  }

 private:
  static void Append(const std::vector<Pick>& more, std::vector<Pick>* picks) {
    picks->insert(picks->end(), more.begin(), more.end());
  }

  // For each box the lowest class of its greatest score; nothing where every class stands for itself.
  std::vector<int64_t> BestClasses(int64_t batch) const {
    std::vector<int64_t> best;
    if (attrs_.classes == NmsClasses::kEach) return best;
    for (int64_t box = 0; box < entries_.boxes(); ++box) {
      int64_t cls = 0;
      for (int64_t other = 1; other < entries_.classes(); ++other) {
        if (entries_.Score({batch, other, box}) > entries_.Score({batch, cls, box})) cls = other;
      }
      best.push_back(cls);
    }
    return best;
  }

  // The entries of a list, or its candidates, best first; equal scores in ascending order of their boxes.
  std::vector<Pick> List(int64_t batch, int64_t list, const std::vector<int64_t>& best,
                         bool candidates) const {
    std::vector<Pick> picks;
    for (int64_t box = 0; box < entries_.boxes(); ++box) {
      const Pick pick = {batch, best.empty() ? list : best[static_cast<size_t>(box)], box};
      if (attrs_.classes == NmsClasses::kBestPerClass && pick.cls != list) continue;
      if (!candidates || entries_.Score(pick) >= attrs_.min_score) picks.push_back(pick);
    }
    SortByScore(&picks);
    return picks;
  }

  // The candidates that no kept one before them suppresses.
  std::vector<Pick> Keep(const std::vector<Pick>& candidates) const {
    std::vector<Pick> kept;
    for (int64_t i = 0; i < std::min(static_cast<int64_t>(candidates.size()), attrs_.top_k); ++i) {
      if (static_cast<int64_t>(kept.size()) == attrs_.max_per_class) break;
      const Pick& p = candidates[static_cast<size_t>(i)];
      const bool suppressed =
          std::any_of(kept.begin(), kept.end(), [&](const Pick& q) { return entries_.Suppress(p, q); });
      if (!suppressed) kept.push_back(p);
    }
    return kept;
  }

  const NmsAttrs attrs_;
  const ScoredBoxes<Int> entries_;
};

}  // namespace

// selected[r] = (batch, class, box) of the r-th row, -1 where there is none; count[n] = the rows of batch n.
template <typename Int>
void ReferenceNms(const ReferenceContext<Int>& c) {
  const Suppression<Int> nms(c);
  const Result<Int>&selected = c.results[0], &count = c.results[1];
  const size_t block = static_cast<size_t>(selected.shape()[0] / nms.batches());
  std::vector<Pick> rows;
  for (int64_t n = 0; n < nms.batches(); ++n) {
    const std::vector<Pick> picks = nms.Select(n);
    count.Set(n, Int(static_cast<int64_t>(picks.size())));
    rows.insert(rows.end(), picks.begin(), picks.end());
    if (nms.attrs().batches == NmsBatches::kApart)
      rows.resize(static_cast<size_t>(n + 1) * block, {-1, -1, -1});
  }
  if (nms.attrs().batches == NmsBatches::kMerged) nms.SortByScore(&rows);
  rows.resize(static_cast<size_t>(selected.shape()[0]), {-1, -1, -1});
  for (size_t r = 0; r < rows.size(); ++r) {
    const int64_t first = static_cast<int64_t>(r) * 3;
    selected.Set(first, Int(rows[r].batch));
    selected.Set(first + 1, Int(rows[r].cls));
    selected.Set(first + 2, Int(rows[r].box));
  }
}

TALLY_REFERENCE(Nms);

}  // namespace tally
