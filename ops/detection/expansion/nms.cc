// nms: the kept boxes of each list, then the rows that are made of them.
#include <algorithm>
#include <vector>

#include "ops/detection/expansion/rounds.h"
#include "ops/detection/scored_boxes.h"

namespace tally {
namespace detection {

// The kept entries of a batch's lists, list by list, and after them the one entry that a batch without
// candidates has under at_least_one.
struct Picks {
  Scores scores;
  Column classes, boxes;
  Column count;  // rows of the batch
};

template <typename Int>
class NmsSteps {
 public:
  explicit NmsSteps(Expansion<Int>& e)
      : e_(e),
        attrs_(e.template attrs<NmsAttrs>()),
        classes_(e.context().shape(1)[1]),
        boxes_(e.context().shape(1)[2]),
        range_(e.context().operands[1].interval) {}

  const NmsAttrs& attrs() const { return attrs_; }

  Picks PicksOf(int64_t batch) {
    const Column best = BestClasses(batch);
    const int64_t lists = attrs_.classes == NmsClasses::kBest ? 1 : classes_;
    std::vector<Kept> kept, firsts;  // firsts: of all entries, whatever their scores
    for (int64_t list = 0; list < lists; ++list) {
      const auto entry = [=, each = attrs_.classes == NmsClasses::kEach, classes = classes_](
                             const StepReads<Int>& r, int64_t box) {
        return Pick{batch, each ? list : r.Position(best, box, classes), box};
      };
      const Scores all = {
          e_.Map(boxes_,
                 [=, attrs = attrs_](const StepReads<Int>& r, int64_t box) {
                   return ScoredBoxes<Int>(r.operands(), attrs).Score(entry(r, box));
                 }),
          e_.Map(boxes_,
                 [=, classes = attrs_.classes](const StepReads<Int>& r, int64_t box) {
                   return Int(int64_t{classes != NmsClasses::kBestPerClass || entry(r, box).cls == list});
                 }),
          range_};
      if (attrs_.at_least_one) {
        const auto suppresses_none = [](const StepReads<Int>&, int64_t, int64_t) { return false; };
        firsts.push_back(KeepBest(e_, all, 1, suppresses_none).back());
      }
      Scores candidates = all;
      candidates.in = e_.Map(boxes_, [=, least = attrs_.min_score](const StepReads<Int>& r, int64_t box) {
        return r(all.of, box) < Int(least) ? Int(int64_t{0}) : r(all.in, box);
      });
      const auto suppresses = [=, attrs = attrs_](const StepReads<Int>& r, int64_t p, int64_t q) {
        return ScoredBoxes<Int>(r.operands(), attrs).Suppress(entry(r, p), entry(r, q));
      };
      const int64_t rounds = std::min({boxes_, attrs_.top_k, attrs_.max_per_class});
      const std::vector<Kept> more = KeepBest(e_, BestOf(e_, candidates, attrs_.top_k), rounds, suppresses);
      kept.insert(kept.end(), more.begin(), more.end());
    }
    return Join(kept, firsts, best, lists);
  }

  // The entry that is row `rank(r)` of a batch.
  template <typename Rank>
  Column RowOf(const Picks& picks, Rank rank) {
    if (attrs_.order == NmsOrder::kScore) return Select(e_, picks.scores.keys(), rank).position;
    const Column in = BestOf(e_, picks.scores, attrs_.max_per_batch).in;
    return Select(e_, Keys(picks.classes, false, {0, classes_ - 1}, in), rank).position;
  }

 private:
  // For each box the lowest class of its greatest score, class by class.
  Column BestClasses(int64_t batch) {
    if (attrs_.classes == NmsClasses::kEach) return {};
    Column best = e_.Map(boxes_, [](const StepReads<Int>&, int64_t) { return Int(int64_t{0}); });
    for (int64_t cls = 1; cls < classes_; ++cls) {
      best = e_.Map(boxes_, [=, attrs = attrs_](const StepReads<Int>& r, int64_t box) {
        const ScoredBoxes<Int> entries(r.operands(), attrs);
        const int64_t before = r.Position(best, box, cls);
        return entries.Score({batch, cls, box}) > entries.Score({batch, before, box}) ? Int(cls)
                                                                                      : Int(before);
      });
    }
    return best;
  }

  // A column of what columns of one have.
  Column Together(std::vector<Column> ones) {
    const auto length = std::ssize(ones);
    return e_.Map(length, [ones = std::move(ones)](const StepReads<Int>& r, int64_t i) {
      return r(ones[static_cast<size_t>(i)]);
    });
  }

  Picks Join(const std::vector<Kept>& kept, const std::vector<Kept>& firsts, Column best, int64_t lists) {
    std::vector<Column> scores, boxes;
    for (const Kept& pick : kept) {
      scores.push_back(pick.score);
      boxes.push_back(pick.entry);
    }
    Column first_list;
    if (attrs_.at_least_one) AddFirst(firsts, &scores, &boxes, &first_list);
    Picks picks;
    picks.scores = {Together(std::move(scores)), {}, range_};
    picks.boxes = Together(std::move(boxes));
    const auto of = picks.boxes;
    picks.scores.in = e_.Map(of.length, [of, missing = boxes_](const StepReads<Int>& r, int64_t i) {
      return Int(int64_t{r(of, i) != Int(missing)});
    });
    const int64_t each = std::ssize(kept) / lists, number = std::ssize(kept);
    picks.classes =
        e_.Map(of.length, [=, in = picks.scores.in, attrs = attrs_](const StepReads<Int>& r, int64_t i) {
          if (r(in, i) == Int(int64_t{0})) return Int(int64_t{0});
          if (attrs.classes == NmsClasses::kBest) return r(best, r.Position(of, i, best.length));
          return i < number ? Int(i / each) : r(first_list);
        });
    const Column picked = e_.SumOf(of.length, [in = picks.scores.in](const StepReads<Int>& r, int64_t i) {
      return r(in, i) != Int(int64_t{0});
    });
    picks.count = e_.One(
        [=, most = attrs_.max_per_batch](const StepReads<Int>& r) { return Lesser(r(picked), Int(most)); });
    return picks;
  }

  // The best entry of all lists, where nothing is kept: candidates are missing then.
  void AddFirst(const std::vector<Kept>& firsts, std::vector<Column>* scores, std::vector<Column>* boxes,
                Column* list) {
    const Int missing(boxes_), least(range_.lo);
    const Column kept = Together(*boxes);
    const Column number =
        e_.SumOf(kept.length, [=](const StepReads<Int>& r, int64_t i) { return r(kept, i) != missing; });
    std::vector<Column> first_scores, first_boxes;
    for (const Kept& first : firsts) {
      first_scores.push_back(first.score);
      first_boxes.push_back(first.entry);
    }
    const Column score = Together(std::move(first_scores)), box = Together(std::move(first_boxes));
    const auto score_of = [=](const StepReads<Int>& r, int64_t i) {
      return r(box, i) == missing ? least : r(score, i);
    };
    const Column greatest = e_.Fold(score.length, least, score_of, Greater<Int>);
    const Column first = e_.FirstOf(score.length, [=](const StepReads<Int>& r, int64_t i) {
      return r(box, i) != missing && r(score, i) == r(greatest);
    });
    scores->push_back(greatest);
    boxes->push_back(e_.One([=](const StepReads<Int>& r) {
      return r(number) == Int(int64_t{0}) ? r(box, r.Position(first, 0, box.length)) : missing;
    }));
    *list = first;
  }

  Expansion<Int>& e_;
  const NmsAttrs attrs_;
  const int64_t classes_, boxes_;
  const Interval range_;  // where scores are
};

}  // namespace detection

using detection::BestOf;
using detection::NmsSteps;
using detection::Picks;
using detection::Scores;

template <typename Int>
void ExpandNms(Expansion<Int>& e) {
  NmsSteps<Int> steps(e);
  const NmsAttrs attrs = steps.attrs();
  const ReadContext& c = e.context();
  const int64_t batches = c.shape(1)[0];
  if (c.result == 1) {
    const Column count = steps.PicksOf(c.element).count;
    e.One([=](const StepReads<Int>& r) { return r(count); });
    return;
  }
  const int64_t row = c.element / 3, k = c.element % 3, block = c.results[0].shape[0] / batches;
  std::vector<Picks> picks;
  for (int64_t n = 0; n < batches; ++n) {
    if (attrs.batches == NmsBatches::kApart && n != row / block) continue;
    picks.push_back(steps.PicksOf(n));
  }
  // The rows before those of each batch; the last has all.
  std::vector<Column> ends = {e.One([](const StepReads<Int>&) { return Int(int64_t{0}); })};
  for (const Picks& of : picks) {
    ends.push_back(
        e.One([=, last = ends.back()](const StepReads<Int>& r) { return Int(r(last) + r(of.count)); }));
  }
  const int64_t first = attrs.batches == NmsBatches::kApart ? row / block : 0;
  const int64_t wanted = attrs.batches == NmsBatches::kApart ? row % block : row;
  // The row as a batch, a class and a box; -1 where there is none.
  const auto value_of = [k](const StepReads<Int>& r, const Picks& of, int64_t n, int64_t entry) {
    return k == 0 ? Int(n) : r(k == 1 ? of.classes : of.boxes, entry);
  };
  if (attrs.batches == NmsBatches::kMerged) {
    std::vector<Scores> kept;
    for (const Picks& of : picks) kept.push_back(BestOf(e, of.scores, attrs.max_per_batch));
    const int64_t each = kept.front().of.length;
    const auto all = [&](Column Scores::*column) {
      return e.Map(each * batches, [=](const StepReads<Int>& r, int64_t i) {
        return r(kept[static_cast<size_t>(i / each)].*column, i % each);
      });
    };
    const Scores merged = {all(&Scores::of), all(&Scores::in), kept.front().range};
    const Column at = Select(e, merged.keys(), Rank<Int>(wanted)).position;
    e.One([=, end = ends.back()](const StepReads<Int>& r) {
      if (r(end) <= Int(wanted)) return Int(int64_t{-1});
      const int64_t i = r.Position(at, 0, merged.of.length);
      return value_of(r, picks[static_cast<size_t>(i / each)], i / each, i % each);
    });
    return;
  }
  std::vector<Column> entries;
  for (size_t n = 0; n < picks.size(); ++n) {
    entries.push_back(steps.RowOf(
        picks[n], [=, before = ends[n]](const StepReads<Int>& r) { return Int(Int(wanted) - r(before)); }));
  }
  e.One([=](const StepReads<Int>& r) {
    for (size_t n = 0; n < picks.size(); ++n) {
      if (Int(wanted) < r(ends[n + 1])) {
        const int64_t entry = r.Position(entries[n], 0, picks[n].boxes.length);
        return value_of(r, picks[n], first + static_cast<int64_t>(n), entry);
      }
    }
    return Int(int64_t{-1});
  });
}
TALLY_EXPAND(Nms);

}  // namespace tally
