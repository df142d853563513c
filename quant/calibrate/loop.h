// States: results of a network that are inputs of its next sample.
//
//   const Loop loop = {.states = {{.output = 1, .input = 1}}};  // "stateN" is "state" of the sample after it
//   loop.Continues(0);                                         // false: sample 0 has the first state
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally::quant {

// By their places among the outputs and the inputs.
struct State {
  size_t output = 0, input = 0;
};

struct Loop {
  std::vector<State> states;
  int64_t length =
      0;              // samples of a sequence, after which states begin anew; 0: all samples are one sequence
  int64_t first = 0;  // the number of what is called sample 0

  // Whether `sample` has the states that the one before it left.
  bool Continues(int64_t sample) const {
    const int64_t number = first + sample;
    return !states.empty() && number > 0 && (length == 0 || number % length != 0);
  }
  // The same loop, for samples that are counted from `sample` on.
  Loop From(int64_t sample) const { return {states, length, first + sample}; }
};

}  // namespace tally::quant
