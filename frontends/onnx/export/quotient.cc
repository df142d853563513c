#include "frontends/onnx/export/quotient.h"

#include <algorithm>

namespace tally::onnx {
namespace {

constexpr int64_t kMostLowBits = 16;  // 2^62 leaves 46 bits for the rest of a shift

// `value`, or what no constant of a form may be.
int64_t Fitting(Int128 value) {
  return static_cast<int64_t>(std::clamp<Int128>(value, INT64_MIN, INT64_MAX));
}

int64_t Low(Int128 value, int64_t bits) { return static_cast<int64_t>(value & ((Int128{1} << bits) - 1)); }

// A number for each place on the axis of `q`.
template <typename Of>
std::vector<int64_t> ForPlaces(const Quotient& q, const Of& of) {
  size_t places = std::max(q.bias.size(), q.shift.size());
  for (const Quotient::Term& term : q.terms) places = std::max(places, term.m.size());
  std::vector<int64_t> values;
  for (size_t i = 0; i < places; ++i) values.push_back(of(i));
  return values;
}

template <typename T>
const T& At(const std::vector<T>& values, size_t i) {
  return values.size() == 1 ? values[0] : values[i];
}

Wire Sum(GraphWriter& g, const std::vector<Wire>& wires) {
  Wire sum = wires[0];
  for (size_t i = 1; i < wires.size(); ++i) sum = g.Add(sum, wires[i]);
  return sum;
}

bool AreAll(const std::vector<int64_t>& values, int64_t value) {
  return std::ranges::all_of(values, [&](int64_t v) { return v == value; });
}

// The sum of x * part(m), the terms whose factors are all 0 left out.
template <typename Part>
Wire Products(GraphWriter& g, const Quotient& q, const Part& part) {
  std::vector<Wire> products;
  for (const Quotient::Term& term : q.terms) {
    const auto factors = ForPlaces(q, [&](size_t i) { return part(At(term.m, i), i); });
    if (AreAll(factors, 0)) continue;
    products.push_back(g.Mul(term.x, g.AlongAxis(factors, q.axis, q.rank)));
  }
  return products.empty() ? g.Mul(q.terms[0].x, g.Scalar(0)) : Sum(g, products);
}

// Whether x * m and their sum stay as they are in 48 bits, and the halves that rounding adds.
bool IsNarrow(const Quotient& q) {
  const Int128 limit = TensorLimit(Profile::kCore).hi;
  const auto magnitudes = [&](size_t i) {
    Int128 magnitude = q.bias.size() == 1 ? q.bias[0] : q.bias[i];
    if (magnitude < 0) magnitude = -magnitude;
    for (const Quotient::Term& term : q.terms) {
      const Int128 m = At(term.m, i);
      magnitude += static_cast<Int128>(term.x.interval.Magnitude()) * (m < 0 ? -m : m);
    }
    const Int128 divisor = (Int128{1} << At(q.shift, i)) * (q.count ? q.count->interval.hi : 1);
    return static_cast<int64_t>(2 * (magnitude + divisor) <= limit);
  };
  return AreAll(ForPlaces(q, magnitudes), 1);
}

// Modes that are a floor of P and a half: the half joins the bias.
bool AddsItsHalf(const Quotient& q) {
  if (q.count) return false;
  return q.rounding == Rounding::kFloor || q.rounding == Rounding::kHalfUp || q.rounding == Rounding::kDouble;
}

}  // namespace

Wire FloorDiv(GraphWriter& g, const Wire& a, const Wire& b) {
  if (a.interval.lo >= 0 || b.interval == Interval{1, 1}) return g.Div(a, b);
  return g.Div(g.Sub(a, g.Mod(a, b)), b);
}

Wire RoundedDiv(GraphWriter& g, const Wire& a, const Wire& b, Rounding rounding) {
  if (b.interval == Interval{1, 1}) return g.Div(a, b);
  const Wire half = b.interval.lo == b.interval.hi ? g.Scalar(b.interval.lo / 2) : g.Div(b, g.Scalar(2));
  switch (rounding) {
    case Rounding::kFloor: return FloorDiv(g, a, b);
    case Rounding::kTrunc: return g.Div(a, b);
    case Rounding::kDouble:
    case Rounding::kHalfUp: return FloorDiv(g, g.Add(a, half), b);
    case Rounding::kHalfAway: {
      const Wire magnitude = g.Div(g.Add(g.Abs(a), half), b);
      if (a.interval.lo >= 0) return magnitude;
      return g.Where(g.Compare("Less", a, g.Scalar(0)), g.Sub(g.Scalar(0), magnitude), magnitude);
    }
    case Rounding::kHalfEven: {
      const Wire rest = g.Mod(a, b);
      const Wire floor = g.Div(g.Sub(a, rest), b);
      // Up where the rest is more than a half, or a half above an odd floor.
      const Wire twice = g.Add(g.Mul(rest, g.Scalar(2)), g.Mod(floor, g.Scalar(2)));
      return g.Add(floor, g.Int64(g.Compare("Greater", twice, b)));
    }
  }
  return a;
}

Wire Write(GraphWriter& g, const Quotient& q) {
  const bool adds_half = AddsItsHalf(q);
  const auto half = [&](size_t i) {
    const int64_t shift = At(q.shift, i);
    return !adds_half || q.rounding == Rounding::kFloor || shift == 0 ? Int128{0} : Int128{1} << (shift - 1);
  };
  // The amount that TFLite's two steps add or take away beyond a half, by the sign of the multiplied value.
  constexpr int64_t kFirstHalf = int64_t{1} << 30;
  const auto first_half = [&](size_t i) { return At(q.shift, i) > 31 ? kFirstHalf : 0; };
  const bool is_double = q.rounding == Rounding::kDouble && !AreAll(ForPlaces(q, first_half), 0);

  // One bit of a shift stays after the cut, so that halves are seen there.
  const bool is_narrow = IsNarrow(q);
  const auto cut = [&](size_t i) {
    return is_narrow ? 0 : std::clamp<int64_t>(At(q.shift, i) - 1, 0, kMostLowBits);
  };
  const auto along_axis = [&](const auto& of) { return g.AlongAxis(ForPlaces(q, of), q.axis, q.rank); };
  const auto bias = [&](size_t i) { return At(q.bias, i) + half(i); };

  Wire u = Products(g, q, [&](int64_t m, size_t i) { return m >> cut(i); });
  Wire rest = g.Scalar(0);
  if (!AreAll(ForPlaces(q, cut), 0)) {
    const Wire low = g.Add(Products(g, q, [&](int64_t m, size_t i) { return Low(m, cut(i)); }),
                           along_axis([&](size_t i) { return Low(bias(i), cut(i)); }));
    const Wire unit = along_axis([&](size_t i) { return int64_t{1} << cut(i); });
    rest = g.Mod(low, unit);
    u = g.Add(u, g.Div(g.Sub(low, rest), unit));
  }
  u = g.Add(u, along_axis([&](size_t i) { return Fitting(bias(i) >> cut(i)); }));
  if (is_double) {
    const Wire first = along_axis([&](size_t i) { return first_half(i) >> cut(i); });
    u = g.Add(u, g.Where(*q.negative, g.Sub(g.Scalar(0), first), first));
  }
  const auto left = [&](size_t i) { return At(q.shift, i) - cut(i); };
  Wire divisor = along_axis([&](size_t i) { return int64_t{1} << left(i); });
  if (adds_half) return FloorDiv(g, u, divisor);
  if (q.count) divisor = g.Mul(*q.count, divisor);
  if (is_narrow) return RoundedDiv(g, u, divisor, q.rounding);
  const Wire sticky = g.Min(rest, g.Scalar(1));
  return RoundedDiv(g, g.Add(g.Mul(u, g.Scalar(2)), sticky), g.Mul(divisor, g.Scalar(2)), q.rounding);
}

}  // namespace tally::onnx
