// Attributes of the recurrent family.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/rescale.h"
#include "ops/attributes.h"
#include "ops/recurrent/recurrent_gates.h"
#include "ops/tensor_type.h"

namespace tally {

enum class Direction { kForward, kReverse, kBidirectional };
inline constexpr std::array<std::string_view, 3> kDirectionNames = {"forward", "reverse", "bidirectional"};

// The fields that every recurrent operator has from RnnAttrs.
template <typename Attrs>
constexpr auto RecurrentFields() {
  return std::tuple(EnumField<Attrs, Direction>("direction", &Attrs::direction, kDirectionNames),
                    IntField<Attrs>("shift", &Attrs::shift, 0, kMaxRescaleShift),
                    BoolField<Attrs>("initial_state", &Attrs::initial_state),
                    BoolField<Attrs>("lengths", &Attrs::lengths));
}

struct RnnAttrs {
  Direction direction = Direction::kForward;
  int64_t shift = 0;           // gate = round((sums with multipliers and bias) / 2^shift)
  bool initial_state = false;  // whether there is an operand with the states before the first step
  bool lengths = false;        // whether there is an operand with the length of each sequence

  static constexpr auto Fields() { return RecurrentFields<RnnAttrs>(); }
};

struct LstmAttrs : RnnAttrs {
  bool peephole = false;      // whether there is an operand with the weights of the cell in the gates
  bool projection = false;    // whether there are operands with a matrix after the output
  bool coupled = false;       // the forget gate is 1 - the input gate
  int64_t cell_bits = 12;     // for the cell below its point
  int64_t cell_lo = -kState;  // clamp of the cell
  int64_t cell_hi = kState - 1;
  int64_t output_shift = 15;     // output = round(o * h(cell) / 2^output_shift)
  int64_t projection_shift = 0;  // state = round(projection of the output * m_p / 2^projection_shift)

  CellForm cell() const { return {cell_bits, cell_lo, cell_hi, output_shift}; }

  static constexpr auto Fields() {
    return std::tuple_cat(
        RecurrentFields<LstmAttrs>(),
        std::tuple(BoolField("peephole", &LstmAttrs::peephole),
                   BoolField("projection", &LstmAttrs::projection), BoolField("coupled", &LstmAttrs::coupled),
                   IntField("cell_bits", &LstmAttrs::cell_bits, 0, 15),
                   IntField("cell_lo", &LstmAttrs::cell_lo, -kState, kState - 1),
                   IntField("cell_hi", &LstmAttrs::cell_hi, -kState, kState - 1),
                   IntField("output_shift", &LstmAttrs::output_shift, 15, 30),
                   IntField("projection_shift", &LstmAttrs::projection_shift, 0, kMaxRescaleShift)));
  }
};

struct GruAttrs : RnnAttrs {
  bool reset_after = false;  // r multiplies R h + b_r, instead of h

  static constexpr auto Fields() {
    return std::tuple_cat(RecurrentFields<GruAttrs>(),
                          std::tuple(BoolField("reset_after", &GruAttrs::reset_after)));
  }
};

}  // namespace tally
