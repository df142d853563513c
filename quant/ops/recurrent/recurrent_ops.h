// Layers that walk along sequences of T steps, B side by side, with I inputs and H units: x [T, B, I].
//
// Their weights are constants in ONNX's order of gates, with D directions (two of a bidirectional layer,
// forward first) and the rows of one gate after those of another: W [D, G H, I], R [D, G H, H], bias [D, G
// H]. They begin with zeros, or with what further operands say, [D, B, H] each. A direction finds y[t] at
// step t, whichever way it walks.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/recurrent/attrs.h"
#include "quant/ops/op_traits.h"

namespace tally::quant {

// The activations of gates and states.
enum class Activation {
  kSigmoid,
  kTanh,
  kHardSigmoid,  // min(max(x / 5 + 1 / 2, 0), 1)
  kRelu,         // an Rnn's only: what the others keep has a bound
};

// Which of its results a node yields; lowering writes one instruction for all nodes that differ in this
// alone.
enum class SequenceResult {
  kStates,      // y [T, D, B, H], 0 after the end of a sequence
  kFinalState,  // [D, B, H], after the last step of each sequence
  kFinalCell,   // [D, B, H], of an Lstm
};

struct Sequences {
  Direction direction = Direction::kForward;
  std::vector<int64_t> lengths = {};  // for the B sequences, from 0 to T; none says that all have T steps
  SequenceResult result = SequenceResult::kStates;
  bool operator==(const Sequences&) const = default;
};

// x, W, R, bias, [h_0] -> h' = f(W x + R h + bias), of one gate.
struct Rnn {
  static constexpr OpTraits kTraits = {.name = "Rnn",
                                       .least = 4,
                                       .most = 5,
                                       .has_weights = true,
                                       .grid = Grid::kOwn,
                                       .multiplies = true,
                                       .inner = "states"};
  Sequences sequences = {};
  Activation state = Activation::kTanh;

  TypeResult Infer(const OperandTypes& operands) const;
  // Those of all steps go to `states`, where there is one.
  Tensor Evaluate(Operands operands, const Shape& shape, FloatTensor* states) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool IsWeight(size_t operand) const { return operand >= 1 && operand < 4; }
  bool ReadsWide(size_t operand) const { return operand >= 4; }
  QuantizedType OwnGrid(const SeenRanges& seen) const;
  bool operator==(const Rnn&) const = default;
};

// x, W, R, bias, [bias_r [D, H]], [h_0] -> h' = z h + (1 - z) n, of the gates z, r = f(W x + R h + bias) and
// n = g(W x + R (r h) + bias), or with reset_after, which has bias_r, n = g(W x + bias + r (R h + bias_r)).
struct Gru {
  static constexpr OpTraits kTraits = {
      .name = "Gru", .least = 4, .most = 6, .has_weights = true, .grid = Grid::kOwn, .multiplies = true};
  Sequences sequences = {};
  Activation gates = Activation::kSigmoid;  // f
  Activation state = Activation::kTanh;     // g
  bool reset_after = false;

  TypeResult Infer(const OperandTypes& operands) const;
  Tensor Evaluate(Operands operands, const Shape& shape) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool IsWeight(size_t operand) const { return operand >= 1 && operand < InitialState(); }
  bool ReadsWide(size_t operand) const { return operand >= InitialState(); }
  size_t InitialState() const { return reset_after ? 5 : 4; }
  QuantizedType OwnGrid(const SeenRanges& seen) const;
  bool operator==(const Gru&) const = default;
};

// x, W, R, bias, [P [D, 3 H]], [h_0, c_0] -> h' = o h(c'), c' = f c + i g(W x + R h + bias), of the gates i,
// o and f of W x + R h + bias, with P, of the peepholes, + P c for i and f and + P c' for o.
struct Lstm {
  static constexpr OpTraits kTraits = {.name = "Lstm",
                                       .least = 4,
                                       .most = 7,
                                       .has_weights = true,
                                       .grid = Grid::kOwn,
                                       .multiplies = true,
                                       .inner = "cells"};
  Sequences sequences = {};
  Activation gates = Activation::kSigmoid;  // for i, o and f
  Activation input = Activation::kTanh;     // g
  Activation output = Activation::kTanh;    // h
  bool peephole = false;

  TypeResult Infer(const OperandTypes& operands) const;
  // The cells of all steps go to `cells`, where there is one.
  Tensor Evaluate(Operands operands, const Shape& shape, FloatTensor* cells) const;
  LoweredResult Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const;
  bool IsWeight(size_t operand) const { return operand >= 1 && operand < InitialState(); }
  bool ReadsWide(size_t operand) const { return operand >= InitialState(); }
  size_t InitialState() const { return peephole ? 5 : 4; }
  QuantizedType OwnGrid(const SeenRanges& seen) const;
  bool operator==(const Lstm&) const = default;
};

}  // namespace tally::quant
