// Recurrent operators: a sequence as one column, in which a step computes its gates before its states.
#include "ops/expansion.h"
#include "ops/recurrent/attrs.h"
#include "ops/recurrent/recurrent_cells.h"

namespace tally {
namespace recurrent {

// The sequence of the wanted element, and where its column has what.
struct Sequence {
  RecurrentDims dims;
  int64_t direction, b;
  bool reverse;
  int lengths;    // operand, or -1
  int64_t block;  // integers of one step
  Column column;  // step n has those from n * block on

  template <typename Int>
  int64_t Length(const StepReads<Int>& r) const {
    return lengths < 0 ? dims.steps : static_cast<int64_t>(r.operand(static_cast<size_t>(lengths))[b]);
  }
  // The n-th step of `length`.
  Step At(int64_t n, int64_t length) const { return {direction, reverse ? length - 1 - n : n, b}; }
};

// One of its states: `width` integers from `offset` on in each step, and what it is before the first.
struct StateOf {
  int64_t offset, width;
  int initial;  // operand, or -1

  // Integer i after `steps` steps.
  template <typename Int>
  Int After(const StepReads<Int>& r, const Sequence& s, int64_t steps, int64_t i) const {
    if (steps > 0) return r(s.column, (steps - 1) * s.block + offset + i);
    if (initial < 0) return Int(int64_t{0});
    return r.operand(static_cast<size_t>(initial))[(s.direction * s.dims.batch + s.b) * width + i];
  }
};

// Some integers that are elements of a list h[i].
template <typename At>
struct ListOf {
  At at;
  auto operator[](int64_t i) const { return at(i); }
};
template <typename At>
ListOf(At) -> ListOf<At>;

template <typename Int>
Sequence SequenceOf(const Expansion<Int>& e, const RnnAttrs& attrs, int64_t gates, int lengths) {
  const ReadContext& c = e.context();
  const Index d = c.place();
  Sequence s = {.dims = DimsOf(c.shape(kX), c.shape(kR), gates), .lengths = lengths};
  // y is [T, D, B, P], the last states are [D, B, ..].
  s.direction = d[c.result == 0 ? 1 : 0];
  s.b = d[c.result == 0 ? 2 : 1];
  s.reverse = attrs.direction == Direction::kReverse || s.direction == 1;
  return s;
}

// Adds the column: integer `slot` of step n is unit(r, s, step, n, slot). Returns the sequence with it.
template <typename Int, typename Unit>
Sequence RunSequence(Expansion<Int>& e, Sequence s, Unit unit) {
  s.column = e.Next(s.dims.steps * s.block);
  const auto at = [s, unit](const StepReads<Int>& r, int64_t i) {
    const int64_t n = i / s.block, length = s.Length(r);
    // A step after the end of the sequence has zeros.
    return n >= length ? Int(int64_t{0}) : unit(r, s, s.At(n, length), n, i % s.block);
  };
  e.Map(s.column.length, at, Storage::kI32);  // gates reach 2^15, everything else has 16 bits
  return s;
}

// The element: of y, or of the last of state r - 1.
template <typename Int>
void Finish(Expansion<Int>& e, const Sequence& s, std::initializer_list<StateOf> states) {
  const ReadContext& c = e.context();
  const Index d = c.place();
  if (c.result > 0) {
    const StateOf state = states.begin()[c.result - 1];
    e.One([=, i = d[2]](const StepReads<Int>& r) { return state.After(r, s, s.Length(r), i); });
    return;
  }
  const StateOf h = *states.begin();
  e.One([=, t = d[0], i = d[3]](const StepReads<Int>& r) {
    const int64_t length = s.Length(r);
    if (t >= length) return Int(int64_t{0});
    return h.After(r, s, (s.reverse ? length - 1 - t : t) + 1, i);
  });
}

}  // namespace recurrent

using recurrent::GateCell;
using recurrent::GruCell;
using recurrent::ListOf;
using recurrent::LstmCell;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RunSequence;
using recurrent::Sequence;
using recurrent::SequenceOf;
using recurrent::StateOf;
using recurrent::Step;

template <typename Int>
void ExpandRnn(Expansion<Int>& e) {
  const auto attrs = e.template attrs<RnnAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  Sequence s = SequenceOf(e, attrs, 1, at.lengths);
  s.block = s.dims.units;
  const StateOf h = {0, s.dims.states, at.initial_h};
  s = RunSequence(e, s,
                  [=](const StepReads<Int>& r, const Sequence& q, const Step& step, int64_t n, int64_t j) {
                    const ListOf before{[&](int64_t i) { return h.After(r, q, n, i); }};
                    return GateCell<Int>(r.operands(), q.dims, attrs.shift).Gate(step, j, before);
                  });
  recurrent::Finish(e, s, {h});
}
TALLY_EXPAND(Rnn);

// A step: z, r, the states that r leaves, the next states.
template <typename Int>
void ExpandGru(Expansion<Int>& e) {
  const auto attrs = e.template attrs<GruAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  Sequence s = SequenceOf(e, attrs, 3, at.lengths);
  const int64_t H = s.dims.units;
  s.block = 4 * H;
  const StateOf h = {3 * H, H, at.initial_h};
  s = RunSequence(e, s,
                  [=](const StepReads<Int>& r, const Sequence& q, const Step& step, int64_t n, int64_t slot) {
                    const GruCell<Int> cell(r.operands(), q.dims, attrs);
                    const ListOf before{[&](int64_t i) { return h.After(r, q, n, i); }};
                    const auto own = [&](int64_t at_slot) { return r(q.column, n * q.block + at_slot); };
                    if (slot < 2 * H) return cell.Gate(step, slot, before);
                    const int64_t j = slot % H;
                    if (slot < 3 * H) return ResetState<Int>(own(H + j), before[j]);
                    const ListOf reset{[&](int64_t i) { return own(2 * H + i); }};
                    return cell.Next(step, j, own(j), own(H + j), before, reset);
                  });
  recurrent::Finish(e, s, {h});
}
TALLY_EXPAND(Gru);

// A step: i, f, the candidates, the cells, the outputs, and what a projection makes of them.
template <typename Int>
void ExpandLstm(Expansion<Int>& e) {
  const auto attrs = e.template attrs<LstmAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  Sequence s = SequenceOf(e, attrs, 4, at.lengths);
  const int64_t H = s.dims.units;
  s.block = attrs.projection ? 5 * H + s.dims.states : 5 * H;
  const StateOf h = {attrs.projection ? 5 * H : 4 * H, s.dims.states, at.initial_h};
  const StateOf c = {3 * H, H, at.initial_c};
  s = RunSequence(e, s,
                  [=](const StepReads<Int>& r, const Sequence& q, const Step& step, int64_t n, int64_t slot) {
                    const LstmCell<Int> unit(r.operands(), q.dims, attrs);
                    const ListOf before{[&](int64_t i) { return h.After(r, q, n, i); }};
                    const auto own = [&](int64_t at_slot) { return r(q.column, n * q.block + at_slot); };
                    const int64_t j = slot % H;
                    const auto cell = [&] { return c.After(r, q, n, j); };
                    switch (slot / H) {
                      case 0: return unit.Input(step, j, before, cell());
                      case 1: return unit.Forget(step, j, before, cell(), own(j));
                      case 2: return unit.Candidate(step, j, before);
                      case 3: return NextCell<Int>(attrs.cell(), own(j), own(H + j), own(2 * H + j), cell());
                      case 4: return unit.Output(step, j, before, own(3 * H + j));
                      default: {
                        const ListOf outputs{[&](int64_t i) { return own(4 * H + i); }};
                        return unit.Projected(step, slot - 5 * H, outputs);
                      }
                    }
                  });
  recurrent::Finish(e, s, {h, c});
}
TALLY_EXPAND(Lstm);

}  // namespace tally
