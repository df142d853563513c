#include "frontends/graph/compositions/recurrent_cells.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/arithmetic.h"
#include "frontends/graph/compositions/control.h"
#include "frontends/graph/compositions/layout.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

using quant::Activation;
using quant::SequenceResult;
using quant::Shape;

// The tensors of one direction, without its axis.
struct CellTensors {
  Operand x;           // [T, B, I]
  Operand w, r, bias;  // [G H, I], [G H, P], [G H]
  std::optional<Operand> reset_bias, peephole, state, cell, projection;
};

class CellWalk {
 public:
  CellWalk(Emitter& emitter, const RecurrentLayer& layer, const CellRules& rules, CellTensors tensors,
           const std::vector<CellFunction>& functions)
      : emitter_(emitter),
        layer_(layer),
        rules_(rules),
        of_(std::move(tensors)),
        functions_(functions),
        units_(layer.units()) {}

  absl::StatusOr<Walk> All(bool is_reverse) {
    const Shape shape = of_.x.shape();
    const int64_t steps = shape[0], batch = shape[1];
    ASSIGN_OR_RETURN(const Operand rows,
                     emitter_.Emit(quant::Reshape{{steps * batch, shape[2]}}, {of_.x}, "rows"));
    ASSIGN_OR_RETURN(const Operand inputs, DenseLayer(emitter_, rows, of_.w, of_.bias));
    ASSIGN_OR_RETURN(h_, StartOf(of_.state, {batch, layer_.state_units()}));
    if (layer_.cell == Cell::kLstm) {
      ASSIGN_OR_RETURN(c_, StartOf(of_.cell, {batch, units_}));
    }
    Walk walk = {.states = std::vector<Operand>(static_cast<size_t>(steps))};
    for (int64_t n = 0; n < steps; ++n) {
      const int64_t t = is_reverse ? steps - 1 - n : n;
      ASSIGN_OR_RETURN(const Operand of_x, Part(emitter_, inputs, 0, t * batch, (t + 1) * batch, "of_x"));
      RETURN_IF_ERROR(layer_.cell == Cell::kRnn   ? Simple(of_x)
                      : layer_.cell == Cell::kGru ? Gated(of_x)
                                                  : LongShort(of_x));
      if (of_.projection.has_value()) {
        ASSIGN_OR_RETURN(h_, DenseLayer(emitter_, h_, *of_.projection, std::nullopt));
      }
      walk.states[static_cast<size_t>(t)] = h_;
    }
    walk.last_state = h_;
    if (layer_.cell == Cell::kLstm) walk.last_cell = c_;
    return walk;
  }

 private:
  absl::StatusOr<Operand> StartOf(const std::optional<Operand>& given, Shape shape) {
    if (given.has_value()) return *given;
    ASSIGN_OR_RETURN(const Operand zero, emitter_.NewConstant(0.0f, "zero"));
    return emitter_.Emit(quant::Expand{std::move(shape)}, {zero}, "zeros");
  }

  // Gate `index` of sums of all.
  absl::StatusOr<Operand> Of(const Operand& sums, int64_t index) {
    return Part(emitter_, sums, 1, index * units_, (index + 1) * units_, "gate");
  }
  absl::StatusOr<Operand> Gate(Operand sum, size_t function) {
    if (rules_.sum_bound.has_value()) {
      ASSIGN_OR_RETURN(sum, Clip(emitter_, sum, -*rules_.sum_bound, *rules_.sum_bound));
    }
    return functions_[function](emitter_, sum);
  }
  absl::StatusOr<Operand> Complement(const Operand& gate) {
    ASSIGN_OR_RETURN(const Operand one, emitter_.NewConstant(1.0f, "one"));
    return Difference(emitter_, one, gate);
  }

  absl::Status Simple(const Operand& of_x) {
    ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, of_.r, std::nullopt));
    ASSIGN_OR_RETURN(const Operand sum, Sum(emitter_, of_x, of_h));
    ASSIGN_OR_RETURN(h_, Gate(sum, 0));
    return absl::OkStatus();
  }

  // The part of the former state that the new one reads, through the reset gate r.
  absl::StatusOr<Operand> Reset(const Operand& r, const Operand& weight) {
    if (layer_.reset_after) {
      ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, weight, of_.reset_bias));
      return Product(emitter_, of_h, r);
    }
    ASSIGN_OR_RETURN(const Operand reset, Product(emitter_, h_, r));
    return DenseLayer(emitter_, reset, weight, std::nullopt);
  }

  absl::Status Gated(const Operand& of_x) {
    ASSIGN_OR_RETURN(const Operand both, Part(emitter_, of_.r, 0, 0, 2 * units_, "r_of_gates"));
    ASSIGN_OR_RETURN(const Operand fresh, Part(emitter_, of_.r, 0, 2 * units_, 3 * units_, "r_of_state"));
    ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, both, std::nullopt));
    ASSIGN_OR_RETURN(const Operand x_gates, Part(emitter_, of_x, 1, 0, 2 * units_, "x_gates"));
    ASSIGN_OR_RETURN(const Operand sums, Sum(emitter_, x_gates, of_h));
    ASSIGN_OR_RETURN(const Operand z_sum, Of(sums, 0));
    ASSIGN_OR_RETURN(const Operand r_sum, Of(sums, 1));
    ASSIGN_OR_RETURN(const Operand z, Gate(z_sum, 0));
    ASSIGN_OR_RETURN(const Operand r, Gate(r_sum, 0));
    ASSIGN_OR_RETURN(const Operand of_reset, Reset(r, fresh));
    ASSIGN_OR_RETURN(const Operand x_state, Of(of_x, 2));
    ASSIGN_OR_RETURN(const Operand n_sum, Sum(emitter_, x_state, of_reset));
    ASSIGN_OR_RETURN(const Operand n, Gate(n_sum, 1));
    ASSIGN_OR_RETURN(const Operand rest, Complement(z));
    ASSIGN_OR_RETURN(const Operand kept, Product(emitter_, z, h_));
    ASSIGN_OR_RETURN(const Operand added, Product(emitter_, rest, n));
    ASSIGN_OR_RETURN(h_, Sum(emitter_, added, kept));
    return absl::OkStatus();
  }

  // A gate of an LSTM, with what its peephole sees of a cell: i, o and f are the first three.
  absl::StatusOr<Operand> Peeping(const Operand& sums, int64_t index, const Operand& cell) {
    ASSIGN_OR_RETURN(Operand sum, Of(sums, index));
    if (of_.peephole.has_value()) {
      ASSIGN_OR_RETURN(const Operand p,
                       Part(emitter_, *of_.peephole, 0, index * units_, (index + 1) * units_, "peephole"));
      ASSIGN_OR_RETURN(const Operand seen, Product(emitter_, cell, p));
      ASSIGN_OR_RETURN(sum, Sum(emitter_, sum, seen));
    }
    return Gate(std::move(sum), 0);
  }

  absl::Status LongShort(const Operand& of_x) {
    ASSIGN_OR_RETURN(const Operand of_h, DenseLayer(emitter_, h_, of_.r, std::nullopt));
    ASSIGN_OR_RETURN(const Operand sums, Sum(emitter_, of_x, of_h));
    ASSIGN_OR_RETURN(const Operand i, Peeping(sums, 0, c_));
    ASSIGN_OR_RETURN(const Operand f, rules_.is_coupled ? Complement(i) : Peeping(sums, 2, c_));
    ASSIGN_OR_RETURN(const Operand z_sum, Of(sums, 3));
    ASSIGN_OR_RETURN(const Operand z, Gate(z_sum, 1));
    ASSIGN_OR_RETURN(const Operand kept, Product(emitter_, c_, f));
    ASSIGN_OR_RETURN(const Operand added, Product(emitter_, i, z));
    ASSIGN_OR_RETURN(c_, Sum(emitter_, kept, added));
    if (rules_.cell_bound.has_value()) {
      ASSIGN_OR_RETURN(c_, Clip(emitter_, c_, -*rules_.cell_bound, *rules_.cell_bound));
    }
    ASSIGN_OR_RETURN(const Operand o, Peeping(sums, 1, c_));
    ASSIGN_OR_RETURN(const Operand bent, functions_[2](emitter_, c_));
    ASSIGN_OR_RETURN(h_, Product(emitter_, bent, o));
    return absl::OkStatus();
  }

  Emitter& emitter_;
  const RecurrentLayer& layer_;
  const CellRules& rules_;
  const CellTensors of_;
  const std::vector<CellFunction>& functions_;
  const int64_t units_;
  Operand h_, c_;
};

// all[d] of a tensor whose first axis is that of directions.
absl::StatusOr<Operand> OfDirection(Emitter& emitter, const Operand& all, int64_t d) {
  ASSIGN_OR_RETURN(const Operand one, Part(emitter, all, 0, d, d + 1, "direction"));
  return emitter.Emit(quant::Reshape{Shape(all.shape().begin() + 1, all.shape().end())}, {one},
                      "of_direction");
}

// The operands of RecurrentOperands, in its order.
absl::StatusOr<CellTensors> TensorsOf(Emitter& emitter, const RecurrentLayer& layer, const CellRules& rules,
                                      const std::vector<Operand>& operands, int64_t d) {
  CellTensors tensors = {.x = operands[0]};
  size_t next = 1;
  const auto take = [&]() { return OfDirection(emitter, operands[next++], d); };
  ASSIGN_OR_RETURN(tensors.w, take());
  ASSIGN_OR_RETURN(tensors.r, take());
  ASSIGN_OR_RETURN(tensors.bias, take());
  if (layer.cell == Cell::kGru && layer.reset_after) {
    ASSIGN_OR_RETURN(tensors.reset_bias, take());
  }
  if (layer.peephole.has_value()) {
    ASSIGN_OR_RETURN(tensors.peephole, take());
  }
  if (next < operands.size()) {
    ASSIGN_OR_RETURN(tensors.state, take());
    if (layer.cell == Cell::kLstm) {
      ASSIGN_OR_RETURN(tensors.cell, take());
    }
  }
  if (rules.projection.has_value()) {
    ASSIGN_OR_RETURN(tensors.projection, OfDirection(emitter, *rules.projection, d));
  }
  return tensors;
}

}  // namespace

CellFunction FunctionOf(Activation activation) {
  return [activation](Emitter& emitter, const Operand& x) -> absl::StatusOr<Operand> {
    switch (activation) {
      case Activation::kRelu: return emitter.Emit(quant::Relu{}, {x}, "bent");
      case Activation::kTanh: return emitter.Emit(quant::Unary{RecipeFunction::kTanh}, {x}, "bent");
      case Activation::kHardSigmoid:
        return emitter.Emit(quant::Unary{RecipeFunction::kHardSigmoid, 0.2f, 0.5f}, {x}, "bent");
      case Activation::kSigmoid: break;
    }
    return emitter.Emit(quant::Unary{RecipeFunction::kSigmoid}, {x}, "bent");
  };
}

bool HasOperator(Cell cell, std::span<const Activation> functions) {
  if (cell == Cell::kRnn) return true;
  return functions[0] != Activation::kTanh &&
         std::ranges::find(functions, Activation::kRelu) == functions.end();
}

absl::StatusOr<std::vector<Walk>> StepByStep(Emitter& emitter, const RecurrentLayer& layer,
                                             const CellRules& rules) {
  if (!layer.sequences.lengths.empty())
    return MakeError(label::model_unsupported_attribute,
                     "sequences that are shorter than x are not imported with these functions or bounds");
  ASSIGN_OR_RETURN(const std::vector<Operand> operands, RecurrentOperands(emitter, layer));
  const int64_t steps = operands[0].shape()[0];
  if (steps > kMostTrips) {
    return MakeError(label::model_too_large, "it has " + std::to_string(steps) + " steps, and at most " +
                                                 std::to_string(kMostTrips) + " are unrolled");
  }
  std::vector<Walk> walks;
  for (int64_t d = 0; d < layer.directions(); ++d) {
    ASSIGN_OR_RETURN(CellTensors tensors, TensorsOf(emitter, layer, rules, operands, d));
    CellWalk walk(emitter, layer, rules, std::move(tensors), rules.functions[static_cast<size_t>(d)]);
    ASSIGN_OR_RETURN(walks.emplace_back(),
                     walk.All(d == 1 || layer.sequences.direction == Direction::kReverse));
  }
  return walks;
}

absl::StatusOr<Operand> WalkResult(Emitter& emitter, const RecurrentLayer& layer,
                                   const std::vector<Walk>& walks, SequenceResult result) {
  std::vector<Operand> parts;  // [D, B, H] of one step
  const auto add = [&](const auto& of_walk) -> absl::Status {
    std::vector<Operand> each;
    for (const Walk& walk : walks) each.push_back(of_walk(walk));
    ASSIGN_OR_RETURN(parts.emplace_back(), Stacked(emitter, each));
    return absl::OkStatus();
  };
  switch (result) {
    case SequenceResult::kStates:
      for (size_t t = 0; t < walks[0].states.size(); ++t)
        RETURN_IF_ERROR(add([t](const Walk& walk) { return walk.states[t]; }));
      break;
    case SequenceResult::kFinalState:
      RETURN_IF_ERROR(add([](const Walk& walk) { return walk.last_state; }));
      break;
    case SequenceResult::kFinalCell:
      RETURN_IF_ERROR(add([](const Walk& walk) { return *walk.last_cell; }));
      break;
  }
  Operand y = parts[0];
  if (result == SequenceResult::kStates) {
    ASSIGN_OR_RETURN(y, Stacked(emitter, parts));
  }
  return InOrderOfLayer(emitter, layer, y, result);
}

}  // namespace tally::frontend
