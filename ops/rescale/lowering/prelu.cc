// PReLU and leaky ReLU: a rescale for each side of zero.
#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/comparison/attrs.h"
#include "ops/elementwise/attrs.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"
#include "ops/rescale/lowering/attrs.h"

namespace tally {
namespace {

// rescale(x, m, 0, s) of the values of x in [lo, hi].
absl::StatusOr<Value> RescaleWithin(Composition& c, Value x, int64_t lo, int64_t hi, Value m, Value s,
                                    const PreluAttrs& attrs) {
  if (!Interval{lo, hi}.Contains(c.interval(x))) {
    ASSIGN_OR_RETURN(x, c.Apply(Opcode::kClip, {x}, ClipAttrs{lo, hi}));
  }
  const int64_t channels = c.shape(m)[0];
  const Value b = c.Constant({channels}, std::vector<int64_t>(channels, 0));
  return c.Apply(Opcode::kRescale, {x, m, b, s},
                 RescaleAttrs{.axis = attrs.axis,
                              .zero_in = attrs.zero_in,
                              .zero_out = attrs.zero_out,
                              .lo = attrs.lo,
                              .hi = attrs.hi,
                              .rounding = attrs.rounding});
}

}  // namespace

// Each side is clipped to where it is selected, so that the interval knows no more than the values.
absl::StatusOr<std::vector<Value>> LowerPrelu(Composition& c, std::span<const Value> operands,
                                              const Attributes& attributes) {
  const auto attrs = Unpack<PreluAttrs>(attributes);
  const Value x = operands[0], m = operands[1], s = operands[2];
  if (c.shape(m).rank() != 1) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("m of shape ", c.shape(m).ToString(), " is not a list"));
  }
  const Interval in = c.interval(x);
  const int64_t zero = attrs.zero_in;
  const auto rise = [&] {
    const Value multiplier = c.Constant({1}, {attrs.multiplier}), shift = c.Constant({1}, {attrs.shift});
    return RescaleWithin(c, x, zero, std::max(in.hi, zero), multiplier, shift, attrs);
  };
  const auto fall = [&] { return RescaleWithin(c, x, std::min(in.lo, zero), zero, m, s, attrs); };
  Value y;
  if (in.lo >= zero) {
    ASSIGN_OR_RETURN(y, rise());
  } else if (in.hi < zero) {
    ASSIGN_OR_RETURN(y, fall());
  } else {
    ASSIGN_OR_RETURN(const Value rises, c.Apply(Opcode::kCompare, {x, c.Constant({}, {zero})},
                                                CompareAttrs{Comparison::kGreaterEqual}));
    ASSIGN_OR_RETURN(const Value above, rise());
    ASSIGN_OR_RETURN(const Value below, fall());
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kSelect, {rises, above, below}));
  }
  return std::vector<Value>{y};
}

}  // namespace tally
