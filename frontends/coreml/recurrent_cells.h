// Recurrent layers as Core ML defines them, step by step: what its activations, its coupled gates and its
// bounds of cells need, which the layers of all formats (frontends/graph/compositions/recurrent.h) do not
// have.
//
// Gates are in the order of those: i, o, f, c of an LSTM, z, r, n of a GRU, each bounded to 50.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/coreml/activations.h"
#include "frontends/graph/compositions/recurrent.h"

namespace tally::coreml {

struct RecurrentCells {
  Cell cell = Cell::kRnn;
  Operand x;                             // [T, B, I]
  Operand w, r;                          // [G H, I], [G H, H], constants
  std::optional<Operand> bias = {};      // [G H]
  std::optional<Operand> peephole = {};  // [3 H]
  std::optional<Operand> state = {},
                         start = {};  // h and c before the first step, [B, H]; zeros where left out
  std::vector<ActivationFunction> functions = {};
  bool is_reverse = false;
  bool is_coupled = false;  // the forget gate is 1 less the input gate
  float cell_bound = 50;
};

struct CellResults {
  std::vector<Operand> states;  // h [B, H] of each step, in the order of x
  Operand last_state;
  std::optional<Operand> last_cell = {};  // an LSTM has one
};

// Errors: model_too_large beyond kMostTrips steps, those of the graph.
absl::StatusOr<CellResults> StepByStep(Emitter& emitter, const RecurrentCells& layer);

}  // namespace tally::coreml
