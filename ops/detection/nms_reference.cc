#include <algorithm>
#include <vector>

#include "ops/detection/attrs.h"
#include "ops/detection/boxes.h"
#include "ops/reference.h"

namespace tally {
namespace {

using detection::Box;
using detection::BoxOf;
using detection::OverlapOf;
using detection::Suppresses;

struct Pick {
  int64_t batch, cls, box;
};

template <typename Int>
class Suppression {
 public:
  Suppression(const ReferenceContext<Int>& c)
      : attrs_(c.template attrs<NmsAttrs>()), boxes_(c.operands[0]), scores_(c.operands[1]) {}

  int64_t batches() const { return scores_.shape()[0]; }
  const NmsAttrs& attrs() const { return attrs_; }

  // The rows of one batch, in the order of its lists or of its scores.
  std::vector<Pick> Select(int64_t batch) const {
    const int64_t lists = attrs_.classes == NmsClasses::kBest ? 1 : scores_.shape()[1];
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
                     [&](const Pick& p, const Pick& q) { return Score(p) > Score(q); });
  }

 private:
  static void Append(const std::vector<Pick>& more, std::vector<Pick>* picks) {
    picks->insert(picks->end(), more.begin(), more.end());
  }

  Int Score(const Pick& p) const {
    return scores_[(p.batch * scores_.shape()[1] + p.cls) * scores_.shape()[2] + p.box];
  }

  Box<Int> BoxAt(const Pick& p) const {
    const bool shared = boxes_.shape().rank() == 3;
    const int64_t list = shared ? p.batch : p.batch * scores_.shape()[1] + p.cls;
    const int64_t first = (list * scores_.shape()[2] + p.box) * 4;
    return BoxOf<Int>(attrs_.encoding,
                      {boxes_[first], boxes_[first + 1], boxes_[first + 2], boxes_[first + 3]});
  }

  // For each box the lowest class of its greatest score; nothing where every class stands for itself.
  std::vector<int64_t> BestClasses(int64_t batch) const {
    std::vector<int64_t> best;
    if (attrs_.classes == NmsClasses::kEach) return best;
    for (int64_t box = 0; box < scores_.shape()[2]; ++box) {
      int64_t cls = 0;
      for (int64_t other = 1; other < scores_.shape()[1]; ++other) {
        if (Score({batch, other, box}) > Score({batch, cls, box})) cls = other;
      }
      best.push_back(cls);
    }
    return best;
  }

  // The entries of a list, or its candidates, best first; equal scores in ascending order of their boxes.
  std::vector<Pick> List(int64_t batch, int64_t list, const std::vector<int64_t>& best,
                         bool candidates) const {
    std::vector<Pick> picks;
    for (int64_t box = 0; box < scores_.shape()[2]; ++box) {
      const Pick pick = {batch, best.empty() ? list : best[static_cast<size_t>(box)], box};
      if (attrs_.classes == NmsClasses::kBestPerClass && pick.cls != list) continue;
      if (!candidates || Score(pick) >= attrs_.min_score) picks.push_back(pick);
    }
    SortByScore(&picks);
    return picks;
  }

  // The candidates that no kept one before them suppresses.
  std::vector<Pick> Keep(const std::vector<Pick>& candidates) const {
    const bool doubled = attrs_.encoding == BoxEncoding::kCenter;
    const Int offset(doubled ? 2 * attrs_.side_offset : attrs_.side_offset);
    std::vector<Pick> kept;
    for (int64_t i = 0; i < std::min(static_cast<int64_t>(candidates.size()), attrs_.top_k); ++i) {
      if (static_cast<int64_t>(kept.size()) == attrs_.max_per_class) break;
      const Pick& p = candidates[static_cast<size_t>(i)];
      const bool suppressed = std::any_of(kept.begin(), kept.end(), [&](const Pick& q) {
        return Suppresses(OverlapOf(BoxAt(p), BoxAt(q), offset), Int(attrs_.iou_numerator),
                          Int(attrs_.iou_denominator), attrs_.suppress_equal);
      });
      if (!suppressed) kept.push_back(p);
    }
    return kept;
  }

  const NmsAttrs attrs_;
  const Operand<Int>&boxes_, &scores_;
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
