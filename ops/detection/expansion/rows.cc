// CVM's operators on rows of boxes.
#include "ops/detection/rows.h"

#include <algorithm>

#include "ops/detection/expansion/rounds.h"

namespace tally {

using detection::BestOf;
using detection::KeepBest;
using detection::Kept;
using detection::Rows;
using detection::Scores;

template <typename Int>
void ExpandGetValidCounts(Expansion<Int>& e) {
  const ReadContext& c = e.context();
  const Shape& x = c.shape(0);
  const int64_t rows = x[1], width = x[2], first = c.place()[0] * rows * width;
  const auto is_valid = [=, threshold = e.template attrs<GetValidCountsAttrs>().score_threshold](
                            const StepReads<Int>& r, int64_t n) {
    return r.operand(0)[first + n * width + 1] > Int(threshold);
  };
  // One by one: scores are as far apart as rows.
  const Column valid =
      e.Map(rows, [=](const StepReads<Int>& r, int64_t n) { return Int(int64_t{is_valid(r, n)}); });
  const auto counts = [valid](const StepReads<Int>& r, int64_t n) { return r(valid, n) != Int(int64_t{0}); };
  const Column count = e.SumOf(rows, counts);
  if (c.result == 0) return;
  const int64_t rank = c.place()[1], k = c.place()[2];
  const Column row =
      e.Bisect(rows, 0, rows - 1, Rank<Int>(rank),
               [=](const StepReads<Int>& r, int64_t n, const Int& t) { return Int(n) < t && counts(r, n); });
  e.One([=](const StepReads<Int>& r) {
    if (r(count) <= Int(rank)) return Int(int64_t{-1});
    return r.operand(0)[first + r.Position(row, 0, rows) * width + k];
  });
}
TALLY_EXPAND(GetValidCounts);

template <typename Int>
void ExpandNonMaxSuppression(Expansion<Int>& e) {
  const auto attrs = e.template attrs<NonMaxSuppressionAttrs>();
  const ReadContext& c = e.context();
  const int64_t b = c.place()[0], row = c.place()[1], k = c.place()[2], n = c.shape(0)[1];
  const Column score =
      e.Map(n, [b](const StepReads<Int>& r, int64_t i) { return Rows<Int>(r.operand(0), b).score(i); });
  const Column valid =
      e.Map(n, [b](const StepReads<Int>& r, int64_t i) { return Int(int64_t{Int(i) < r.operand(1)[b]}); });
  Scores scores = {score, valid, c.operands[0].interval};
  int64_t rounds = row + 1;
  if (attrs.max_output_size >= 0) rounds = std::min(rounds, attrs.max_output_size);
  if (attrs.top_k >= 0) rounds = std::min(rounds, attrs.top_k);
  if (rounds <= row) {
    e.One([](const StepReads<Int>&) { return Int(int64_t{-1}); });
    return;
  }
  if (attrs.top_k >= 0) scores = BestOf(e, scores, attrs.top_k);
  scores.in = e.Map(n, [b, in = scores.in](const StepReads<Int>& r, int64_t i) {
    return Rows<Int>(r.operand(0), b).id(i) < Int(int64_t{0}) ? Int(int64_t{0}) : r(in, i);
  });
  const auto suppresses = [=](const StepReads<Int>& r, int64_t p, int64_t q) {
    return Rows<Int>(r.operand(0), b).Suppress(p, q, attrs);
  };
  const Kept kept = KeepBest(e, scores, rounds, suppresses).back();
  e.One([=](const StepReads<Int>& r) {
    const int64_t entry = r.Position(kept.entry, 0, n + 1);
    return entry == n ? Int(int64_t{-1}) : Rows<Int>(r.operand(0), b).at(entry, k);
  });
}
TALLY_EXPAND(NonMaxSuppression);

}  // namespace tally
