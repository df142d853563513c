#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/half_up_bounds.h"
#include "ops/recurrent/labels.h"
#include "ops/recurrent/recurrent_bounds.h"
#include "ops/recurrent/rules.h"

namespace tally {
namespace {

using recurrent::DimsOf;
using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using enum recurrent::RecurrentOperand;

constexpr int64_t kMaxTable = 65536;  // every value of 16 bits
constexpr RecurrentLabels kRnn = {label::rnn_c1, label::rnn_c2, label::rnn_c3, label::rnn_c4, label::rnn_c5,
                                  label::rnn_c6, label::rnn_c7, label::rnn_c8, label::rnn_c9};
constexpr RecurrentLabels kGru = {label::gru_c1, label::gru_c2, label::gru_c3, label::gru_c4, label::gru_c5,
                                  label::gru_c6, label::gru_c7, label::gru_c8, label::gru_c9};

bool HasShape(const Shape& shape, std::initializer_list<int64_t> dims) {
  return std::ranges::equal(shape.dims(), dims);
}

// Error `label` unless operand i is absent or a state [D, B, width] of 16 bits.
absl::Status CheckState(const InferContext& c, int i, const RecurrentDims& dims, int64_t width, Label label) {
  if (i < 0) return absl::OkStatus();
  if (HasShape(c.shape(i), {dims.directions, dims.batch, width}) &&
      Interval{-kState, kState - 1}.Contains(c.interval(i))) {
    return absl::OkStatus();
  }
  return MakeError(label, absl::StrCat("the initial state ", c.operands[i].ToString(), " is not [",
                                       dims.directions, ",", dims.batch, ",", width, "] of 16 bits"));
}

absl::Status CheckTables(const InferContext& c, int tables, const RecurrentLabels& labels) {
  for (int i = kTables; i < kTables + tables; ++i) {
    if (!c.is_constant(i) || c.shape(i).rank() != 1 || c.shape(i)[0] > kMaxTable || c.shape(i)[0] % 2 != 0) {
      return MakeError(labels[4], absl::StrCat("operand ", i, " ", c.shape(i).ToString(),
                                               " is not a constant list of an even number of entries"));
    }
    if (!EntriesWithin(c, i, -kState, kState)) {
      return MakeError(labels[5], absl::StrCat("operand ", i, " has entries in ", c.entries(i).ToString()));
    }
  }
  return absl::OkStatus();
}

WideInterval BoundsOfTable(const InferContext& c, int i) { return c.entries(i); }

// The range of h: `next` after a step, the initial state or zeros before the first.
WideInterval States(const InferContext& c, const OptionalOperands& at, const WideInterval& next) {
  return next.Hull(at.initial_h < 0 ? Point(0) : WideInterval(c.interval(at.initial_h)));
}

absl::Status CheckGate(Int128 magnitude, int64_t shift, Label label) {
  if (shift <= kMaxRescaleShift && CanBeRounded(magnitude, shift)) return absl::OkStatus();
  return MakeError(label, absl::StrCat("a gate reaches ", ToString(magnitude), " before a shift by ", shift));
}

}  // namespace

bool IsConstantOf(const InferContext& c, int i, std::initializer_list<int64_t> dims) {
  return c.is_constant(i) && HasShape(c.shape(i), dims);
}

absl::StatusOr<RecurrentDims> CheckRecurrent(const InferContext& c, const RnnAttrs& attrs,
                                             const OptionalOperands& at, const RecurrentForm& form,
                                             const RecurrentLabels& labels) {
  if (c.num_operands() != at.count) {
    return MakeError(labels[0],
                     absl::StrCat(c.num_operands(), " operands where the attributes ask for ", at.count));
  }
  for (const int i : {+kX, +kW, +kR}) RETURN_IF_ERROR(CheckOperandLimit(c, i, labels[1]));
  const Shape &x = c.shape(kX), &w = c.shape(kW), &r = c.shape(kR);
  const int64_t directions = attrs.direction == Direction::kBidirectional ? 2 : 1;
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3 || r[0] != directions || r[1] % form.gates != 0 ||
      !HasShape(w, {directions, r[1], x[2]}) || (at.projection < 0 && r[1] != form.gates * r[2])) {
    return MakeError(labels[2],
                     absl::StrCat("x ", x.ToString(), ", W ", w.ToString(), " and R ", r.ToString(), " in ",
                                  directions, " directions with ", form.gates, " gates"));
  }
  const RecurrentDims dims = DimsOf(x, r, form.gates);
  for (const int i : {+kMx, +kMh, +kB}) {
    if (!IsConstantOf(c, i, {directions, r[1]})) {
      return MakeError(labels[3], absl::StrCat("operand ", i, " ", c.shape(i).ToString(),
                                               " is not a constant with an entry for each row of W"));
    }
  }
  RETURN_IF_ERROR(CheckTables(c, form.tables, labels));
  RETURN_IF_ERROR(CheckState(c, at.initial_h, dims, dims.states, labels[6]));
  RETURN_IF_ERROR(CheckState(c, at.initial_c, dims, dims.units, labels[6]));
  if (at.lengths >= 0 && !(HasShape(c.shape(at.lengths), {dims.batch}) &&
                           Interval{0, dims.steps}.Contains(c.interval(at.lengths)))) {
    return MakeError(labels[7], absl::StrCat("lengths ", c.operands[at.lengths].ToString(),
                                             " of sequences of ", dims.steps, " steps"));
  }
  return dims;
}

GateBounds BoundGates(const InferContext& c, const RecurrentDims& dims, const WideInterval& state) {
  const auto sum = [](const WideInterval& a, const WideInterval& b, int64_t terms) {
    return (a * b).Hull(Point(0)) * Point(terms);
  };
  const auto magnitude = [&](int i) { return WideInterval(c.entries(i)).Magnitude(); };
  const WideInterval wx = sum(c.interval(kW), c.interval(kX), dims.inputs);
  const WideInterval rh = sum(c.interval(kR), state, dims.states);
  return {wx.Hull(rh), SatAdd(SatMul(wx.Magnitude(), magnitude(kMx)), magnitude(kB)),
          SatMul(rh.Magnitude(), magnitude(kMh))};
}

absl::Status AddSequences(const InferContext& c, const RnnAttrs& attrs, const OptionalOperands& at,
                          const RecurrentDims& dims, const WideInterval& accumulator,
                          const WideInterval& state, Inferred* out) {
  ASSIGN_OR_RETURN(const Shape y, Shape::Create({dims.steps, dims.directions, dims.batch, dims.states}));
  ASSIGN_OR_RETURN(const Shape last, Shape::Create({dims.directions, dims.batch, dims.states}));
  RETURN_IF_ERROR(out->SetAccumulator(c, accumulator));
  RETURN_IF_ERROR(out->AddResult(c, y, attrs.lengths ? state.Hull(Point(0)) : state));
  // A sequence of no steps ends as it began.
  out->scratch_bytes = 8 * (4 * dims.units + 2 * dims.states);
  return out->AddResult(c, last, attrs.lengths ? States(c, at, state) : state);
}

absl::Status InferRnn(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<RnnAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  ASSIGN_OR_RETURN(const RecurrentDims dims, CheckRecurrent(c, attrs, at, {1, 1, false}, kRnn));
  const WideInterval next = BoundsOfTable(c, kTables);
  const GateBounds gate = BoundGates(c, dims, States(c, at, next));
  RETURN_IF_ERROR(CheckGate(SatAdd(gate.input, gate.state), attrs.shift, kRnn[8]));
  return AddSequences(c, attrs, at, dims, gate.accumulator, next, out);
}

absl::Status InferGru(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<GruAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  ASSIGN_OR_RETURN(const RecurrentDims dims, CheckRecurrent(c, attrs, at, {3, 2, false}, kGru));
  if (!EntriesWithin(c, kTables, 0, kState)) {
    return MakeError(label::gru_c10, absl::StrCat("gates lie in ", c.entries(kTables).ToString()));
  }
  if (attrs.reset_after && !IsConstantOf(c, at.reset_bias, {dims.directions, dims.units})) {
    return MakeError(label::gru_c11, absl::StrCat("the reset bias ", c.shape(at.reset_bias).ToString(),
                                                  " is not a constant with an entry for each unit"));
  }
  // h' is a mean of h and n.
  const WideInterval next = States(c, at, BoundsOfTable(c, kTables + 1));
  const GateBounds gate = BoundGates(c, dims, next);
  RETURN_IF_ERROR(CheckGate(SatAdd(gate.input, gate.state), attrs.shift, kGru[8]));
  if (attrs.reset_after) {
    const Int128 bias = BoundsOfTable(c, at.reset_bias).Magnitude();
    const Int128 both = SatAdd(SatAdd(gate.input, gate.state), bias);
    RETURN_IF_ERROR(CheckGate(SatMul(kState, both), attrs.shift + 15, label::gru_c12));
  }
  return AddSequences(c, attrs, at, dims, gate.accumulator, next, out);
}

WideGas GasRecurrent(const GasContext& c) {
  const int64_t steps = c.operands[kX].shape[0];
  const Shape& w = c.operands[kW].shape;
  const Shape& r = c.operands[kR].shape;
  // A gate of a cell: its products, and what activations and rescales take of each sequence and of each step
  // alone.
  const Int128 of_sequence = SatMul(SatMul(w[0], w[1]), 10 * Int128{w[2]} + 10 * Int128{r[2]} + 1200);
  return SatMul(steps, SatAdd(SatMul(c.operands[kX].shape[1], of_sequence), SatMul(w[0], 6144)));
}

}  // namespace tally
