// Laws of the operators that move, gather, scatter and order elements.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/gather/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/sort/attrs.h"
#include "ops/testing/rule_tester.h"

namespace tally {
namespace {

using Ints = std::vector<int64_t>;

int64_t Draw(int64_t lo, int64_t hi) { return *rc::gen::inRange(lo, hi + 1); }

Ints DrawInts(int64_t n, int64_t lo, int64_t hi) {
  return *rc::gen::container<Ints>(n, rc::gen::inRange(lo, hi + 1));
}

Ints DrawPermutation(int64_t n) {
  Ints order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) std::swap(order[i], order[Draw(0, i)]);
  return order;
}

// Every use also demands that the three integers agree and that results are in their intervals.
template <typename Attrs>
std::vector<Ints> Run(Opcode op, std::vector<TestOperand> operands, const Attrs& attrs) {
  const auto y = RunOp({.op = op, .operands = std::move(operands), .attributes = Pack(attrs)});
  RC_ASSERT(y.ok());
  return y->values;
}

bool HasTies(Ints x) {
  std::sort(x.begin(), x.end());
  return std::adjacent_find(x.begin(), x.end()) != x.end();
}

RC_GTEST_PROP(SortLaws, SortIsAnOrderedPermutationThatArgSortAndTopKShare, ()) {
  const int64_t n = Draw(1, 12), spread = Draw(0, 12), k = Draw(1, n);
  const bool descending = *rc::gen::arbitrary<bool>();
  const Ints x = DrawInts(n, -spread, spread);
  RC_CLASSIFY(HasTies(x), "ties");
  RC_CLASSIFY(descending, "descending");
  const TestOperand operand = Values({n}, x);
  const Ints sorted = Run(Opcode::kSort, {operand}, SortAttrs{0, descending})[0];
  const Ints order = Run(Opcode::kArgSort, {operand}, SortAttrs{0, descending})[0];
  RC_ASSERT(std::is_permutation(sorted.begin(), sorted.end(), x.begin()));
  for (int64_t i = 0; i < n; ++i) {
    RC_ASSERT(x[order[i]] == sorted[i]);
    if (i == 0) continue;
    RC_ASSERT((descending ? sorted[i - 1] >= sorted[i] : sorted[i - 1] <= sorted[i]));
    RC_ASSERT((sorted[i - 1] != sorted[i] || order[i - 1] < order[i]));
  }
  const auto top = Run(Opcode::kTopK, {operand}, TopKAttrs{.k = k, .largest = descending});
  RC_ASSERT(top[0] == Ints(sorted.begin(), sorted.begin() + k));
  RC_ASSERT(top[1] == Ints(order.begin(), order.begin() + k));
}

RC_GTEST_PROP(SortLaws, UniqueAccountsForEveryElement, ()) {
  const int64_t n = Draw(1, 12), bound = Draw(1, 14);
  const bool sorted = *rc::gen::arbitrary<bool>();
  const Ints x = DrawInts(n, -3, 3);
  const auto y = Run(Opcode::kUnique, {Values({n}, x)}, UniqueAttrs{.sorted = sorted, .bound = bound});
  const Ints &values = y[0], &first = y[1], &inverse = y[2], &counts = y[3];
  const int64_t number = y[4][0], shown = std::min(number, bound);
  RC_CLASSIFY(number > bound, "more than the bound");
  RC_CLASSIFY(number < bound, "padded");
  for (int64_t i = 0; i < n; ++i) RC_ASSERT((inverse[i] >= bound || values[inverse[i]] == x[i]));
  for (int64_t r = 0; r < shown; ++r) {
    RC_ASSERT(x[first[r]] == values[r]);
    RC_ASSERT(std::find(x.begin(), x.end(), values[r]) == x.begin() + first[r]);
    RC_ASSERT(counts[r] == std::count(x.begin(), x.end(), values[r]));
    RC_ASSERT((r == 0 || (sorted ? values[r - 1] < values[r] : first[r - 1] < first[r])));
  }
  RC_ASSERT((number > bound || std::accumulate(counts.begin(), counts.end(), int64_t{0}) == n));
}

RC_GTEST_PROP(GatherLaws, GatherReadsWhatScatterWrote, ()) {
  const int64_t n = Draw(1, 6), m = Draw(1, n), inner = Draw(1, 3);
  Ints places = DrawPermutation(n);
  places.resize(m);
  for (int64_t& place : places) place -= *rc::gen::arbitrary<bool>() ? n : 0;
  const TestOperand x = Values({n, inner}, DrawInts(n * inner, -9, 9)), indices = Values({m}, places);
  const Ints written = DrawInts(m * inner, -9, 9);
  const TestOperand updates = Values({m, inner}, written);
  const Ints y = Run(Opcode::kScatter, {x, indices, updates}, ScatterAttrs{})[0];
  RC_ASSERT(Run(Opcode::kGather, {Values({n, inner}, y), indices}, GatherAttrs{})[0] == written);
  // The other forms of the same update, in their own indices.
  const TestOperand rows = Values({m, 1}, places);
  RC_ASSERT(Run(Opcode::kScatterNd, {x, rows, updates}, ScatterNdAttrs{})[0] == y);
  Ints repeated;
  for (const int64_t place : places) repeated.insert(repeated.end(), inner, place);
  const TestOperand each = Values({m, inner}, repeated);
  RC_ASSERT(Run(Opcode::kScatterElements, {x, each, updates}, ScatterAttrs{})[0] == y);
  RC_ASSERT(Run(Opcode::kGatherElements, {Values({n, inner}, y), each}, GatherAttrs{})[0] == written);
  RC_ASSERT(Run(Opcode::kGatherNd, {Values({n, inner}, y), rows}, GatherNdAttrs{})[0] == written);
}

RC_GTEST_PROP(GatherLaws, ReductionsOfScatterDoNotDependOnTheOrder, ()) {
  const int64_t n = Draw(1, 4), m = Draw(1, 6);
  const auto kind = static_cast<ScatterKind>(Draw(1, 5));
  const Ints places = DrawInts(m, -n - 1, n), values = DrawInts(m, -5, 5), order = DrawPermutation(m);
  RC_CLASSIFY(HasTies(places), "duplicates");
  RC_CLASSIFY(std::count_if(places.begin(), places.end(), [&](int64_t p) { return p < -n || p >= n; }) > 0,
              "dropped updates");
  Ints places_permuted, values_permuted;
  for (const int64_t i : order) {
    places_permuted.push_back(places[i]);
    values_permuted.push_back(values[i]);
  }
  const TestOperand x = Values({n}, DrawInts(n, -9, 9));
  const ScatterAttrs attrs = {.kind = kind};
  RC_ASSERT(Run(Opcode::kScatter, {x, Values({m}, places), Values({m}, values)}, attrs) ==
            Run(Opcode::kScatter, {x, Values({m}, places_permuted), Values({m}, values_permuted)}, attrs));
}

RC_GTEST_PROP(GatherLaws, CompactAndItsComplementHoldEverything, ()) {
  const int64_t n = Draw(1, 8);
  const Ints x = DrawInts(n, 0, 100);
  Ints mask = DrawInts(n, 0, 1), other;
  for (const int64_t bit : mask) other.push_back(1 - bit);
  const CompactAttrs attrs = {.bound = n, .value = -1};
  const auto kept = Run(Opcode::kCompact, {Values({n}, x), Values({n}, mask, {0, 1})}, attrs);
  const auto left = Run(Opcode::kCompact, {Values({n}, x), Values({n}, other, {0, 1})}, attrs);
  const int64_t count = kept[1][0];
  RC_CLASSIFY(count == 0 || count == n, "all or nothing");
  RC_ASSERT(count + left[1][0] == n);
  Ints both(kept[0].begin(), kept[0].begin() + count);
  both.insert(both.end(), left[0].begin(), left[0].begin() + (n - count));
  RC_ASSERT(std::is_permutation(both.begin(), both.end(), x.begin()));
  RC_ASSERT(std::count(kept[0].begin(), kept[0].end(), -1) == n - count);
}

RC_GTEST_PROP(LayoutLaws, CroppingUndoesPadding, ()) {
  const int64_t rows = Draw(1, 3), columns = Draw(1, 4);
  const auto mode = static_cast<PadMode>(Draw(0, 4));
  const Ints x = DrawInts(rows * columns, -9, 9), before = DrawInts(2, 0, 9), after = DrawInts(2, 0, 9);
  RC_CLASSIFY(before[0] > rows || after[1] > columns, "beyond the dim");
  const Ints padded = Run(Opcode::kPad, {Values({rows, columns}, x)}, PadAttrs{before, after, 0, mode})[0];
  const int64_t height = before[0] + rows + after[0], width = before[1] + columns + after[1];
  const StridedSliceAttrs inside = {
      .begin = before, .end = {before[0] + rows, before[1] + columns}, .stride = {}};
  RC_ASSERT(Run(Opcode::kStridedSlice, {Values({height, width}, padded)}, inside)[0] == x);
}

RC_GTEST_PROP(LayoutLaws, ReverseSequenceIsItsOwnInverse, ()) {
  const int64_t batch = Draw(1, 3), time = Draw(1, 5);
  const Ints x = DrawInts(batch * time, -9, 9);
  const TestOperand lengths = Values({batch}, DrawInts(batch, -1, time + 1));
  const ReverseSequenceAttrs attrs;
  const Ints once = Run(Opcode::kReverseSequence, {Values({batch, time}, x), lengths}, attrs)[0];
  RC_ASSERT(Run(Opcode::kReverseSequence, {Values({batch, time}, once), lengths}, attrs)[0] == x);
}

RC_GTEST_PROP(ReductionLaws, CumulativeSumsDifferByTheirElement, ()) {
  const int64_t n = Draw(1, 8);
  const bool reverse = *rc::gen::arbitrary<bool>();
  const Ints x = DrawInts(n, -99, 99);
  const Ints with = Run(Opcode::kCumulativeSum, {Values({n}, x)}, CumulativeSumAttrs{0, false, reverse})[0];
  const Ints without = Run(Opcode::kCumulativeSum, {Values({n}, x)}, CumulativeSumAttrs{0, true, reverse})[0];
  for (int64_t i = 0; i < n; ++i) RC_ASSERT(with[i] - without[i] == x[i]);
  RC_ASSERT(with[reverse ? 0 : n - 1] == std::accumulate(x.begin(), x.end(), int64_t{0}));
}

}  // namespace
}  // namespace tally
