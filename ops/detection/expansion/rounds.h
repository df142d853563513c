// Greedy suppression in rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/common/selection_steps.h"
#include "ops/expansion.h"

namespace tally::detection {

// Entries with scores: the greatest come first, and of equal ones the lower entry. Those whose integer in
// `in` is 0 are out.
struct Scores {
  Column of, in;
  Interval range;

  Keys keys() const { return {of, true, range, in}; }
};

// The first `count` alone.
template <typename Int>
Scores BestOf(Expansion<Int>& e, Scores scores, int64_t count) {
  if (count >= scores.of.length) return scores;
  const Keys keys = scores.keys();
  const Selected last = Select(e, keys, Rank<Int>(count - 1));
  scores.in = e.Map(scores.of.length, [=](const StepReads<Int>& r, int64_t i) {
    return Int(int64_t{last.Reaches(r, keys, i)});
  });
  return scores;
}

// The entries that a round keeps: an entry, or the number of entries where none is left, and its score.
struct Kept {
  Column score, entry;
};

// Rounds: each keeps the best entry that is left, which removes itself and those that it suppresses.
template <typename Int, typename Suppress>
std::vector<Kept> KeepBest(Expansion<Int>& e, const Scores& scores, int64_t rounds, Suppress suppresses) {
  std::vector<Kept> kept;
  Column left = scores.in;
  const Column of = scores.of;
  const Int least(scores.range.lo), out(int64_t{0});
  const int64_t n = left.length;
  for (int64_t round = 0; round < rounds; ++round) {
    Kept best;
    best.score = e.Fold(
        n, least, [=](const StepReads<Int>& r, int64_t i) { return r(left, i) == out ? least : r(of, i); },
        Greater<Int>);
    best.entry = e.FirstOf(n, [=](const StepReads<Int>& r, int64_t i) {
      return r(left, i) != out && r(of, i) == r(best.score);
    });
    kept.push_back(best);
    if (round + 1 == rounds) break;
    left = e.Map(n, [=](const StepReads<Int>& r, int64_t i) {
      const int64_t entry = r.Position(best.entry, 0, n + 1);
      if (entry == n || r(left, i) == out) return r(left, i);
      return i == entry || suppresses(r, i, entry) ? out : r(left, i);
    });
  }
  return kept;
}

}  // namespace tally::detection
