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

using recurrent::OperandsOf;
using recurrent::OptionalOperands;
using recurrent::RecurrentDims;
using enum recurrent::RecurrentOperand;

constexpr RecurrentLabels kLstm = {label::lstm_c1, label::lstm_c2, label::lstm_c3,
                                   label::lstm_c4, label::lstm_c5, label::lstm_c6,
                                   label::lstm_c7, label::lstm_c8, label::lstm_c9};
constexpr WideInterval kStates = {-kState, kState - 1};

WideInterval TableBounds(const InferContext& c, int i) { return c.entries(kTables + i); }

// The products of a projection: |projection * output|, and times m_p.
struct ProjectionBounds {
  WideInterval sum;
  Int128 product;
};

absl::StatusOr<ProjectionBounds> CheckProjection(const InferContext& c, const LstmAttrs& attrs,
                                                 const OptionalOperands& at, const RecurrentDims& dims,
                                                 const WideInterval& output) {
  const Shape& p = c.shape(at.projection);
  if (p != *Shape::Create({dims.directions, dims.states, dims.units}) ||
      !IsConstantOf(c, at.projection_m, {dims.directions, dims.states})) {
    return MakeError(label::lstm_c11, absl::StrCat("projection ", p.ToString(), " and multipliers ",
                                                   c.shape(at.projection_m).ToString(), " for ", dims.states,
                                                   " of ", dims.units, " units"));
  }
  RETURN_IF_ERROR(CheckOperandLimit(c, at.projection, label::lstm_c12));
  const WideInterval sum =
      (WideInterval(c.interval(at.projection)) * output).Hull(Point(0)) * Point(dims.units);
  const Int128 m = WideInterval(c.entries(at.projection_m)).Magnitude();
  const Int128 product = SatMul(sum.Magnitude(), m);
  if (!CanBeRounded(product, attrs.projection_shift)) {
    return MakeError(label::lstm_c13, absl::StrCat("the projection reaches ", ToString(product)));
  }
  return ProjectionBounds{sum, product};
}

}  // namespace

absl::Status InferLstm(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<LstmAttrs>();
  const OptionalOperands at = OperandsOf(attrs);
  ASSIGN_OR_RETURN(const RecurrentDims dims, CheckRecurrent(c, attrs, at, {4, 3, true}, kLstm));
  if (attrs.peephole && !IsConstantOf(c, at.peephole, {dims.directions, 3 * dims.units})) {
    return MakeError(label::lstm_c10, absl::StrCat("the peephole weights ", c.shape(at.peephole).ToString(),
                                                   " are not a constant with three entries for each unit"));
  }
  WideInterval h = HalfUp(TableBounds(c, 0) * TableBounds(c, 2), attrs.output_shift);
  WideInterval accumulator = Point(0);
  if (attrs.projection) {
    ASSIGN_OR_RETURN(const ProjectionBounds bounds, CheckProjection(c, attrs, at, dims, h));
    accumulator = bounds.sum;
    h = HalfUp(WideInterval(-bounds.product, bounds.product), attrs.projection_shift)
            .Clamp(kStates.lo, kStates.hi);
  }
  if (attrs.cell_lo > attrs.cell_hi) {
    return MakeError(label::lstm_c14, absl::StrCat("cell_lo = ", attrs.cell_lo, " is above ", attrs.cell_hi));
  }
  const WideInterval before = at.initial_h < 0 ? Point(0) : WideInterval(c.interval(at.initial_h));
  const GateBounds gate = BoundGates(c, dims, h.Hull(before));
  Int128 magnitude = SatAdd(gate.input, gate.state);
  if (attrs.peephole) {
    magnitude = SatAdd(magnitude, SatMul(WideInterval(c.entries(at.peephole)).Magnitude(), kState));
  }
  if (!CanBeRounded(magnitude, attrs.shift)) {
    return MakeError(kLstm[8], absl::StrCat("a gate reaches ", ToString(magnitude)));
  }
  ASSIGN_OR_RETURN(const Shape cells, Shape::Create({dims.directions, dims.batch, dims.units}));
  RETURN_IF_ERROR(AddSequences(c, attrs, at, dims, accumulator.Hull(gate.accumulator), h, out));
  WideInterval cell(attrs.cell_lo, attrs.cell_hi);
  if (attrs.lengths) {
    cell = cell.Hull(at.initial_c < 0 ? Point(0) : WideInterval(c.interval(at.initial_c)));
  }
  return out->AddResult(c, cells, cell);
}

WideGas GasLstm(const GasContext& c) {
  const auto attrs = c.attrs<LstmAttrs>();
  if (!attrs.projection) return GasRecurrent(c);
  const Shape& x = c.operands[kX].shape;
  const Shape& projection = c.operands[OperandsOf(attrs).projection].shape;
  const WideGas of_step = SatMul(SatMul(projection[0], projection[1]), 10 * Int128{projection[2]} + 128);
  return SatAdd(GasRecurrent(c), SatMul(SatMul(x[0], x[1]), of_step));
}

}  // namespace tally
