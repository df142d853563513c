#include "frontends/onnx/exact/sources.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "ops/comparison/attrs.h"

namespace tally::onnx {
namespace {

constexpr int64_t kMostElements = 4096;  // the largest constant whose bounds are read
constexpr int kMostSteps = 64;           // most nodes looked at, as choices of choices double

bool IsZero(const Composition& c, Value value) { return c.interval(value) == Interval{0, 0}; }

// Which of x and y of select(condition, x, y) may be 0 by its interval, and is not where it is chosen.
bool ExcludesZero(const Composition& c, Value condition, Value chosen, Comparison where) {
  const Composition::Step* step = StepOf(c, condition);
  if (step == nullptr || step->op != Opcode::kCompare) return false;
  if (Unpack<CompareAttrs>(step->attributes).kind != where) return false;
  const Value a = step->operands[0], b = step->operands[1];
  return (a == chosen && IsZero(c, b)) || (b == chosen && IsZero(c, a));
}

bool IsNeverZero(const Composition& c, Value value, int& steps_left) {
  if (!c.interval(value).Contains(0)) return true;
  const Composition::Step* step = StepOf(c, value);
  if (step == nullptr || --steps_left < 0) return false;
  const auto is_never_zero = [&](Value operand) { return IsNeverZero(c, operand, steps_left); };
  if (step->op == Opcode::kSelect) {
    const Value condition = step->operands[0], x = step->operands[1], y = step->operands[2];
    return (ExcludesZero(c, condition, y, Comparison::kEqual) || is_never_zero(y)) &&
           (ExcludesZero(c, condition, x, Comparison::kNotEqual) || is_never_zero(x));
  }
  if (step->op == Opcode::kAbs || step->op == Opcode::kNegative) return is_never_zero(step->operands[0]);
  if (!MovesElements(*step) || step->op == Opcode::kConcatenate) return false;
  return is_never_zero(step->operands[0]);
}

// The same for a constant.
Interval ColumnOf(const TensorView& constant, int64_t column, int64_t columns) {
  Interval interval = {constant.at(column), constant.at(column)};
  for (int64_t i = column; i < constant.shape.num_elements(); i += columns) {
    interval = interval.Hull({constant.at(i), constant.at(i)});
  }
  return interval;
}

Interval IntervalOfColumn(const Composition& c, Value value, int64_t column, int64_t columns,
                          int& steps_left) {
  const Interval all = c.interval(value);
  const Shape& shape = c.shape(value);
  // A value that is broadcast along the axis has one bound for all.
  if (shape.rank() == 0 || shape[shape.rank() - 1] != columns || --steps_left < 0) return all;
  if (const TensorView* constant = c.constant(value)) {
    return constant->shape.num_elements() <= kMostElements ? ColumnOf(*constant, column, columns) : all;
  }
  const Composition::Step* step = StepOf(c, value);
  if (step == nullptr || (step->op != Opcode::kBroadcastMin && step->op != Opcode::kBroadcastMax)) return all;
  const Interval a = IntervalOfColumn(c, step->operands[0], column, columns, steps_left);
  const Interval b = IntervalOfColumn(c, step->operands[1], column, columns, steps_left);
  const bool is_min = step->op == Opcode::kBroadcastMin;
  return is_min ? Interval{std::min(a.lo, b.lo), std::min(a.hi, b.hi)}
                : Interval{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}

}  // namespace

// Values of later steps have larger numbers.
const Composition::Step* StepOf(const Composition& c, Value value) {
  const std::span<const Composition::Step> steps = c.steps();
  const auto after =
      std::ranges::upper_bound(steps, value.id, {}, [](const auto& s) { return s.first_result.id; });
  if (after == steps.begin()) return nullptr;
  const Composition::Step& step = *std::prev(after);
  return value.id < step.first_result.id + step.num_results ? &step : nullptr;
}

bool MovesElements(const Composition::Step& step) {
  switch (step.op) {
    case Opcode::kReshape:
    case Opcode::kFlatten:
    case Opcode::kExpandDims:
    case Opcode::kSqueeze:
    case Opcode::kTranspose:
    case Opcode::kConcatenate:
    case Opcode::kRepeat:
    case Opcode::kTile:
    case Opcode::kStridedSlice:
    case Opcode::kSliceLike:
    case Opcode::kBroadcastTo:
    case Opcode::kGather: return true;
    default: return false;
  }
}

Interval IntervalOfColumn(const Composition& c, Value value, int64_t column, int64_t columns) {
  int steps_left = kMostSteps;
  return IntervalOfColumn(c, value, column, columns, steps_left);
}

bool IsNeverZero(const Composition& c, Value value) {
  int steps_left = kMostSteps;
  return IsNeverZero(c, value, steps_left);
}

}  // namespace tally::onnx
