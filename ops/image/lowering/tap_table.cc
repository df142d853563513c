#include "ops/image/lowering/tap_table.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"

namespace tally {
namespace {

using BigInt = boost::multiprecision::cpp_int;

constexpr int64_t kMaxTaps = int64_t{1} << 20;  // for all rows of an axis

BigInt FloorOf(const BigInt& a, const BigInt& b) {  // b > 0
  const BigInt quotient = a / b;
  return a < 0 && quotient * b != a ? BigInt(quotient - 1) : quotient;
}

BigInt CeilOf(const BigInt& a, const BigInt& b) { return -FloorOf(-a, b); }

// The position of output point o on the input axis: (slope * o + origin) / whole.
struct Line {
  BigInt slope = 0;
  BigInt origin = 0;
  BigInt whole = 1;

  BigInt at(int64_t o) const { return slope * o + origin; }  // over whole
};

Line LineOf(const ResizeAttrs& attrs, const ResizedAxis& axis) {
  const BigInt in = axis.in, out = axis.out, p = axis.scale[0], q = axis.scale[1];
  const Line start;                                         // 0 for every o
  const Line corners = {in - 1, 0, out - 1};                // o (in - 1) / (out - 1); out > 1
  const Line half_pixel = {2 * q, q - p, 2 * p};            // (o + 1/2) / scale - 1/2
  const BigInt spacing = axis.in > 1 ? in - 1 : BigInt(1);  // roi_align's, times out
  const BigInt first = axis.region[0], last = axis.region[1], unit = attrs.region_unit;
  switch (attrs.coordinates) {
    case Coordinates::kHalfPixel: return half_pixel;
    case Coordinates::kHalfPixelSymmetric:
      // Moved by half of what the rounded output size lacks: in / 2 * (1 - out / (scale * in)).
      return {2 * q, q - p + in * p - out * q, 2 * p};
    case Coordinates::kPytorchHalfPixel: return axis.out > 1 ? half_pixel : start;
    case Coordinates::kAlignCorners: return axis.out > 1 ? corners : start;
    case Coordinates::kAsymmetric: return {q, 0, p};
    case Coordinates::kTfHalfPixelForNn: return {2 * q, q, 2 * p};
    case Coordinates::kTfCropAndResize:
      if (axis.out == 1) return {0, (first + last) * (in - 1), 2 * unit};
      return {(last - first) * (in - 1), first * (in - 1) * (out - 1), unit * (out - 1)};
    case Coordinates::kAlignEndpoints: return axis.out > 1 ? corners : Line{0, in - 1, 2};
    case Coordinates::kRoiAlign: return {2 * spacing, spacing, 2 * out};
  }
  __builtin_unreachable();  // the attributes' check admits no other
}

int64_t NearestOf(Nearest mode, const BigInt& position, const BigInt& whole, int64_t in) {
  const auto pixel = [&]() -> BigInt {
    switch (mode) {
      case Nearest::kRoundPreferFloor: return CeilOf(2 * position - whole, 2 * whole);
      case Nearest::kRoundPreferCeil: return FloorOf(2 * position + whole, 2 * whole);
      case Nearest::kFloor: return FloorOf(position, whole);
      case Nearest::kCeil: return CeilOf(position, whole);
    }
    __builtin_unreachable();
  };
  return static_cast<int64_t>(std::clamp<BigInt>(pixel(), 0, in - 1));
}

// Proportions of the pixels of one row, in any unit; pixels ascend.
using Row = std::vector<std::pair<int64_t, BigInt>>;

// The kernel at distance a / b, b > 0, times a number that depends on b only.
BigInt KernelAt(const ResizeAttrs& attrs, const BigInt& a, const BigInt& b) {
  if (attrs.mode == ResizeMode::kLinear) return a < b ? BigInt(b - a) : BigInt(0);
  const BigInt n = attrs.cubic_numerator, d = attrs.cubic_denominator;  // c = n / d
  if (a <= b) return (n + 2 * d) * a * a * a - (n + 3 * d) * a * a * b + d * b * b * b;
  if (a < 2 * b) return n * (a * a * a - 5 * a * a * b + 8 * a * b * b - 4 * b * b * b);
  return 0;
}

// How far a kernel that is `radius` wide reaches on the input: by numerator / denominator.
struct Reach {
  BigInt numerator;
  BigInt denominator;
};

Reach ReachOf(const ResizeAttrs& attrs, const ResizedAxis& axis) {
  const BigInt radius = attrs.mode == ResizeMode::kLinear ? 1 : 2;
  const bool stretched = attrs.antialias && axis.scale[0] < axis.scale[1];
  return stretched ? Reach{radius * axis.scale[1], axis.scale[0]} : Reach{radius, 1};
}

// Weights of the kernel around position / whole; pixels beyond an end read it, or nothing under
// exclude_outside.
Row KernelEntry(const ResizeAttrs& attrs, const ResizedAxis& axis, const BigInt& position,
                const BigInt& whole) {
  const Reach reach = ReachOf(attrs, axis);
  const BigInt radius = attrs.mode == ResizeMode::kLinear ? 1 : 2;
  const BigInt span = reach.numerator * whole, unit = reach.denominator * whole;
  const BigInt first = CeilOf(position * reach.denominator - span, unit);
  const BigInt last = FloorOf(position * reach.denominator + span, unit);
  Row row;
  for (BigInt t = first; t <= last; ++t) {
    const bool outside = t < 0 || t >= axis.in;
    if (outside && attrs.exclude_outside) continue;
    const BigInt distance = abs(BigInt(t * whole - position)) * radius * reach.denominator;
    const BigInt weight = KernelAt(attrs, distance, reach.numerator * whole);
    if (weight == 0) continue;
    const int64_t pixel = static_cast<int64_t>(std::clamp<BigInt>(t, 0, axis.in - 1));
    if (row.empty() || row.back().first != pixel) row.emplace_back(pixel, 0);
    row.back().second += weight;
  }
  return row;
}

// The part of [o, o + 1) / scale that pixel [t, t + 1) covers.
Row AreaRow(const ResizedAxis& axis, int64_t o) {
  const BigInt p = axis.scale[0], q = axis.scale[1], begin = o * q, end = (o + BigInt(1)) * q;  // over p
  Row row;
  for (BigInt t = FloorOf(begin, p); t < axis.in && t * p < end; ++t) {
    const BigInt from = std::max<BigInt>(begin, t * p), to = std::min<BigInt>(end, (t + 1) * p);
    row.emplace_back(static_cast<int64_t>(t), to - from);
  }
  return row;
}

constexpr int64_t kMaxWeight = int64_t{1} << 40;

absl::StatusOr<BigInt> SumOf(const Row& row) {
  BigInt sum = 0;
  for (const auto& [pixel, weight] : row) sum += weight;
  if (sum <= 0) return MakeError(label::lowering_operands, "the weights of a row have no positive sum");
  return sum;
}

// Weights in proportion to `row` that sum to 2^bits.
absl::StatusOr<std::vector<int64_t>> Normalized(const Row& row, int64_t bits) {
  ASSIGN_OR_RETURN(const BigInt sum, SumOf(row));
  std::vector<int64_t> weights;
  std::vector<std::pair<BigInt, size_t>> remainders;
  BigInt missing = BigInt(1) << static_cast<unsigned>(bits);
  for (const auto& [pixel, weight] : row) {
    const BigInt scaled = weight << static_cast<unsigned>(bits), floor = FloorOf(scaled, sum);
    if (abs(floor) > kMaxWeight) {
      return MakeError(label::lowering_operands, "a weight is far beyond the sum of its row");
    }
    remainders.emplace_back(scaled - floor * sum, weights.size());
    weights.push_back(static_cast<int64_t>(floor));
    missing -= floor;
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t k = 0; k < static_cast<size_t>(missing); ++k) ++weights[remainders[k].second];
  return weights;
}

// The least number that rows of integers in the given proportions can all sum to.
absl::StatusOr<int64_t> CommonDenominator(const std::vector<std::optional<Row>>& rows) {
  BigInt whole = 1;
  for (const std::optional<Row>& row : rows) {
    if (!row.has_value()) continue;
    ASSIGN_OR_RETURN(const BigInt sum, SumOf(*row));
    BigInt divisor = sum;
    for (const auto& [pixel, weight] : *row) divisor = gcd(divisor, BigInt(abs(weight)));
    whole = lcm(whole, BigInt(sum / divisor));
    if (whole > kMaxWeight) {
      return MakeError(label::lowering_operands, "exact weights need a denominator above 2^40");
    }
  }
  return static_cast<int64_t>(whole);
}

// Weights in proportion to `row` that sum to `whole`, a multiple of what CommonDenominator says.
absl::StatusOr<std::vector<int64_t>> Exact(const Row& row, int64_t whole) {
  ASSIGN_OR_RETURN(const BigInt sum, SumOf(row));
  std::vector<int64_t> weights;
  for (const auto& [pixel, weight] : row) {
    const BigInt scaled = weight * whole / sum;
    if (abs(scaled) > kMaxWeight) {
      return MakeError(label::lowering_operands, "a weight is far beyond the sum of its row");
    }
    weights.push_back(static_cast<int64_t>(scaled));
  }
  return weights;
}

int64_t WeightBits(const ResizeAttrs& attrs) {
  if (attrs.mode == ResizeMode::kNearest) return 0;
  if (attrs.weight_bits > 0) return attrs.weight_bits;
  return attrs.mode == ResizeMode::kCubic ? 14 : 11;
}

// The weights of the taps of point o of the axis; nothing where it is outside.
std::optional<Row> RowAt(const ResizeAttrs& attrs, const ResizedAxis& axis, const Line& line, int64_t o) {
  const BigInt position = line.at(o);
  if (attrs.coordinates == Coordinates::kTfCropAndResize &&
      (position < 0 || position > line.whole * (axis.in - 1))) {
    return std::nullopt;
  }
  switch (attrs.mode) {
    case ResizeMode::kNearest: return Row{{NearestOf(attrs.nearest, position, line.whole, axis.in), 1}};
    case ResizeMode::kArea: return AreaRow(axis, o);
    default: return KernelEntry(attrs, axis, position, line.whole);
  }
}

// An upper bound of the taps of one row.
BigInt MostTaps(const ResizeAttrs& attrs, const ResizedAxis& axis) {
  if (attrs.mode == ResizeMode::kNearest) return 1;
  if (attrs.mode == ResizeMode::kArea) return BigInt(axis.scale[1]) / axis.scale[0] + 2;
  const Reach reach = ReachOf(attrs, axis);
  return 2 * reach.numerator / reach.denominator + 2;
}

}  // namespace

absl::StatusOr<TapTable> MakeTapTable(const ResizeAttrs& attrs, const ResizedAxis& axis) {
  if (MostTaps(attrs, axis) * axis.out > kMaxTaps) {
    return MakeError(label::lowering_operands, absl::StrCat("from ", axis.in, " to ", axis.out,
                                                            " elements are more than ", kMaxTaps, " taps"));
  }
  const Line line = LineOf(attrs, axis);
  std::vector<std::optional<Row>> rows;
  for (int64_t o = 0; o < axis.out; ++o) rows.push_back(RowAt(attrs, axis, line, o));
  TapTable table = {.whole = int64_t{1} << WeightBits(attrs)};
  if (attrs.exact) {
    ASSIGN_OR_RETURN(table.whole, CommonDenominator(rows));
  }
  std::vector<std::vector<int64_t>> pixels(axis.out), weights(axis.out);
  for (int64_t o = 0; o < axis.out; ++o) {
    if (!rows[o].has_value()) {
      table.reads_nothing = true;
      continue;
    }
    ASSIGN_OR_RETURN(weights[o],
                     attrs.exact ? Exact(*rows[o], table.whole) : Normalized(*rows[o], WeightBits(attrs)));
    for (const auto& [pixel, weight] : *rows[o]) pixels[o].push_back(pixel);
    table.taps = std::max<int64_t>(table.taps, std::ssize(*rows[o]));
  }
  for (int64_t o = 0; o < axis.out; ++o) {
    pixels[o].resize(table.taps, pixels[o].empty() ? 0 : pixels[o].back());
    weights[o].resize(table.taps, 0);
    table.index.insert(table.index.end(), pixels[o].begin(), pixels[o].end());
    table.weight.insert(table.weight.end(), weights[o].begin(), weights[o].end());
  }
  return table;
}

}  // namespace tally
