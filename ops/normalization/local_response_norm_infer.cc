#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/binade.h"
#include "ops/common/half_up_bounds.h"
#include "ops/infer.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/labels.h"
#include "ops/normalization/rules.h"
#include "ops/reduction/reduce_shape.h"

namespace tally {
namespace {

constexpr Int128 kMaxEntry = Int128{1} << 31;

// Elements of the largest window; axes and lists must have passed the rule's checks.
Int128 WindowSize(const Shape& x, const LocalResponseNormAttrs& attrs) {
  Int128 size = 1;
  for (size_t k = 0; k < attrs.axes.size(); ++k) {
    const int64_t axis = attrs.axes[k] < 0 ? attrs.axes[k] + x.rank() : attrs.axes[k];
    size = SatMul(size, std::min(attrs.before[k] + 1 + attrs.after[k], x[static_cast<int>(axis)]));
  }
  return size;
}

absl::Status CheckWindow(const Shape& x, const LocalResponseNormAttrs& attrs) {
  for (const int64_t axis : attrs.axes) {
    RETURN_IF_ERROR(NormalizeAxis(axis, x.rank(), label::local_response_norm_c2).status());
  }
  if (std::popcount(AxesToReduce(attrs.axes, x.rank())) < std::ssize(attrs.axes)) {
    return MakeError(label::local_response_norm_c3,
                     absl::StrCat("an axis is listed twice among ", attrs.axes.size()));
  }
  if (attrs.before.size() != attrs.axes.size() || attrs.after.size() != attrs.axes.size()) {
    return MakeError(label::local_response_norm_c4,
                     absl::StrCat("before and after have ", attrs.before.size(), " and ", attrs.after.size(),
                                  " entries for ", attrs.axes.size(), " axes"));
  }
  return absl::OkStatus();
}

absl::Status CheckTables(const InferContext& c) {
  const int64_t lengths[] = {0, kBinadeEntries, kBinades};
  for (int i = 1; i <= 2; ++i) {
    if (!c.is_constant(i) || c.shape(i) != *Shape::Create({lengths[i]})) {
      return MakeError(label::local_response_norm_c5,
                       absl::StrCat("operand ", i, " ", c.shape(i).ToString(), " is not a constant list of ",
                                    lengths[i], " entries"));
    }
    if (!EntriesWithin(c, i, 0, kMaxEntry)) {
      return MakeError(label::local_response_norm_c6,
                       absl::StrCat("operand ", i, " is in ", c.entries(i).ToString()));
    }
  }
  return absl::OkStatus();
}

// P = half up of M * X / 2^31, for every M and the X of the binades that u reaches.
WideInterval PowerBounds(const InferContext& c, const WideInterval& u) {
  const int first = FloorLog2Of(u.lo), last = FloorLog2Of(u.hi);
  const TensorView* binades = c.constant(2);
  WideInterval x = binades == nullptr ? WideInterval(c.entries(2)) : Point(binades->at(first));
  for (int i = first + 1; binades != nullptr && i <= last; ++i) x = x.Hull(Point(binades->at(i)));
  return HalfUp(WideInterval(c.entries(1)) * x, 31);
}

}  // namespace

absl::Status InferLocalResponseNorm(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<LocalResponseNormAttrs>();
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::local_response_norm_c1));
  RETURN_IF_ERROR(CheckWindow(c.shape(0), attrs));
  RETURN_IF_ERROR(CheckTables(c));
  RETURN_IF_ERROR(CheckClamp(attrs, label::local_response_norm_c7));
  const WideInterval x = WideInterval(c.interval(0)) - Point(attrs.zero_in);
  const Int128 squares = SatMul(WindowSize(c.shape(0), attrs), SatMul(x.Magnitude(), x.Magnitude()));
  const WideInterval u = {attrs.bias, SatAdd(attrs.bias, SatMul(attrs.alpha, squares))};
  if (u.hi >= Int128{1} << 62) {
    return MakeError(label::local_response_norm_c8, absl::StrCat("u reaches ", ToString(u.hi)));
  }
  RETURN_IF_ERROR(out->SetAccumulator(c, {0, squares}));
  // |x| < 2^31.5, or its square would not fit, and P <= 2^31.
  const WideInterval scaled = x * PowerBounds(c, u);
  return AddPlaced(c, HalfUp(scaled, attrs.shift), attrs, out);
}

WideGas GasLocalResponseNorm(const GasContext& c) {
  const Int128 window = WindowSize(c.operands[0].shape, c.attrs<LocalResponseNormAttrs>());
  const WideGas of_runs = SatMul(SatMul(112, window), RunsOf(c.operands[0].shape));
  return SatAdd(SatAdd(SatMul(SatAdd(SatMul(16, window), 768), c.elements_out(0)), of_runs), 6144);
}

}  // namespace tally
