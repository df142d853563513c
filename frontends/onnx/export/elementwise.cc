#include "frontends/onnx/export/operators.h"
#include "frontends/onnx/export/quotient.h"
#include "ops/elementwise/attrs.h"

namespace tally::onnx {
namespace {

// Bits that hold the largest of `interval`, which is not negative.
int BitsOf(const Interval& interval) {
  int bits = 0;
  for (uint64_t rest = interval.Magnitude(); rest > 0; rest >>= 1) ++bits;
  return bits;
}

// How many of 2^first, 2^(first + 1), ... are at most x: compared along an axis of their own, and counted.
Wire PowersUpTo(GraphWriter& g, const Wire& x, int first) {
  std::vector<int64_t> powers;
  for (int k = first; k < BitsOf(x.interval); ++k) powers.push_back(int64_t{1} << k);
  if (powers.empty()) return g.Expand(g.Scalar(0), x.shape);
  std::vector<int64_t> dims = DimsOf(x.shape);
  dims.push_back(1);
  const Wire apart = g.Reshape(x, ShapeOfDims(dims));
  return g.ReduceSum(g.Int64(g.Compare("GreaterOrEqual", apart, g.List(powers))), {x.shape.rank()}, false);
}

// 2^b; b is in [0, 62].
Wire PowerOfTwo(GraphWriter& g, const Wire& b) {
  std::vector<int64_t> powers;
  for (int64_t k = 0; k <= b.interval.hi; ++k) powers.push_back(int64_t{1} << k);
  if (b.constant != nullptr) {
    std::vector<int64_t> values = Elements(*b.constant);
    for (int64_t& value : values) value = powers[value];
    return g.Constant(*Tensor::FromValues(b.shape, values));
  }
  return g.Gather(g.List(powers), b, 0);
}

// a / b and what is left of it, by form(a, |b|); 0 where b is 0.
template <typename Form>
Wire WhereDivisible(GraphWriter& g, const Wire& a, const Wire& b, const Form& form) {
  const bool has_zero = b.interval.Contains(0);
  const Wire is_zero = has_zero ? g.Compare("Equal", b, g.Scalar(0)) : Wire();
  // 0 / 1 is 0 in every mode, and so is its remainder.
  const Wire divisor = has_zero ? g.Where(is_zero, g.Scalar(1), b) : b;
  const Wire dividend = has_zero ? g.Where(is_zero, g.Scalar(0), a) : a;
  if (b.interval.lo >= 0) return form(dividend, divisor);
  const Wire is_negative = g.Compare("Less", divisor, g.Scalar(0));
  return form(g.Where(is_negative, g.Sub(g.Scalar(0), dividend), dividend), g.Abs(divisor));
}

Wire Quotients(GraphWriter& g, const Wire& a, const Wire& b, Rounding rounding) {
  return WhereDivisible(g, a, b, [&](const Wire& x, const Wire& y) { return RoundedDiv(g, x, y, rounding); });
}

}  // namespace

Wires ExportAdd(ExportContext& c) { return {c.g.Add(c.x(0), c.x(1))}; }
Wires ExportSub(ExportContext& c) { return {c.g.Sub(c.x(0), c.x(1))}; }
Wires ExportMul(ExportContext& c) { return {c.g.Mul(c.x(0), c.x(1))}; }
Wires ExportMax(ExportContext& c) { return {c.g.Max(c.x(0), c.x(1))}; }
Wires ExportMin(ExportContext& c) { return {c.g.Min(c.x(0), c.x(1))}; }
Wires ExportAbs(ExportContext& c) { return {c.g.Abs(c.x(0))}; }
Wires ExportNegative(ExportContext& c) { return {c.g.Sub(c.g.Scalar(0), c.x(0))}; }
Wires ExportRelu(ExportContext& c) { return {c.g.Max(c.x(0), c.g.Scalar(0))}; }

Wires ExportClip(ExportContext& c) {
  const auto attrs = c.attrs<ClipAttrs>();
  return {c.g.Clip(c.x(0), {attrs.a_min, attrs.a_max})};
}

// The bits of |x|, at least 1: 0 and 1 take one, and one more for each further power of two that is reached.
Wires ExportCvmPrecision(ExportContext& c) {
  if (c.rank(0) == kMaxRank) return c.Refuse("its form needs a rank beyond 8");
  return {c.g.Add(PowersUpTo(c.g, c.g.Abs(c.x(0)), 1), c.g.Scalar(1))};
}

// A negative x starts with a one; else the bits that are left beside those of x.
Wires ExportClz(ExportContext& c) {
  if (c.rank(0) == kMaxRank) return c.Refuse("its form needs a rank beyond 8");
  const Wire x = c.Narrow(0);
  const Wire zeros = c.g.Sub(c.g.Scalar(c.attrs<ClzAttrs>().bits), PowersUpTo(c.g, x, 0));
  if (x.interval.lo >= 0) return {zeros};
  return {c.g.Where(c.g.Compare("Less", x, c.g.Scalar(0)), c.g.Scalar(0), zeros)};
}

Wires ExportBroadcastDiv(ExportContext& c) { return {Quotients(c.g, c.x(0), c.x(1), Rounding::kTrunc)}; }

Wires ExportDivide(ExportContext& c) {
  const Rounding rounding = c.attrs<DivideAttrs>().rounding;
  return {Quotients(c.g, c.x(0), c.x(1), rounding)};
}

// a - b * (a / b), with the quotient that the mode names.
Wires ExportModulo(ExportContext& c) {
  GraphWriter& g = c.g;
  const Wire quotient = Quotients(g, c.x(0), c.x(1), c.attrs<ModuloAttrs>().quotient());
  const Wire rest = g.Sub(c.x(0), g.Mul(quotient, c.x(1)));
  if (!c.x(1).interval.Contains(0)) return {rest};
  return {g.Where(g.Compare("Equal", c.x(1), g.Scalar(0)), g.Scalar(0), rest)};
}

// ONNX Runtime raises in floating point, so the power is written as products.
Wires ExportPower(ExportContext& c) {
  if (c.constant(1) == nullptr || c.operand_types[1].interval.lo != c.operand_types[1].interval.hi) {
    return c.Refuse("its exponent is not one constant");
  }
  Wire square = c.x(0), y = c.g.Scalar(1);
  bool is_first = true;
  for (int64_t rest = c.constant(1)->at(0); rest > 0; rest >>= 1) {
    if (rest & 1) y = is_first ? square : c.g.Mul(y, square);
    if (rest & 1) is_first = false;
    if (rest > 1) square = c.g.Mul(square, square);
  }
  return {c.g.Expand(y, c.results[0].shape)};
}

Wires ExportShiftLeft(ExportContext& c) { return {c.g.Mul(c.x(0), PowerOfTwo(c.g, c.Narrow(1)))}; }

Wires ExportShiftRight(ExportContext& c) {
  return {RoundedDiv(c.g, c.x(0), PowerOfTwo(c.g, c.Narrow(1)), c.attrs<ShiftRightAttrs>().rounding)};
}

}  // namespace tally::onnx
