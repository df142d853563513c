// Integers divided and rounded, in forms whose values stay within 48 bits.
#pragma once

#include <optional>
#include <vector>

#include "base/rescale.h"
#include "frontends/onnx/export/graph_writer.h"

namespace tally::onnx {

// a / b as an integer, rounded, for b > 0. Not for kDouble.
Wire RoundedDiv(GraphWriter& g, const Wire& a, const Wire& b, Rounding rounding);

// floor(a / b) for b > 0.
Wire FloorDiv(GraphWriter& g, const Wire& a, const Wire& b);

// round((sum of x * m + bias) / (count * 2^shift)): what rescales, means and sums with weights have in
// common.
//
// A product may have 62 bits, so each m is cut: m = high * 2^k + low. Then
//   floor(P / 2^k) = the sum of x * high + floor((the sum of x * low + the low bits of the bias) / 2^k)
// is exact, and so is the rest: a bit after it says whether anything was cut off ("sticky"), as in floating
// point.
struct Quotient {
  struct Term {
    Wire x;
    std::vector<int64_t> m;  // one, or one for each place on `axis`
  };
  std::vector<Term> terms;
  std::vector<Int128> bias = {0};    // one, or one for each place on `axis`
  std::vector<int64_t> shift = {0};  // the same
  int axis = 0;
  int rank = 0;                    // for the terms
  std::optional<Wire> count = {};  // positive
  Rounding rounding = Rounding::kHalfUp;
  std::optional<Wire> negative = {};  // a truth; the sign that kDouble asks for
};

Wire Write(GraphWriter& g, const Quotient& quotient);

}  // namespace tally::onnx
