#include "frontends/onnx/export/operators.h"
#include "frontends/onnx/export/quotient.h"
#include "ops/normalization/attrs.h"

namespace tally::onnx {
namespace {

constexpr int64_t kReciprocalBits = 61;
constexpr int64_t kLowBits = 16;  // a reciprocal's

// x, which is at least `least`, as the sum of its high and its low bits, of which the high ones say so.
Wire AtLeast(GraphWriter& g, const Wire& x, int64_t least) {
  const Wire unit = g.Scalar(int64_t{1} << kLowBits);
  const Wire high = g.Max(g.Div(x, unit), g.Scalar(least >> kLowBits));
  return g.Add(g.Mul(high, unit), g.Mod(x, unit));
}

// floor(2^61 / s) and what is left, by long division: 2^46 first, then as many bits at once as the rest,
// below s, leaves free.
struct Division {
  Wire quotient, rest;
};
Division Reciprocal(GraphWriter& g, const Wire& s) {
  constexpr int64_t kFirstBits = 46;
  const Wire first = g.Scalar(int64_t{1} << kFirstBits);
  Division d = {g.Div(first, s), g.Mod(first, s)};
  int64_t step = 0;
  while (step < kFirstBits && s.interval.hi <= TensorLimit(Profile::kCore).hi >> (step + 1)) ++step;
  if (step == 0) g.Refuse("a value of its form may need more than 48 bits");
  for (int64_t left = kReciprocalBits - kFirstBits; left > 0 && g.refusal().empty(); left -= step) {
    const Wire unit = g.Scalar(int64_t{1} << std::min(step, left));
    const Wire dividend = g.Mul(d.rest, unit);
    d.rest = g.Mod(dividend, s);
    d.quotient = g.Add(g.Mul(d.quotient, unit), g.Div(dividend, s));
  }
  return d;
}

}  // namespace

// e = E[max - x], 0 after the table; r = round(2^61 / S), S the sum of the e of a row; y = round(e * r /
// 2^(61 - bits)).
Wires ExportSoftmax(ExportContext& c) {
  const auto attrs = c.attrs<SoftmaxAttrs>();
  GraphWriter& g = c.g;
  const int axis = FrontAxis(attrs.axis, c.rank(0));
  const Wire x = c.Narrow(0), table = c.x(1);
  const int64_t entries = table.shape.num_elements();
  const Wire distance = g.Sub(g.ReduceMax(x, {axis}, true), x);
  Wire e = g.Int64(g.Gather(table, g.Clip(distance, {0, entries - 1}), 0));
  if (distance.interval.hi >= entries) {
    e = g.Where(g.Compare("Less", distance, g.Scalar(entries)), e, g.Scalar(0));
  }
  const Wire s = AtLeast(g, g.ReduceSum(e, {axis}, true), c.constant(1)->at(0));  // which the greatest x adds
  const Division d = Reciprocal(g, s);
  const Wire up = g.Compare("GreaterOrEqual", g.Add(d.rest, g.Div(s, g.Scalar(2))), s);
  const Wire r = g.Add(d.quotient, g.Int64(up));
  // e * r has 62 bits: the low bits of r apart.
  const Wire unit = g.Scalar(int64_t{1} << kLowBits);
  const Wire low = g.Mul(e, g.Mod(r, unit)), high = g.Mul(e, g.Div(r, unit));
  const Wire floor = g.Add(high, g.Div(low, unit));
  const Wire y = RoundedDiv(g, floor, g.Scalar(int64_t{1} << (kReciprocalBits - attrs.bits - kLowBits)),
                            Rounding::kHalfUp);
  return {c.OffsetAndClamp(y, attrs)};
}

}  // namespace tally::onnx
