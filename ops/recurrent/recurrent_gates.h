// The gates after their sums, for the references and for devices.
#pragma once

#include <cstdint>

#include "base/rescale.h"

namespace tally {

inline constexpr int64_t kState = int64_t{1} << 15;  // states and entries of tables have 16 bits

template <typename Int>
constexpr Int HalfUpShift(const Int& v, int64_t shift) {
  return RoundShift<Int>(Rounding::kHalfUp, v, static_cast<int>(shift), false);
}

template <typename Int>
constexpr Int ClampedTo(const Int& v, int64_t least, int64_t most) {
  const Int lo(least), hi(most);
  return v < lo ? lo : v > hi ? hi : v;
}

// T[clamp(v, -n/2, n/2 - 1) + n/2] for a table of n entries.
template <typename Int, typename List>  // an operand, or what a device has of it
constexpr Int Activate(const List& table, const Int& v) {
  const int64_t half = table.size() / 2;
  return table[static_cast<int64_t>(ClampedTo<Int>(v, -half, half - 1)) + half];
}

// The cell of lstm and what leaves it; fields are those of LstmAttrs.
struct CellForm {
  int64_t cell_bits, cell_lo, cell_hi, output_shift;
};

template <typename Int>
constexpr Int NextCell(const CellForm& form, const Int& i, const Int& f, const Int& g, const Int& cell) {
  const Int align(int64_t{1} << (15 - form.cell_bits));
  const Int sum = HalfUpShift<Int>(Int(f * cell * align + i * g), 30 - form.cell_bits);
  return ClampedTo<Int>(sum, form.cell_lo, form.cell_hi);
}

// `sum`: of a row of the projection.
template <typename Int>
constexpr Int ProjectedState(const Int& sum, const Int& multiplier, int64_t shift) {
  return ClampedTo<Int>(HalfUpShift<Int>(Int(sum * multiplier), shift), -kState, kState - 1);
}

// The state after the reset gate of gru, if it is multiplied afterwards.
template <typename Int>
constexpr Int ResetState(const Int& r, const Int& h) {
  return HalfUpShift<Int>(Int(r * h), 15);
}

// The new gate of gru where r multiplies `state`, (R h) * m_h + b_r: r has 15 bits below its point, so the
// other term takes as many, with one rounding.
template <typename Int>
constexpr Int ResetAfter(const Int& input, const Int& r, const Int& state, int64_t shift) {
  return HalfUpShift<Int>(Int(input * Int(kState) + r * state), shift + 15);
}

// The mean of the old state and the new one.
template <typename Int>
constexpr Int BlendedState(const Int& z, const Int& h, const Int& n) {
  return HalfUpShift<Int>(Int(z * h + Int(Int(kState) - z) * n), 15);
}

}  // namespace tally
