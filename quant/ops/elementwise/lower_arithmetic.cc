#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "ops/table/recipe/recipe.h"
#include "quant/labels.h"
#include "quant/lower/lowering.h"
#include "quant/ops/elementwise/elementwise_ops.h"

namespace tally::quant {
namespace {

// The constant operand of a node, of one element or of one for each channel of the other, whose shape the
// result has.
struct ChannelConstant {
  size_t other = 0;  // operand
  int64_t axis = 0;  // for the channels
  std::vector<double> values;
};

std::optional<ChannelConstant> ChannelConstantOf(const Lowering& lowering, const Node& node) {
  const Graph& graph = lowering.graph();
  for (const size_t index : {1, 0}) {
    const Tensor* tensor = ConstantOf(graph, node.operands[index]);
    if (tensor == nullptr) continue;
    const FloatTensor& constant = std::get<FloatTensor>(*tensor);
    const Shape& shape = graph.values[node.result].type.shape;
    ChannelConstant found = {.other = 1 - index, .values = {constant.data.begin(), constant.data.end()}};
    const auto is_long = [](int64_t length) { return length != 1; };
    if (graph.values[node.operands[found.other]].type.shape != shape ||
        std::ranges::count_if(constant.shape, is_long) > 1) {
      continue;
    }
    const auto axis = std::ranges::find_if(constant.shape, is_long);
    if (axis != constant.shape.end()) {
      found.axis = static_cast<int64_t>(shape.size()) - (constant.shape.end() - axis);
    }
    return found;
  }
  return std::nullopt;
}

// factors[c] * x + offsets[c], rounded once; lists of one, or of one for each channel of `axis`.
LoweredResult LowerAffine(Lowering& lowering, const Lowered& x, int64_t axis,
                          const std::vector<double>& factors, const std::vector<double>& offsets,
                          const QuantizedType& to) {
  constexpr double kMostAddend = 0x1p60;  // the room that the product of a FixedMultiplier leaves
  const uint64_t magnitude = x.type.interval.Magnitude() + static_cast<uint64_t>(std::abs(x.type.zero_point));
  Requantization how{.axis = axis, .zero_in = x.type.zero_point};
  for (size_t c = 0; c < factors.size(); ++c) {
    const double gain = factors[c] * x.type.scale / to.scale, offset = offsets[c] / to.scale;
    ASSIGN_OR_RETURN(FixedMultiplier fixed, ToFixedMultiplier(std::abs(gain), magnitude));
    for (; fixed.shift > 0 && std::abs(std::ldexp(offset, static_cast<int>(fixed.shift))) > kMostAddend;
         --fixed.shift) {
      fixed.multiplier /= 2;
    }
    if (gain < 0) fixed.multiplier = -fixed.multiplier;
    how.gains.push_back(fixed);
    how.addends.push_back(std::llround(
        std::clamp(std::ldexp(offset, static_cast<int>(fixed.shift)), -kMostAddend, kMostAddend)));
  }
  return lowering.Rescale(x.id, how, to);
}

// Multipliers m_k with x_k's gain ~ m_k * 2^-shift.
struct CommonShift {
  std::vector<int64_t> multipliers;
  int64_t shift = 0;
};

// The largest multiplier is just below 2^30: with operands of at most 17 bits the sum of two products stays
// far inside 63 bits. Or it is below 2^15, for sums of 32, where codes of 8 bits are then at most 2^-6 of a
// step off.
CommonShift ToCommonShift(const std::vector<double>& gains, bool are_bytes, const QuantizedType& to) {
  constexpr int kLeastShift = 13;
  const double largest = *std::max_element(gains.begin(), gains.end());
  int exponent = 0;
  std::frexp(largest, &exponent);
  CommonShift result;
  result.shift = std::clamp(30 - exponent, 0, 62);
  if (are_bytes && MultiplierBitsOnto(to) == kShortMultiplierBits) {
    int shift = std::min(kShortMultiplierBits - exponent, 31);
    if (std::llround(std::ldexp(largest, shift)) == int64_t{1} << kShortMultiplierBits) --shift;
    if (shift >= kLeastShift) result.shift = shift;
  }
  for (const double gain : gains) {
    result.multipliers.push_back(std::llround(std::ldexp(gain, static_cast<int>(result.shift))));
  }
  return result;
}

// That of the grid, where a sum may be in the middle between two results; else as kernels do it fastest. Of
// wide operands not all sums are tried.
Rounding RoundingOfSum(const Lowered& a, const Lowered& b, const CommonShift& gains,
                       const QuantizedType& to) {
  constexpr int64_t kMostTried = int64_t{1} << 18;
  const Interval x = Minus(a.type.interval, a.type.zero_point), y = Minus(b.type.interval, b.type.zero_point);
  const int64_t codes_x = x.hi - x.lo + 1, codes_y = y.hi - y.lo + 1;
  if (to.rounding == Rounding::kHalfUp || gains.shift == 0 || codes_x > kMostTried / codes_y) {
    return to.rounding;
  }
  const int64_t half = int64_t{1} << (gains.shift - 1), mask = 2 * half - 1;
  for (int64_t i = x.lo; i <= x.hi; ++i) {
    for (int64_t j = y.lo; j <= y.hi; ++j) {
      const int64_t sum = gains.multipliers[0] * i + gains.multipliers[1] * j;
      if ((sum & mask) == half) return to.rounding;
    }
  }
  return Rounding::kHalfUp;
}

absl::Status CheckGains(const std::vector<double>& gains) {
  constexpr double kMost = 0x1p30;
  for (const double gain : gains) {
    if (!(gain < kMost)) return MakeError(label::lower_gain, absl::StrCat("a gain of ", gain));
  }
  return absl::OkStatus();
}

// a + sign_b * b
LoweredResult LowerSum(Lowering& lowering, const Node& node, int sign_b, const QuantizedType& to) {
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Operand(node, 1));
  if (std::ranges::equal(lowering.ShapeOfOperand(node, 0), lowering.ShapeOfOperand(node, 1))) {
    const std::vector<double> scales = {a.type.scale / to.scale, b.type.scale / to.scale};
    RETURN_IF_ERROR(CheckGains(scales));
    const auto is_byte = [](const Lowered& x) {
      return Minus(x.type.interval, x.type.zero_point).Magnitude() < uint64_t{1} << kActivationBits;
    };
    CommonShift gains = ToCommonShift(scales, is_byte(a) && is_byte(b), to);
    gains.multipliers[1] *= sign_b;
    return lowering.builder().Op(Opcode::kLincomb, {a.id, b.id},
                                 LincombAttrs{.multipliers = gains.multipliers,
                                              .zero_points = {a.type.zero_point, b.type.zero_point},
                                              .bias = 0,
                                              .shift = gains.shift,
                                              .rounding = RoundingOfSum(a, b, gains, to),
                                              .zero_out = to.zero_point,
                                              .lo = to.interval.lo,
                                              .hi = to.interval.hi});
  }
  // Broadcast: both operands move to a grid 2^8 finer than the result's, are added, and rounded once more.
  constexpr int kGuardBits = 8;
  QuantizedType fine{std::ldexp(to.scale, -kGuardBits), 0, {-(int64_t{1} << 40), int64_t{1} << 40}};
  ASSIGN_OR_RETURN(const tally::ValueId fine_a, lowering.OnGrid(a, fine));
  ASSIGN_OR_RETURN(const tally::ValueId fine_b, lowering.OnGrid(b, fine));
  const Opcode opcode = sign_b < 0 ? Opcode::kBroadcastSub : Opcode::kBroadcastAdd;
  const tally::ValueId sum = lowering.builder().Op(opcode, {fine_a, fine_b});
  return lowering.Rescale(sum, {.gains = {{.multiplier = 1, .shift = kGuardBits}}}, to);
}

// a * b, whose grids have their zeros at the codes' zero points.
LoweredResult LowerProduct(Lowering& lowering, const Lowered& a, const Lowered& b, const QuantizedType& to) {
  const uint64_t largest_a = Minus(a.type.interval, a.type.zero_point).Magnitude();
  const uint64_t largest_b = Minus(b.type.interval, b.type.zero_point).Magnitude();
  ASSIGN_OR_RETURN(const FixedMultiplier gain,
                   ToFixedMultiplier(a.type.scale * b.type.scale / to.scale, largest_a * largest_b));
  return lowering.builder().Op(
      Opcode::kMulshift, {a.id, b.id},
      MulshiftAttrs{.zero_a = a.type.zero_point,
                    .zero_b = b.type.zero_point,
                    .multiplier = gain.multiplier,
                    .shift = gain.shift,
                    .rounding = CanTie(gain, largest_a * largest_b) ? to.rounding : Rounding::kHalfUp,
                    .zero_out = to.zero_point,
                    .lo = to.interval.lo,
                    .hi = to.interval.hi});
}

}  // namespace

LoweredResult Add::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  if (const auto constant = ChannelConstantOf(lowering, node)) {
    ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, constant->other));
    const std::vector<double> ones(constant->values.size(), 1);
    return LowerAffine(lowering, x, constant->axis, ones, constant->values, to);
  }
  return LowerSum(lowering, node, 1, to);
}

LoweredResult Sub::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  if (auto constant = ChannelConstantOf(lowering, node)) {
    ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, constant->other));
    const bool is_subtracted = constant->other == 0;
    if (is_subtracted) {
      for (double& value : constant->values) value = -value;
    }
    const std::vector<double> signs(constant->values.size(), is_subtracted ? 1 : -1);
    return LowerAffine(lowering, x, constant->axis, signs, constant->values, to);
  }
  return LowerSum(lowering, node, -1, to);
}

LoweredResult Mul::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  if (const auto constant = ChannelConstantOf(lowering, node)) {
    ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, constant->other));
    const std::vector<double> zeros(constant->values.size(), 0);
    return LowerAffine(lowering, x, constant->axis, constant->values, zeros, to);
  }
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Operand(node, 1));
  return LowerProduct(lowering, a, b, to);
}

// a times the reciprocal of b, which a table gives as round(2^30 / code).
LoweredResult Div::Lower(Lowering& lowering, const Node& node, const QuantizedType& to) const {
  constexpr int kReciprocalBits = 30;
  constexpr int64_t kOne = int64_t{1} << kReciprocalBits;
  ASSIGN_OR_RETURN(const Lowered a, lowering.Operand(node, 0));
  ASSIGN_OR_RETURN(const Lowered wide_b, lowering.Operand(node, 1));
  ASSIGN_OR_RETURN(const Lowered b, lowering.Within16Bits(wide_b));
  const Interval codes = b.type.interval;
  ASSIGN_OR_RETURN(const tally::ValueId table,
                   lowering.builder().Constant(Recipe{.function = RecipeFunction::kReciprocal,
                                                      .out = {1, kReciprocalBits},
                                                      .zero_in = b.type.zero_point,
                                                      .first = codes.lo,
                                                      .count = codes.hi - codes.lo + 1,
                                                      .lo = -kOne,
                                                      .hi = kOne}));
  Lowered reciprocal{lowering.builder().Op(Opcode::kTable, {b.id, table}, TableAttrs{.offset = codes.lo}),
                     {std::ldexp(1 / b.type.scale, -kReciprocalBits), 0, {-kOne, kOne}}};
  return LowerProduct(lowering, a, reciprocal, to);
}

}  // namespace tally::quant
