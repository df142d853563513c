// Steps of recurrent operators for devices. The products of all gates with all inputs are there before the
// first step (ops/recurrent/cuda/recurrent.cc); what is left of a step are the products with its states and
// the gates.
//
// A warp has one unit and kSequencesOfWarp sequences, which share the rows of the matrix: its lanes sum up
// along the rows, then one lane of eight finishes a sequence.
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"
#include "ops/recurrent/recurrent_gates.h"

namespace tally::cuda {

inline constexpr int kSequencesOfWarp = 4;
inline constexpr int kLanesOfSequence = kWarp / kSequencesOfWarp;

// The products and joins of a row's sums.
struct GateRow {
  int64_t m_x, m_h, b;
  int64_t more;  // the weight of the cell in lstm, the bias of R h in gru; m_p of a projection is m_h
};

struct StepParams {
  int64_t step, steps, batch, directions;
  bool reverse;  // direction 0 walks back; direction 1 always does
  bool has_lengths;
  int64_t groups;        // for sequences: warps that share a unit
  int64_t units, depth;  // the launch's: rows of a gate and their elements
  int gates;             // the matrix's, of which a launch multiplies some
  Storage lengths, matrix, input, y;
  int64_t shift;
  Storage tables[3];
  int64_t entries[3];
  // The cells of lstm.
  CellForm cell;
  bool coupled;
};

// Memory of a step. States between steps are i32: h and next_h [directions, batch, states] and so on.
struct StepMemory {
  static constexpr int kMatrix = 0, kVector = 1, kLengths = 2, kRows = 3, kInput = 4, kNext = 5, kY = 6,
                       kTables = 7;
  // Behind the tables of lstm: the cells, before and after the step.
  static constexpr int kCell = kTables + 3, kNextCell = kTables + 4;
  // The terms of gru: what the gates z and r leave, and for the new gate alone the states.
  static constexpr int kUpdate = kTables + 2, kReset = kTables + 3, kState = kTables + 4;
};

struct GateTable {
  StoredList entries;
  int64_t count;

  TALLY_DEVICE int64_t size() const { return count; }
  TALLY_DEVICE int64_t operator[](int64_t i) const { return entries[i]; }
};

// Where one sequence of one unit is in a step.
struct StepPlace {
  int64_t direction, b, unit;
  bool live;    // false after the end of the sequence, where y is 0 and states stay
  int64_t t;    // for x and y
  int64_t row;  // [directions, batch]

  TALLY_DEVICE StepPlace(const StepParams& p, const Memory& m, int64_t direction, int64_t b, int64_t unit)
      : direction(direction), b(b), unit(unit), row(direction * p.batch + b) {
    const int64_t length = p.has_lengths ? Load(p.lengths, m.at[StepMemory::kLengths], b) : p.steps;
    live = p.step < length;
    t = live && (p.reverse || direction == 1) ? length - 1 - p.step : p.step;
  }
  // The element of a state with as many elements as the launch has units.
  TALLY_DEVICE int64_t state(const StepParams& p) const { return row * p.units + unit; }
};

// Sums of the launch's gates at one place, and the parameters of their rows.
template <int kGates>
struct StepGates {
  const StepParams& p;
  const Memory& m;
  StepPlace at;
  int first;  // gate of the matrix
  int64_t sums[kGates];

  TALLY_DEVICE int64_t row_of(int gate) const { return (at.direction * p.gates + gate) * p.units + at.unit; }
  TALLY_DEVICE const GateRow& row(int gate) const { return m.as<GateRow>(StepMemory::kRows)[row_of(gate)]; }
  // (W x) * m_x + b
  TALLY_DEVICE int64_t Input(int gate) const {
    const int64_t columns = p.directions * p.gates * p.units;
    const int64_t sum =
        Load(p.input, m.at[StepMemory::kInput], (at.t * p.batch + at.b) * columns + row_of(gate));
    return WrapAdd(WrapMul(sum, row(gate).m_x), row(gate).b);
  }
  // (R h) * m_h
  TALLY_DEVICE int64_t State(int gate) const { return WrapMul(sums[gate - first], row(gate).m_h); }
  TALLY_DEVICE int64_t Activated(int table, int64_t gate) const {
    const GateTable t = {{p.tables[table], m.at[StepMemory::kTables + table]}, p.entries[table]};
    return Activate<int64_t>(t, gate);
  }
  // The sum of all terms, rounded.
  TALLY_DEVICE int64_t Gate(int table, int gate, int64_t cell = 0) const {
    const int64_t sum = WrapAdd(Input(gate), State(gate));
    return Activated(table, HalfUpShift<int64_t>(WrapAdd(sum, WrapMul(row(gate).more, cell)), p.shift));
  }
  TALLY_DEVICE void StoreState(int64_t h) const {
    m.as<int32_t>(StepMemory::kNext)[at.state(p)] = static_cast<int32_t>(h);
    Store(p.y, m.at[StepMemory::kY], (at.t * p.directions * p.batch + at.row) * p.units + at.unit,
          at.live ? h : 0);
  }
};

struct RnnStep {
  static constexpr int kGates = 1, kFirst = 0;
  TALLY_DEVICE void operator()(const StepGates<kGates>& g) const {
    const int32_t h = g.m.as<int32_t>(StepMemory::kVector)[g.at.state(g.p)];
    g.StoreState(g.at.live ? g.Gate(0, 0) : h);
  }
};

// `kProjects`: what leaves the cell is multiplied by another launch, which stores the state.
template <bool kProjects>
struct LstmStep {
  static constexpr int kGates = 4, kFirst = 0;
  enum { kInput, kOutput, kForget, kCell };

  TALLY_DEVICE void operator()(const StepGates<kGates>& g) const {
    const int64_t state = g.at.state(g.p), cell = g.m.as<int32_t>(StepMemory::kCell)[state];
    int32_t& next_cell = g.m.as<int32_t>(StepMemory::kNextCell)[state];
    if (!g.at.live) {
      next_cell = static_cast<int32_t>(cell);
      if constexpr (kProjects) {
        g.m.as<int32_t>(StepMemory::kNext)[state] = 0;
      } else {
        g.StoreState(g.m.as<int32_t>(StepMemory::kVector)[state]);
      }
      return;
    }
    const int64_t i = g.Gate(0, kInput, cell);
    const int64_t f = g.p.coupled ? kState - i : g.Gate(0, kForget, cell);
    const int64_t next = NextCell<int64_t>(g.p.cell, i, f, g.Gate(1, kCell), cell);
    next_cell = static_cast<int32_t>(next);
    const int64_t o = g.Gate(0, kOutput, next);
    const int64_t u = HalfUpShift<int64_t>(WrapMul(o, g.Activated(2, next)), g.p.cell.output_shift);
    if constexpr (kProjects) {
      g.m.as<int32_t>(StepMemory::kNext)[state] = static_cast<int32_t>(u);
    } else {
      g.StoreState(u);
    }
  }
};

struct ProjectionStep {
  static constexpr int kGates = 1, kFirst = 0;
  static constexpr int kH = StepMemory::kInput;  // no inputs here, but the states
  TALLY_DEVICE void operator()(const StepGates<kGates>& g) const {
    const int32_t h = g.m.as<int32_t>(kH)[g.at.state(g.p)];
    g.StoreState(g.at.live ? ProjectedState<int64_t>(g.sums[0], g.row(0).m_h, g.p.shift) : h);
  }
};

// The gates of gru.
enum { kUpdateGate, kResetGate, kNewGate };

// With the reset after the product all three gates are of one launch.
struct GruAfterStep {
  static constexpr int kGates = 3, kFirst = 0;
  TALLY_DEVICE void operator()(const StepGates<kGates>& g) const {
    const int64_t h = g.m.as<int32_t>(StepMemory::kVector)[g.at.state(g.p)];
    if (!g.at.live) return g.StoreState(h);
    const int64_t z = g.Gate(0, kUpdateGate), r = g.Gate(0, kResetGate);
    const int64_t state = WrapAdd(g.State(kNewGate), g.row(kNewGate).more);
    const int64_t gate = ResetAfter<int64_t>(g.Input(kNewGate), r, state, g.p.shift);
    g.StoreState(BlendedState<int64_t>(z, h, g.Activated(1, gate)));
  }
};

// Else z and the state that r leaves ..
struct GruGatesStep {
  static constexpr int kGates = 2, kFirst = 0;
  TALLY_DEVICE void operator()(const StepGates<kGates>& g) const {
    const int64_t state = g.at.state(g.p), h = g.m.as<int32_t>(StepMemory::kVector)[state];
    const int64_t r = g.Gate(0, kResetGate);
    g.m.as<int32_t>(StepMemory::kUpdate)[state] = static_cast<int32_t>(g.Gate(0, kUpdateGate));
    g.m.as<int32_t>(StepMemory::kReset)[state] = static_cast<int32_t>(ResetState<int64_t>(r, h));
  }
};

// .. are multiplied by the rows of n in a launch of their own.
struct GruNewStep {
  static constexpr int kGates = 1, kFirst = kNewGate;
  TALLY_DEVICE void operator()(const StepGates<kGates>& g) const {
    const int64_t state = g.at.state(g.p), h = g.m.as<int32_t>(StepMemory::kState)[state];
    if (!g.at.live) return g.StoreState(h);
    const int64_t z = g.m.as<int32_t>(StepMemory::kUpdate)[state];
    g.StoreState(BlendedState<int64_t>(z, h, g.Gate(1, kNewGate)));
  }
};

// The products of kRows rows that are `row_stride` apart and the vectors of `count` sequences, from `lane`
// on.
template <typename T, int kRows>
TALLY_DEVICE void SumRows(const T* rows, int64_t row_stride, const int32_t* vectors, int64_t depth, int count,
                          int lane, int64_t (&sums)[kSequencesOfWarp][kRows]) {
  for (int64_t i = lane; i < depth; i += kWarp) {
    T row[kRows];
    TALLY_UNROLL
    for (int g = 0; g < kRows; ++g) row[g] = rows[g * row_stride + i];
    TALLY_UNROLL
    for (int s = 0; s < kSequencesOfWarp; ++s) {
      if (s >= count) continue;
      const int64_t h = vectors[s * depth + i];
      TALLY_UNROLL
      for (int g = 0; g < kRows; ++g) sums[s][g] = WrapAdd(sums[s][g], WrapMul(row[g], h));
    }
  }
}

// Over all lanes what each has of four sequences: lanes get the sum of theirs, the first eight of them
// that of the first.
TALLY_DEVICE int64_t SumOfSequence(const Thread& t, int64_t a, int64_t b, int64_t c, int64_t d) {
  static_assert(kSequencesOfWarp == 4);
  const bool later = t.lane() & 16, odd = t.lane() & 8;
  const int64_t even_sum = WrapAdd(later ? c : a, t.ShuffleXor(later ? a : c, 16)),
                odd_sum = WrapAdd(later ? d : b, t.ShuffleXor(later ? b : d, 16));
  int64_t sum = WrapAdd(odd ? odd_sum : even_sum, t.ShuffleXor(odd ? even_sum : odd_sum, 8));
  TALLY_UNROLL
  for (int mask = kLanesOfSequence / 2; mask > 0; mask /= 2) sum = WrapAdd(sum, t.ShuffleXor(sum, mask));
  return sum;
}

template <typename Step>
TALLY_DEVICE void RecurrentStep(const Thread& t, const Memory& m, const StepParams& p) {
  constexpr int kGates = Step::kGates;
  int64_t direction = t.global_index() / kWarp;
  const int64_t first = TakeDigit(direction, p.groups) * kSequencesOfWarp,
                unit = TakeDigit(direction, p.units);
  if (direction >= p.directions) return;  // the whole warp
  const int count = static_cast<int>(p.batch - first < kSequencesOfWarp ? p.batch - first : kSequencesOfWarp);
  const int64_t stride = p.units * p.depth;
  const int64_t row = ((direction * p.gates + Step::kFirst) * p.units + unit) * p.depth;
  const int32_t* const vectors = m.as<int32_t>(StepMemory::kVector) + (direction * p.batch + first) * p.depth;
  int64_t sums[kSequencesOfWarp][kGates] = {};
  const auto sum = [&](const auto* matrix) {
    SumRows(matrix + row, stride, vectors, p.depth, count, t.lane(), sums);
  };
  switch (p.matrix) {
    case Storage::kI8: sum(m.as<const int8_t>(StepMemory::kMatrix)); break;
    case Storage::kI16: sum(m.as<const int16_t>(StepMemory::kMatrix)); break;
    case Storage::kI32: sum(m.as<const int32_t>(StepMemory::kMatrix)); break;
    case Storage::kI64: sum(m.as<const int64_t>(StepMemory::kMatrix)); break;
  }
  const int sequence = t.lane() / kLanesOfSequence;
  StepGates<kGates> gates = {
      p, m, StepPlace(p, m, direction, sequence < count ? first + sequence : first, unit), Step::kFirst, {}};
  TALLY_UNROLL
  for (int g = 0; g < kGates; ++g) {
    gates.sums[g] = SumOfSequence(t, sums[0][g], sums[1][g], sums[2][g], sums[3][g]);
  }
  if (t.lane() % kLanesOfSequence != 0 || sequence >= count) return;
  Step()(gates);
}

struct ConvertStateParams {
  int64_t count;
  bool zero;  // there is nothing to read
  Storage from, to;
};

// Memory: a state, the same in another storage. One thread for each element.
TALLY_DEVICE void ConvertState(const Thread& t, const Memory& m, const ConvertStateParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  Store(p.to, m.at[1], i, p.zero ? 0 : Load(p.from, m.at[0], i));
}

}  // namespace tally::cuda
