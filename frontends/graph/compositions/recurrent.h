// RNN, GRU and LSTM layers: T steps of B sequences, with I inputs, H units and D directions.
//
//   RecurrentLayer layer = {.cell = Cell::kLstm, .x = x, .w = w, .r = r, .activations = {sigmoid, tanh, tanh}};
//   ASSIGN_OR_RETURN(const std::vector<Operand> operands, RecurrentOperands(emitter, layer));
//   return RecurrentResult(emitter, layer, operands, quant::SequenceResult::kStates);
//
// Gates are in the graph's order, i o f c of an LSTM and z r n of a GRU, the rows of one after those of
// another; WithGatesInOrder brings those of another format into it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

enum class Cell { kRnn, kGru, kLstm };

constexpr int64_t GatesOf(Cell cell) { return cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 3 : 4; }

struct RecurrentLayer {
  Cell cell = Cell::kRnn;
  Operand x;     // [T, B, I], or [B, T, I] where `by_batch`
  Operand w, r;  // [D, G H, I], [D, G H, H], constants
  // [D, G H]; zeros where left out.
  std::optional<quant::FloatTensor> x_bias = {}, h_bias = {};
  std::optional<Operand> peephole = {};  // [D, 3 H], of an LSTM
  // The hidden state and, of an LSTM, the cell, [D, B, H], or [B, D, H] where `by_batch`; zeros where left
  // out.
  std::optional<Operand> initial_state = {}, initial_cell = {};
  quant::Sequences sequences = {};
  // An RNN: of the state; a GRU: of gates and state; an LSTM: of gates, input and output.
  std::vector<quant::Activation> activations = {};
  bool reset_after = false;  // a GRU's reset gate multiplies R h with its bias
  bool by_batch = false;     // batch comes before steps, also in results

  int64_t directions() const { return sequences.direction == Direction::kBidirectional ? 2 : 1; }
  int64_t units() const { return r.shape()[1] / GatesOf(cell); }
  int64_t state_units() const { return r.shape()[2]; }  // others where the state is projected
};

// The operands of the layer's nodes. Errors: model_shape, model_too_large.
absl::StatusOr<std::vector<Operand>> RecurrentOperands(Emitter& emitter, const RecurrentLayer& layer);

// [T, D, B, H] or [D, B, H]; [B, T, D, H] or [B, D, H] where the layer is `by_batch`.
absl::StatusOr<Operand> RecurrentResult(Emitter& emitter, const RecurrentLayer& layer,
                                        const std::vector<Operand>& operands, quant::SequenceResult result);

// y of steps before batches, as the layer has them: by batch, if it is.
absl::StatusOr<Operand> InOrderOfLayer(Emitter& emitter, const RecurrentLayer& layer, const Operand& y,
                                       quant::SequenceResult result);

// [D, G H, ..] with gate `order[g]` of the file as gate g.
quant::FloatTensor WithGatesInOrder(const quant::FloatTensor& rows, const std::vector<int64_t>& order);

// Lets the layer have the bias of a file, [D, rows H] of gates in that `order`. A GRU may have one row more,
// which its reset gate multiplies with R h.
void SetBias(RecurrentLayer& layer, const quant::FloatTensor& bias, const std::vector<int64_t>& order);

}  // namespace tally::frontend
