// FakeQuantize: the grids that a network was trained or calibrated for, which the quantizer keeps.
//
// With L levels and steps of (out_high - out_low) / (L - 1), x is
//   round((x - in_low) / (in_high - in_low) * (L - 1)) * step + out_low,
// and out_low or out_high where it is outside.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/compositions/norms.h"
#include "frontends/openvino/operators.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::openvino {
namespace {

using quant::FloatTensor;
using quant::Shape;

struct Range {
  double in_low, in_high, out_low, out_high;
  double levels;

  double step() const { return (out_high - out_low) / (levels - 1); }
  bool is_nothing() const { return out_low == 0 && out_high == 0; }  // a channel that was cut off
  // The code of 0, if it has one, less that of out_low.
  std::optional<int64_t> zero() const {
    const double place = -out_low / step();
    constexpr double kNear = 0.01;  // a range is written in decimals
    if (!(std::abs(place) < 1 << 20) || std::abs(place - std::nearbyint(place)) > kNear) return std::nullopt;
    return static_cast<int64_t>(std::nearbyint(place));
  }
  // From 0 to levels - 1.
  double LevelOf(double x) const {
    if (x <= std::min(in_low, in_high)) return 0;
    if (x > std::max(in_low, in_high)) return levels - 1;
    return std::nearbyint((x - in_low) / (in_high - in_low) * (levels - 1));
  }
};

// The ranges of x, by the entries of `shape`, which broadcasts to that of x.
struct Ranges {
  Shape shape;
  std::vector<Range> entries;
  int64_t levels = 2;

  // The only axis along which they differ, the first where they do not; nothing for several.
  std::optional<size_t> axis() const {
    std::optional<size_t> only;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 1) continue;
      if (only.has_value()) return std::nullopt;
      only = i;
    }
    return only.value_or(0);
  }
};

absl::StatusOr<Ranges> ReadRanges(IrNode& node, const Shape& x) {
  Ranges ranges;
  ASSIGN_OR_RETURN(ranges.levels, node.Int("levels"));
  RETURN_IF_ERROR(node.Word("auto_broadcast", "numpy").status());
  if (ranges.levels < 2 || ranges.levels > 65536) return Malformed("levels is out of range");
  const FloatTensor* given[4] = {};
  ranges.shape = Shape(x.size(), 1);
  for (size_t i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(given[i], node.FloatConstant(i + 1));
    ASSIGN_OR_RETURN(ranges.shape, quant::Broadcast(ranges.shape, given[i]->shape));
  }
  ASSIGN_OR_RETURN(const Shape both, quant::Broadcast(ranges.shape, x));
  if (both != x) return MakeError(label::model_shape, "its ranges do not broadcast to x");
  const int64_t count = quant::NumElements(ranges.shape);
  RETURN_IF_ERROR(node.Charge(count));
  ranges.entries.resize(static_cast<size_t>(count), {0, 0, 0, 0, static_cast<double>(ranges.levels)});
  constexpr double Range::*kBounds[] = {&Range::in_low, &Range::in_high, &Range::out_low, &Range::out_high};
  for (size_t i = 0; i < 4; ++i) {
    const std::vector<int64_t> places = quant::BroadcastIndex(given[i]->shape, ranges.shape);
    for (size_t e = 0; e < ranges.entries.size(); ++e) {
      ranges.entries[e].*kBounds[i] = given[i]->data[static_cast<size_t>(places[e])];
    }
  }
  return ranges;
}

// A step for each entry, and codes, where all have 0 among what they hold.
std::shared_ptr<quant::ConstantCodes> CodesFor(const Ranges& ranges) {
  const std::optional<size_t> axis = ranges.axis();
  if (!axis.has_value()) return nullptr;
  auto codes = std::make_shared<quant::ConstantCodes>();
  codes->axis = static_cast<int64_t>(*axis);
  for (const Range& range : ranges.entries) {
    const auto step = static_cast<float>(range.is_nothing() ? 1 : range.step());
    if (!(step > 0) || !std::isnormal(step)) return nullptr;
    if (!range.is_nothing() && !range.zero().has_value()) return nullptr;
    codes->scales.push_back(step);
  }
  return codes;
}

absl::Status FinishConstant(IrNode& node, const FloatTensor& x, const Ranges& ranges) {
  FloatTensor y{x.shape, {}};
  RETURN_IF_ERROR(node.Charge(quant::NumElements(x.shape)));
  y.data.reserve(x.data.size());
  const auto codes = CodesFor(ranges);
  const std::vector<int64_t> entries = quant::BroadcastIndex(ranges.shape, x.shape);
  std::vector<int64_t> zeros;
  for (const Range& range : ranges.entries) zeros.push_back(range.zero().value_or(0));
  for (size_t i = 0; i < x.data.size(); ++i) {
    const auto entry = static_cast<size_t>(entries[i]);
    const Range& range = ranges.entries[entry];
    const double level = range.LevelOf(x.data[i]);
    if (codes == nullptr) {
      y.data.push_back(
          static_cast<float>(level / (range.levels - 1) * (range.out_high - range.out_low) + range.out_low));
      continue;
    }
    codes->codes.push_back(
        range.is_nothing() ? 0 : static_cast<int32_t>(static_cast<int64_t>(level) - zeros[entry]));
    y.data.push_back(static_cast<float>(codes->codes.back()) * static_cast<float>(codes->scales[entry]));
  }
  ASSIGN_OR_RETURN(Operand constant, node.NewConstant(std::move(y), "reals"));
  constant.constant_codes = codes;
  return node.FinishAs(constant);
}

quant::QuantizedType GridOfLevels(float step, int64_t zero, int64_t levels) {
  const int64_t half = levels / 2;
  return {step, zero - half, {-half, levels - 1 - half}, Rounding::kHalfEven};
}

// x times one function of each entry, plus another.
template <typename Factor, typename Term>
absl::StatusOr<Operand> EachAffine(IrNode& node, const Operand& x, const Ranges& ranges, Factor factor,
                                   Term term) {
  FloatTensor factors{ranges.shape, {}}, terms{ranges.shape, {}};
  for (const Range& range : ranges.entries) {
    factors.data.push_back(static_cast<float>(factor(range)));
    terms.data.push_back(static_cast<float>(term(range)));
  }
  const bool adds = std::ranges::any_of(terms.data, [](float v) { return v != 0; });
  const bool is_by_channel = x.shape().size() >= 2 && ranges.axis().has_value() &&
                             (ranges.entries.size() == 1 || *ranges.axis() == 1);
  if (adds && is_by_channel) {
    for (FloatTensor* list : {&factors, &terms}) {
      list->shape = {x.shape()[1]};
      list->data.resize(static_cast<size_t>(x.shape()[1]), list->data[0]);
    }
  }
  ASSIGN_OR_RETURN(const Operand scale, node.NewConstant(std::move(factors), "factors"));
  ASSIGN_OR_RETURN(const Operand bias, node.NewConstant(std::move(terms), "terms"));
  if (adds && is_by_channel) return ChannelAffine(node, x, scale, bias);
  ASSIGN_OR_RETURN(const Operand scaled, node.Emit(quant::Mul{}, {x, scale}, "scaled"));
  if (!adds) return scaled;
  return node.Emit(quant::Add{}, {scaled, bias}, "moved");
}

// Levels are integers on a grid of step 1, between factors and terms of each entry.
absl::Status FinishByLevels(IrNode& node, const Operand& x, const Ranges& ranges) {
  const std::optional<int64_t> zero = ranges.entries[0].zero();
  const bool have_zero = zero.has_value() && std::ranges::all_of(ranges.entries, [&](const Range& r) {
                           return r.zero() == zero && r.in_low == r.out_low && r.in_high == r.out_high;
                         });
  const auto by_step = [](const Range& r) { return (r.levels - 1) / (r.in_high - r.in_low); };
  ASSIGN_OR_RETURN(Operand level, EachAffine(node, x, ranges, by_step, [&](const Range& r) {
                     return have_zero ? 0 : -r.in_low * by_step(r);
                   }));
  const quant::FakeQuantize round = {GridOfLevels(1, have_zero ? *zero : 0, ranges.levels)};
  ASSIGN_OR_RETURN(level, node.Emit(round, {level}, "levels"));
  return node.FinishAs(EachAffine(
      node, level, ranges, [](const Range& r) { return r.step(); },
      [&](const Range& r) { return have_zero ? 0 : r.out_low; }));
}

}  // namespace

absl::Status ImportFakeQuantize(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(5, 5));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const Ranges ranges, ReadRanges(node, x.shape()));
  if (x.is_constant()) {
    ASSIGN_OR_RETURN(const FloatTensor* constant, node.FloatConstant(0));
    return FinishConstant(node, *constant, ranges);
  }
  for (const Range& range : ranges.entries) {
    const bool is_normal = range.in_low < range.in_high && range.out_low < range.out_high &&
                           std::isnormal(static_cast<float>(range.step())) &&
                           std::isnormal(static_cast<float>((range.in_high - range.in_low) / range.levels));
    if (!is_normal) return Malformed("a range of it is empty");
  }
  const Range& one = ranges.entries[0];
  const auto zero = one.zero();
  const bool is_plain = ranges.entries.size() == 1 && one.in_low == one.out_low &&
                        one.in_high == one.out_high && zero.has_value() && *zero >= 0 &&
                        *zero < ranges.levels;
  if (!is_plain) return FinishByLevels(node, x, ranges);
  return node.Finish(quant::FakeQuantize{GridOfLevels(static_cast<float>(one.step()), *zero, ranges.levels)},
                     {x});
}

}  // namespace tally::openvino
