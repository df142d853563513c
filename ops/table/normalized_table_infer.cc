#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/binade.h"
#include "ops/common/half_up_bounds.h"
#include "ops/infer.h"
#include "ops/table/attrs.h"
#include "ops/table/labels.h"
#include "ops/table/rules.h"

namespace tally {
namespace {

constexpr int64_t kExponents = 47;  // for positive integers below 2^47
constexpr Int128 kMaxMantissa = Int128{1} << 31;

absl::Status CheckTables(const InferContext& c) {
  const int64_t lengths[] = {0, kBinadeEntries, kExponents};
  for (int i = 1; i <= 2; ++i) {
    if (!c.is_constant(i) || c.shape(i) != *Shape::Create({lengths[i]})) {
      return MakeError(label::normalized_table_c3,
                       absl::StrCat("operand ", i, " ", c.shape(i).ToString(), " is not a constant list of ",
                                    lengths[i], " entries"));
    }
  }
  if (!EntriesWithin(c, 1, -kMaxMantissa, kMaxMantissa)) {
    return MakeError(label::normalized_table_c4,
                     absl::StrCat("the mantissas lie in ", c.entries(1).ToString()));
  }
  return absl::OkStatus();
}

// The bounds of the interpolated mantissas of first .. last, which are in one binade: the values at both ends
// and every entry between them.
WideInterval MantissaBounds(const std::vector<int64_t>& mantissas, int64_t first, int64_t last) {
  const Binade<int64_t> from(first), to(last);
  WideInterval bounds = Point(from.Interpolate(mantissas)).Hull(Point(to.Interpolate(mantissas)));
  for (int64_t i = from.index + 1; i <= to.index; ++i) bounds = bounds.Hull(Point(mantissas[i]));
  return bounds;
}

}  // namespace

absl::Status InferNormalizedTable(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<NormalizedTableAttrs>();
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::normalized_table_c1));
  const Interval x = c.interval(0);
  if (x.lo < 1) {
    return MakeError(label::normalized_table_c2, absl::StrCat("x in ", x.ToString(), " may be below 1"));
  }
  RETURN_IF_ERROR(CheckTables(c));
  RETURN_IF_ERROR(CheckClamp(attrs, label::normalized_table_c5));
  if (c.of_program) return AddClamped(c, attrs, out);
  std::vector<int64_t> mantissas;
  for (int64_t i = 0; i < kBinadeEntries; ++i) mantissas.push_back(c.constant(1)->at(i));
  const int lowest = FloorLog2Of(x.lo), highest = FloorLog2Of(x.hi);
  WideInterval y;
  for (int k = lowest; k <= highest; ++k) {
    const int64_t start = int64_t{1} << k;
    const WideInterval mantissa =
        MantissaBounds(mantissas, std::max(x.lo, start), std::min(x.hi, 2 * start - 1));
    const WideInterval exponent = Point(c.constant(2)->at(k));
    const WideInterval exact = attrs.combine == Combine::kProduct ? mantissa * exponent : mantissa + exponent;
    if (!CanBeRounded(exact.Magnitude(), attrs.shift)) {
      return MakeError(label::normalized_table_c6,
                       absl::StrCat("before the shift the result lies in [", ToString(exact.lo), ", ",
                                    ToString(exact.hi), "]"));
    }
    y = k == lowest ? HalfUp(exact, attrs.shift) : y.Hull(HalfUp(exact, attrs.shift));
  }
  return AddPlaced(c, y, attrs, out);
}

WideGas GasNormalizedTable(const GasContext& c) { return SatAdd(1536, SatMul(112, c.elements_out(0))); }

}  // namespace tally
