// Powers with an exponent of its own for every element: exp(p ln x).
#include <array>

#include "ops/common/compose.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"
#include "ops/table/lowering/attrs.h"

namespace tally {
namespace {

constexpr int64_t kLogBits = 24;    // below the point of ln x
constexpr int64_t kPowerBits = 20;  // below the point of p ln x
constexpr int64_t kLogOfZero = -(int64_t{1} << 31);
constexpr int64_t kPowerMax = int64_t{1}
                              << (kPowerBits + 6);  // e^64 / out is above every clamp, e^-64 / out below 1/2

}  // namespace

absl::StatusOr<std::vector<Value>> LowerWidePower(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const auto attrs = Unpack<WidePowerAttrs>(attributes);
  const int64_t shift = attrs.power[1] + kLogBits - kPowerBits;
  if (shift > kMaxRescaleShift) return Meaningless("the scale of the exponent is too fine");
  ASSIGN_OR_RETURN(const std::vector<Value> log, Lower(c, "wide_log", operands.first(1),
                                                       Pack(WideAttrs{.in = attrs.in,
                                                                      .out = {1, kLogBits},
                                                                      .zero_in = attrs.zero_in,
                                                                      .lo = kLogOfZero,
                                                                      .hi = -kLogOfZero})));
  ASSIGN_OR_RETURN(const Value exponent, c.Apply(Opcode::kMulshift, {log[0], operands[1]},
                                                 MulshiftAttrs{.zero_b = attrs.zero_power,
                                                               .multiplier = attrs.power[0],
                                                               .shift = shift,
                                                               .lo = -kPowerMax,
                                                               .hi = kPowerMax}));
  return Lower(c, "wide_exp", std::array{exponent},
               Pack(WideAttrs{.in = {1, kPowerBits},
                              .out = attrs.out,
                              .zero_out = attrs.zero_out,
                              .lo = attrs.lo,
                              .hi = attrs.hi}));
}

}  // namespace tally
