// Recurrent layers step by step: functions, bounds, coupled gates and projections that the graph's own
// operators (recurrent.h) do not have.
//
//   const CellRules rules = {.functions = {{sigmoid, tanh, tanh}}, .sum_bound = 3};
//   ASSIGN_OR_RETURN(const std::vector<Walk> walks, StepByStep(emitter, layer, rules));
//   return WalkResult(emitter, layer, walks, quant::SequenceResult::kStates);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/compositions/recurrent.h"

namespace tally::frontend {

using CellFunction = std::function<absl::StatusOr<Operand>(Emitter&, const Operand&)>;

CellFunction FunctionOf(quant::Activation activation);
// Whether the graph has an operator with these functions of one direction: gates between 0 and 1, and a state
// of gates with a bound.
bool HasOperator(Cell cell, std::span<const quant::Activation> functions);

struct CellRules {
  // For each direction: as many as `activations` of a layer, which are not read.
  std::vector<std::vector<CellFunction>> functions = {};
  std::optional<float> sum_bound = {};   // clips the sums that functions of gates and of the state take
  std::optional<float> cell_bound = {};  // an LSTM's cell is clipped to it
  bool is_coupled = false;               // an LSTM's forget gate is 1 less its input gate
  // [D, P, H], a constant: the state is projected to P numbers, so that r is [D, G H, P].
  std::optional<Operand> projection = {};
};

// One direction.
struct Walk {
  std::vector<Operand> states;  // h [B, H] after each step, in the order of x; [B, P] with a projection
  Operand last_state;
  std::optional<Operand> last_cell = {};  // c [B, H] of an LSTM
};

// A walk for each direction. Errors: model_too_large beyond kMostTrips steps; model_unsupported_attribute for
// lengths of sequences; those of RecurrentOperands.
absl::StatusOr<std::vector<Walk>> StepByStep(Emitter& emitter, const RecurrentLayer& layer,
                                             const CellRules& rules);

// As RecurrentResult.
absl::StatusOr<Operand> WalkResult(Emitter& emitter, const RecurrentLayer& layer,
                                   const std::vector<Walk>& walks, quant::SequenceResult result);

}  // namespace tally::frontend
