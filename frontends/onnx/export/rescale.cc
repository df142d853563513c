#include "frontends/onnx/export/operators.h"
#include "frontends/onnx/export/quotient.h"
#include "ops/rescale/attrs.h"

namespace tally::onnx {
namespace {

// A value saturated to a CVM precision.
Wire Saturated(ExportContext& c, const Wire& x, int64_t precision) {
  const int64_t alpha = (int64_t{1} << (precision - 1)) - 1;
  return c.g.Clip(x, {-alpha, alpha});
}

}  // namespace

// The zero point goes into the bias: (x - z) * m + b = x * m + (b - z * m).
Wires ExportRescale(ExportContext& c) {
  const auto attrs = c.attrs<RescaleAttrs>();
  Quotient q = {.shift = Elements(*c.constant(3)), .rank = c.rank(0), .rounding = attrs.rounding};
  q.terms.push_back({c.Narrow(0), Elements(*c.constant(1))});
  q.axis = q.shift.size() == 1 ? 0 : FrontAxis(attrs.axis, c.rank(0));
  q.bias.clear();
  for (int64_t i = 0; i < std::ssize(q.shift); ++i) {
    q.bias.push_back(Int128{c.constant(2)->at(i)} - Int128{attrs.zero_in} * c.constant(1)->at(i));
  }
  if (attrs.rounding == Rounding::kDouble)
    q.negative = c.g.Compare("Less", c.x(0), c.g.Scalar(attrs.zero_in));
  return {c.OffsetAndClamp(Write(c.g, q), attrs)};
}

Wires ExportLincomb(ExportContext& c) {
  const auto attrs = c.attrs<LincombAttrs>();
  Quotient q = {.bias = {attrs.bias}, .shift = {attrs.shift}, .rank = c.rank(0), .rounding = attrs.rounding};
  for (size_t i = 0; i < c.num_operands(); ++i) {
    q.terms.push_back({c.Narrow(i), {attrs.multipliers[i]}});
    q.bias[0] -= Int128{attrs.zero_points[i]} * attrs.multipliers[i];
  }
  return {c.OffsetAndClamp(Write(c.g, q), attrs)};
}

Wires ExportMulshift(ExportContext& c) {
  GraphWriter& g = c.g;
  const auto attrs = c.attrs<MulshiftAttrs>();
  const Wire v = g.Mul(g.Offset(c.Narrow(0), -attrs.zero_a), g.Offset(c.Narrow(1), -attrs.zero_b));
  Quotient q = {.terms = {{v, {attrs.multiplier}}},
                .shift = {attrs.shift},
                .rank = v.shape.rank(),
                .rounding = attrs.rounding};
  if (attrs.rounding == Rounding::kDouble) q.negative = g.Compare("Less", v, g.Scalar(0));
  return {c.OffsetAndClamp(Write(g, q), attrs)};
}

Wires ExportCvmClip(ExportContext& c) { return {Saturated(c, c.x(0), c.attrs<CvmClipAttrs>().precision)}; }

Wires ExportCvmRightShift(ExportContext& c) {
  const auto attrs = c.attrs<CvmShiftAttrs>();
  const Wire y = RoundedDiv(c.g, c.x(0), c.g.Scalar(int64_t{1} << attrs.shift_bit), Rounding::kHalfUp);
  return {Saturated(c, y, attrs.precision)};
}

Wires ExportCvmLeftShift(ExportContext& c) {
  const auto attrs = c.attrs<CvmShiftAttrs>();
  return {Saturated(c, c.g.Mul(c.x(0), c.g.Scalar(int64_t{1} << attrs.shift_bit)), attrs.precision)};
}

}  // namespace tally::onnx
