// Checks and bounds that the recurrent type rules share. Labels are those of C1 to C9, which the operators
// have in common (ops/recurrent/spec.md).
#pragma once

#include <array>

#include "base/error.h"
#include "ops/infer.h"
#include "ops/recurrent/recurrent_shape.h"

namespace tally {

using RecurrentLabels = std::array<Label, 9>;

struct RecurrentForm {
  int gates;
  int tables;
  bool has_cell;
};

// C1 to C8 and the dims.
absl::StatusOr<recurrent::RecurrentDims> CheckRecurrent(const InferContext& c, const RnnAttrs& attrs,
                                                        const recurrent::OptionalOperands& at,
                                                        const RecurrentForm& form,
                                                        const RecurrentLabels& labels);

// Whether operand i is a constant of this shape.
bool IsConstantOf(const InferContext& c, int i, std::initializer_list<int64_t> dims);

// Bounds of W x and R h, every partial sum of which is in `accumulator`, and of a gate before its shift: C9
// is that it can be rounded, with `more` added to its magnitude and `scale` multiplying all of it.
struct GateBounds {
  WideInterval accumulator;
  Int128 input;  // |(W x) * m_x + b|
  Int128 state;  // |(R h) * m_h|
};
GateBounds BoundGates(const InferContext& c, const recurrent::RecurrentDims& dims, const WideInterval& state);

// The accumulator, y and the last h, whose elements are in `state`.
absl::Status AddSequences(const InferContext& c, const RnnAttrs& attrs, const recurrent::OptionalOperands& at,
                          const recurrent::RecurrentDims& dims, const WideInterval& accumulator,
                          const WideInterval& state, Inferred* out);

}  // namespace tally
