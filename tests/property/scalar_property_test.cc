// Laws of the operators that compute each element on its own: elementwise, comparison, rescale.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "fuzz/generators/entropy_source.h"
#include "fuzz/generators/values.h"
#include "ops/testing/rule_tester.h"
#include "tests/property/random_module.h"

namespace tally {
namespace {

const std::vector<const OpInfo*>& ScalarOperators() {
  static const auto* const kOperators = [] {
    auto* const operators = new std::vector<const OpInfo*>;
    for (const OpInfo& op : AllOps()) {
      if (op.family == "elementwise" || op.family == "comparison" || op.family == "rescale")
        operators->push_back(&op);
    }
    return operators;
  }();
  return *kOperators;
}

// Half of the numbers are small, so that results differ.
int64_t DrawParameter(EntropySource& e, const Interval& range) {
  const Interval small = {std::max<int64_t>(range.lo, -4), std::min<int64_t>(range.hi, 4)};
  if (small.lo <= small.hi && e.OneIn(2)) return e.Between(small.lo, small.hi);
  return RandomValue(e, RandomInterval(e, range));
}

// Within the row's ranges; clamps are mostly wide, and their lower bound is below the upper one.
Attributes DrawAttributes(EntropySource& e, const OpInfo& op, int64_t operands) {
  Attributes attributes;
  for (const AttrSpec& spec : op.attributes) {
    AttrValue value(spec.kind == AttrKind::kList ? operands : 1);
    for (int64_t& v : value) {
      v = spec.kind == AttrKind::kEnum ? e.Between(spec.lo, spec.hi) : DrawParameter(e, {spec.lo, spec.hi});
    }
    const bool is_lo = spec.name == "lo" || spec.name == "a_min",
               is_hi = spec.name == "hi" || spec.name == "a_max";
    if (is_lo && !e.OneIn(4)) value = {spec.lo};
    if (is_hi && !e.OneIn(4)) value = {spec.hi};
    if (is_hi && attributes.back() > value) std::swap(attributes.back(), value);
    attributes.push_back(value);
  }
  return attributes;
}

bool Multiplies(Opcode op) {
  return op == Opcode::kBroadcastMul || op == Opcode::kMulshift || op == Opcode::kShiftLeft ||
         op == Opcode::kPower;
}

// The range of operand `i`: exponents and amounts are small, and so are most factors, so that products fit.
Interval DrawLimit(EntropySource& e, Opcode op, int64_t i) {
  const bool raises = op == Opcode::kPower || op == Opcode::kShiftLeft || op == Opcode::kShiftRight;
  if (raises && i == 1) return {0, e.Pick({4, 20, 62})};
  if (!Multiplies(op) || e.OneIn(8)) return TensorLimit(Profile::kCore);
  const int64_t bound = op == Opcode::kPower ? 31 : 1 << 23;
  return {-bound, bound};
}

// Multiplier, addend and shift of a rescale.
void AddRescaleParameters(EntropySource& e, OpCase& test) {
  const int64_t m = DrawParameter(e, {-(int64_t{1} << 31) + 1, (int64_t{1} << 31) - 1});
  const int64_t b = DrawParameter(e, TensorLimit(Profile::kCore));
  for (const int64_t parameter : {m, b, DrawParameter(e, {0, 62})})
    test.operands.push_back(Constant({1}, {parameter}));
}

int64_t DataOperands(EntropySource& e, const OpInfo& op) {
  return op.code == Opcode::kRescale ? 1 : e.Between(op.min_operands, op.max_operands);
}

// Data operands of shape [n] with the given intervals, then what else the operator takes.
OpCase CaseOf(EntropySource& e, const OpInfo& op, const std::vector<Interval>& intervals,
              const std::vector<std::vector<int64_t>>& values) {
  OpCase test = {.op = op.code, .operands = {}, .attributes = {}};
  for (size_t i = 0; i < intervals.size(); ++i) {
    const Shape shape = *Shape::Create({std::ssize(values[i])});
    test.operands.push_back({.tensor = *Tensor::FromValues(shape, values[i]), .interval = intervals[i]});
  }
  if (op.code == Opcode::kRescale) AddRescaleParameters(e, test);
  test.attributes = DrawAttributes(e, op, std::ssize(test.operands));
  return test;
}

// The refusals that the pages document: never reference_disagreement, by which RunOp reports a broken proof.
bool IsDocumented(const OpInfo& op, const std::string& label) {
  return label.empty() || label == "value_range" || label == "accumulator_range" ||
         label.starts_with(std::string(op.name) + "_c");
}

// RunOp computes over three integers and checks every value against the inferred interval.
RC_GTEST_PROP(ScalarLaws, ReferencesAgreeWithinTheProvenIntervals, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(512);
  EntropySource e(bytes);
  const OpInfo& op = *e.PickFrom(ScalarOperators());
  std::vector<Interval> intervals(DataOperands(e, op));
  std::vector<std::vector<int64_t>> values(intervals.size());
  for (size_t i = 0; i < intervals.size(); ++i) {
    intervals[i] = RandomInterval(e, DrawLimit(e, op.code, static_cast<int64_t>(i)));
    for (int n = 0; n < 8; ++n) values[i].push_back(RandomValue(e, intervals[i]));
  }
  const OpCase test = CaseOf(e, op, intervals, values);
  const std::string label = LabelOf(test);
  RC_TAG(std::string(op.name) + (label.empty() ? "" : ": " + label));
  RC_CLASSIFY(label.empty(), "accepted");
  RC_ASSERT(IsDocumented(op, label));
}

// The remainders of a varying divisor have a sound bound only.
bool HasAnExactInterval(const OpInfo& op, const std::vector<Interval>& intervals) {
  return op.code != Opcode::kModulo || intervals[1].lo == intervals[1].hi;
}

// With every combination of the values of small intervals, some combination reaches each end of the result's.
RC_GTEST_PROP(ScalarLaws, SomeInputReachesEachEndOfTheInterval, ()) {
  const std::vector<uint8_t> bytes = RandomBytes(256);
  EntropySource e(bytes);
  const OpInfo& op = *e.PickFrom(ScalarOperators());
  std::vector<Interval> intervals(DataOperands(e, op));
  std::vector<std::vector<int64_t>> values(intervals.size());
  const int64_t widest = intervals.size() == 1 ? 40 : intervals.size() == 2 ? 12 : 3;
  for (size_t i = 0; i < intervals.size(); ++i) {
    const Interval limit = DrawLimit(e, op.code, static_cast<int64_t>(i));
    int64_t lo = RandomValue(e, RandomInterval(e, limit));
    // Close to the first operand half of the time, where comparisons are open.
    if (i > 0 && e.OneIn(2)) lo = std::clamp(intervals[0].lo + e.Between(-4, 4), limit.lo, limit.hi);
    intervals[i] = {lo, std::min(lo + e.Between(0, widest), limit.hi)};
    // Each combination so far, with each value of this operand.
    const std::vector<std::vector<int64_t>> before(values.begin(), values.begin() + static_cast<int64_t>(i));
    for (size_t k = 0; k < i; ++k) values[k].clear();
    for (size_t n = 0; n < (i == 0 ? 1 : before[0].size()); ++n) {
      for (int64_t v = intervals[i].lo; v <= intervals[i].hi; ++v) {
        for (size_t k = 0; k < i; ++k) values[k].push_back(before[k][n]);
        values[i].push_back(v);
      }
    }
  }
  const auto outcome = RunOp(CaseOf(e, op, intervals, values));
  RC_TAG(std::string(op.name) + (outcome.ok() ? "" : ": " + ErrorLabel(outcome.status())));
  RC_CLASSIFY(outcome.ok(), "accepted");
  RC_ASSERT(IsDocumented(op, ErrorLabel(outcome.status())));
  if (!outcome.ok() || !HasAnExactInterval(op, intervals)) return;
  const auto [lo, hi] = std::minmax_element(outcome->values[0].begin(), outcome->values[0].end());
  RC_CLASSIFY(*lo != *hi, "more than one value");
  RC_ASSERT(outcome->types[0].interval == (Interval{*lo, *hi}));
}

}  // namespace
}  // namespace tally
