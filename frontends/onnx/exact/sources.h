// Where values of a composition come from: what is proven of them by more than their intervals.
//
//   if (!IsNeverZero(c, divisor)) return MakeError(...);
#pragma once

#include "ops/composition.h"

namespace tally::onnx {

// The step that writes `value`; null for inputs and constants.
const Composition::Step* StepOf(const Composition& c, Value value);

// Whether each element of the step's result is one of its operands, of the first one where it chooses by the
// others.
bool MovesElements(const Composition::Step& step);

// By its interval, or as a choice of 1, say, where it would be 0: select(b == 0, 1, b), and magnitudes and
// moves of such.
bool IsNeverZero(const Composition& c, Value value);

// The possible elements at index `column` of the last axis, which has `columns`: less than the interval of
// all, where each column has bounds of its own (min(x, {8, 2}), say).
Interval IntervalOfColumn(const Composition& c, Value value, int64_t column, int64_t columns);

}  // namespace tally::onnx
