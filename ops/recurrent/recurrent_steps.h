// The loop of the references over the steps of sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/recurrent/recurrent_cells.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/reference.h"

namespace tally::recurrent {

// Whether an element of a result is wanted that belongs to this sequence: y [T, D, B, P], and the last states
// [D, B, ..].
template <typename Int>
bool WantsSequence(const ReferenceContext<Int>& c, const RecurrentDims& dims, int64_t d, int64_t b) {
  if (c.Wants(0) && c.Wants(1)) return true;
  const int64_t sequence = d * dims.batch + b, sequences = dims.directions * dims.batch;
  for (size_t r = 1; r < c.results.size(); ++r) {
    const int64_t width = c.results[r].size() / sequences;
    if (c.WantsOf(static_cast<int>(r), sequence * width, width)) return true;
  }
  for (int64_t t = 0; t < dims.steps; ++t) {
    if (c.WantsOf(0, (t * sequences + sequence) * dims.states, dims.states)) return true;
  }
  return false;
}

// Every sequence of every direction from its first step to its last: `step` turns the states of one step into
// those of the next. `states` are as many as `finals`, the results after y that take the last of each; the
// first is h.
template <typename Int, typename StepFn>
void ForEachStep(const ReferenceContext<Int>& c, const RnnAttrs& attrs, const RecurrentDims& dims,
                 std::vector<int> initial, int lengths, StepFn step) {
  for (int64_t d = 0; d < dims.directions; ++d) {
    const bool reverse = attrs.direction == Direction::kReverse || d == 1;
    for (int64_t b = 0; b < dims.batch; ++b) {
      if (!WantsSequence(c, dims, d, b)) continue;
      std::vector<std::vector<Int>> states;
      for (size_t k = 0; k < initial.size(); ++k) {
        const int64_t width = c.results[k + 1].size() / (dims.directions * dims.batch);
        std::vector<Int>& state = states.emplace_back(width, Int(int64_t{0}));
        for (int64_t i = 0; i < width && initial[k] >= 0; ++i) {
          state[i] = c.operands[initial[k]][(d * dims.batch + b) * width + i];
        }
      }
      const auto y = [&](int64_t t, int64_t i) {
        return ((t * dims.directions + d) * dims.batch + b) * dims.states + i;
      };
      const int64_t length = lengths < 0 ? dims.steps : static_cast<int64_t>(c.operands[lengths][b]);
      for (int64_t n = 0; n < dims.steps; ++n) {
        // Behind its end a sequence has zeros.
        const int64_t t = n < length && reverse ? length - 1 - n : n;
        if (n < length) step(Step{d, t, b}, states);
        for (int64_t i = 0; i < dims.states; ++i) {
          c.results[0].Set(y(t, i), n < length ? states[0][i] : Int(int64_t{0}));
        }
      }
      for (size_t k = 0; k < states.size(); ++k) {
        const auto width = std::ssize(states[k]);
        for (int64_t i = 0; i < width; ++i) {
          c.results[k + 1].Set((d * dims.batch + b) * width + i, states[k][i]);
        }
      }
    }
  }
}

}  // namespace tally::recurrent
