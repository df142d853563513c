// The computation of one step, unit by unit, for the references and for their expansions. `h` and the like
// are anything with elements h[i].
#pragma once

#include <cstdint>
#include <span>

#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_gates.h"
#include "ops/recurrent/recurrent_shape.h"
#include "ops/reference.h"

namespace tally::recurrent {

// The position of one step of one sequence.
struct Step {
  int64_t direction, t, b;
};

// The exact sums of gate row g (of G * H) at a step.
template <typename Int>
class GateSums {
 public:
  GateSums(std::span<const Operand<Int>> operands, const RecurrentDims& dims)
      : operands_(operands), dims_(dims) {}

  // (W x) * m_x + b
  Int Input(const Step& step, int64_t g) const {
    const int64_t row = Row(step, g);
    Int sum(int64_t{0});
    for (int64_t i = 0; i < dims_.inputs; ++i) {
      sum = Int(sum + operands_[kW][row * dims_.inputs + i] *
                          operands_[kX][(step.t * dims_.batch + step.b) * dims_.inputs + i]);
    }
    return Int(sum * operands_[kMx][row] + operands_[kB][row]);
  }

  // (R h) * m_h
  template <typename List>
  Int State(const Step& step, int64_t g, const List& h) const {
    const int64_t row = Row(step, g);
    Int sum(int64_t{0});
    for (int64_t i = 0; i < dims_.states; ++i) {
      sum = Int(sum + operands_[kR][row * dims_.states + i] * h[i]);
    }
    return Int(sum * operands_[kMh][row]);
  }

 private:
  int64_t Row(const Step& step, int64_t g) const { return step.direction * dims_.gates * dims_.units + g; }

  std::span<const Operand<Int>> operands_;
  const RecurrentDims dims_;
};

// h' = F[round((W x * m_x + R h * m_h + b) / 2^shift)]; also a gate of gru, in row g.
template <typename Int>
class GateCell {
 public:
  GateCell(std::span<const Operand<Int>> operands, const RecurrentDims& dims, int64_t shift)
      : operands_(operands), sums_(operands, dims), shift_(shift) {}

  template <typename List>
  Int Gate(const Step& step, int64_t g, const List& h) const {
    const Int sum = Int(sums_.Input(step, g) + sums_.State(step, g, h));
    return Activate<Int>(operands_[kTables], HalfUpShift<Int>(sum, shift_));
  }

 protected:
  std::span<const Operand<Int>> operands_;
  const GateSums<Int> sums_;
  const int64_t shift_;
};

// Rows z, r, n.
template <typename Int>
class GruCell : public GateCell<Int> {
 public:
  GruCell(std::span<const Operand<Int>> operands, const RecurrentDims& dims, const GruAttrs& attrs)
      : GateCell<Int>(operands, dims, attrs.shift),
        H_(dims.units),
        bias_(attrs.reset_after ? OperandsOf(attrs).reset_bias : -1) {}

  // The next state of unit j; `reset` are the states that r leaves, where it comes before R.
  template <typename List, typename ResetList>
  Int Next(const Step& step, int64_t j, const Int& z, const Int& r, const List& h,
           const ResetList& reset) const {
    const Int input = this->sums_.Input(step, 2 * H_ + j);
    Int v;
    if (bias_ >= 0) {
      const Int state = Int(this->sums_.State(step, 2 * H_ + j, h) +
                            this->operands_[static_cast<size_t>(bias_)][step.direction * H_ + j]);
      v = ResetAfter<Int>(input, r, state, this->shift_);
    } else {
      v = HalfUpShift<Int>(Int(input + this->sums_.State(step, 2 * H_ + j, reset)), this->shift_);
    }
    return BlendedState<Int>(z, h[j], Activate<Int>(this->operands_[kTables + 1], v));
  }

 private:
  const int64_t H_;
  const int bias_;
};

template <typename Int>
class LstmCell {
 public:
  // Rows of the gates i, o, f, c; peephole weights have the first three.
  enum { kInput, kOutput, kForget, kCandidate };

  LstmCell(std::span<const Operand<Int>> operands, const RecurrentDims& dims, const LstmAttrs& attrs)
      : operands_(operands), attrs_(attrs), at_(OperandsOf(attrs)), dims_(dims), sums_(operands, dims) {}

  template <typename List>
  Int Input(const Step& step, int64_t j, const List& h, const Int& cell) const {
    return Gate(step, kInput, j, h, cell);
  }
  // `i` is the input gate.
  template <typename List>
  Int Forget(const Step& step, int64_t j, const List& h, const Int& cell, const Int& i) const {
    return attrs_.coupled ? Int(Int(kState) - i) : Gate(step, kForget, j, h, cell);
  }
  template <typename List>
  Int Candidate(const Step& step, int64_t j, const List& h) const {
    return Activate<Int>(operands_[kTables + 1], Rounded(step, kCandidate, j, h, Int(int64_t{0})));
  }
  // `cell` is the new one.
  template <typename List>
  Int Output(const Step& step, int64_t j, const List& h, const Int& cell) const {
    const Int o = Gate(step, kOutput, j, h, cell);
    return HalfUpShift<Int>(Int(o * Activate<Int>(operands_[kTables + 2], cell)), attrs_.output_shift);
  }
  // State p of the projection of the outputs.
  template <typename List>
  Int Projected(const Step& step, int64_t p, const List& output) const {
    const int64_t row = step.direction * dims_.states + p;
    Int sum(int64_t{0});
    for (int64_t j = 0; j < dims_.units; ++j) {
      sum = Int(sum + operands_[at_.projection][row * dims_.units + j] * output[j]);
    }
    return ProjectedState<Int>(sum, operands_[at_.projection_m][row], attrs_.projection_shift);
  }

 private:
  template <typename List>
  Int Gate(const Step& step, int64_t gate, int64_t j, const List& h, const Int& cell) const {
    Int peephole(int64_t{0});
    if (attrs_.peephole) {
      peephole = Int(operands_[at_.peephole][(step.direction * 3 + gate) * dims_.units + j] * cell);
    }
    return Activate<Int>(operands_[kTables], Rounded(step, gate, j, h, peephole));
  }
  template <typename List>
  Int Rounded(const Step& step, int64_t gate, int64_t j, const List& h, const Int& peephole) const {
    const int64_t row = gate * dims_.units + j;
    const Int sum = Int(sums_.Input(step, row) + sums_.State(step, row, h));
    return HalfUpShift<Int>(Int(sum + peephole), attrs_.shift);
  }

  std::span<const Operand<Int>> operands_;
  const LstmAttrs attrs_;
  const OptionalOperands at_;
  const RecurrentDims dims_;
  const GateSums<Int> sums_;
};

}  // namespace tally::recurrent
