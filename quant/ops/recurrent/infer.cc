#include <algorithm>
#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "quant/ops/recurrent/recurrent_ops.h"

namespace tally::quant {
namespace {

absl::Status CheckShapeOf(std::string_view name, std::string_view operand, const Shape& shape,
                          const Shape& expected) {
  if (shape == expected) return absl::OkStatus();
  return BadShape(std::string(name) + ": " + std::string(operand) + " is " + ToString(shape) + ", not " +
                  ToString(expected));
}

struct Dims {
  Shape states;  // [T, D, B, H]
  Shape of_one;  // [D, B, H]
  int64_t num_directions, num_units;
};

// Those of x, W, R and bias, the lengths checked.
absl::StatusOr<Dims> CheckLayer(std::string_view name, const OperandTypes& operands,
                                const Sequences& sequences, int64_t gates) {
  const Shape &x = operands[0].shape, &w = operands[1].shape, &r = operands[2].shape;
  if (x.size() != 3 || w.size() != 3 || r.size() != 3) {
    return BadShape(std::string(name) + " takes x, W and R of rank 3, not " + ToString(x) + ", " +
                    ToString(w) + " and " + ToString(r));
  }
  const int64_t directions = sequences.direction == Direction::kBidirectional ? 2 : 1, units = r[2];
  RETURN_IF_ERROR(CheckShapeOf(name, "R", r, {directions, gates * units, units}));
  RETURN_IF_ERROR(CheckShapeOf(name, "W", w, {directions, gates * units, x[2]}));
  RETURN_IF_ERROR(CheckShapeOf(name, "bias", operands[3].shape, {directions, gates * units}));
  const std::vector<int64_t>& lengths = sequences.lengths;
  const bool fits =
      lengths.empty() ||
      (static_cast<int64_t>(lengths.size()) == x[1] &&
       std::ranges::all_of(lengths, [&](int64_t length) { return length >= 0 && length <= x[0]; }));
  if (!fits) {
    return BadAttribute(std::string(name) + ": there is no length from 0 to " + std::to_string(x[0]) +
                        " for each of " + std::to_string(x[1]) + " sequences");
  }
  return Dims{{x[0], directions, x[1], units}, {directions, x[1], units}, directions, units};
}

// The operands from `first` on are initial states, all of them or none.
absl::Status CheckInitialStates(std::string_view name, const OperandTypes& operands, size_t first,
                                size_t count, const Dims& dims) {
  if (operands.size() != first && operands.size() != first + count) {
    return MakeError(label::graph_operands,
                     std::string(name) + " does not take " + std::to_string(operands.size()) + " operands");
  }
  for (size_t i = first; i < operands.size(); ++i) {
    RETURN_IF_ERROR(CheckShapeOf(name, "an initial state", operands[i].shape, dims.of_one));
  }
  return absl::OkStatus();
}

absl::Status CheckGates(std::string_view name, Activation gates) {
  if (gates == Activation::kSigmoid || gates == Activation::kHardSigmoid) return absl::OkStatus();
  return BadAttribute(std::string(name) + ": a gate has an activation that leaves [0, 1]");
}

absl::Status CheckBounded(std::string_view name, Activation activation) {
  if (activation != Activation::kRelu) return absl::OkStatus();
  return BadAttribute(std::string(name) + ": an activation has no bound");
}

TypeResult Result(std::string_view name, const Sequences& sequences, const Dims& dims, bool has_cell) {
  if (sequences.result == SequenceResult::kFinalCell && !has_cell) {
    return BadAttribute(std::string(name) + " has no cell");
  }
  return ValueType{ElementType::kFloat32,
                   sequences.result == SequenceResult::kStates ? dims.states : dims.of_one};
}

}  // namespace

TypeResult Rnn::Infer(const OperandTypes& operands) const {
  ASSIGN_OR_RETURN(const Dims dims, CheckLayer("Rnn", operands, sequences, 1));
  RETURN_IF_ERROR(CheckInitialStates("Rnn", operands, 4, 1, dims));
  return Result("Rnn", sequences, dims, /*has_cell=*/false);
}

TypeResult Gru::Infer(const OperandTypes& operands) const {
  ASSIGN_OR_RETURN(const Dims dims, CheckLayer("Gru", operands, sequences, 3));
  RETURN_IF_ERROR(CheckInitialStates("Gru", operands, InitialState(), 1, dims));
  if (reset_after) {
    RETURN_IF_ERROR(CheckShapeOf("Gru", "bias_r", operands[4].shape, {dims.num_directions, dims.num_units}));
  }
  RETURN_IF_ERROR(CheckGates("Gru", gates));
  RETURN_IF_ERROR(CheckBounded("Gru", state));
  return Result("Gru", sequences, dims, /*has_cell=*/false);
}

TypeResult Lstm::Infer(const OperandTypes& operands) const {
  ASSIGN_OR_RETURN(const Dims dims, CheckLayer("Lstm", operands, sequences, 4));
  RETURN_IF_ERROR(CheckInitialStates("Lstm", operands, InitialState(), 2, dims));
  if (peephole) {
    RETURN_IF_ERROR(CheckShapeOf("Lstm", "P", operands[4].shape, {dims.num_directions, 3 * dims.num_units}));
  }
  RETURN_IF_ERROR(CheckGates("Lstm", gates));
  RETURN_IF_ERROR(CheckBounded("Lstm", input));
  RETURN_IF_ERROR(CheckBounded("Lstm", output));
  return Result("Lstm", sequences, dims, /*has_cell=*/true);
}

}  // namespace tally::quant
