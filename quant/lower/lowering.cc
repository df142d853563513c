#include "quant/lower/lowering.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/rescale/attrs.h"
#include "quant/labels.h"
#include "quant/lower/pinned_grids.h"
#include "quant/lower/seen_ranges.h"

namespace tally::quant {

absl::StatusOr<Lowered> Lowering::Operand(const Node& node, size_t index) {
  const ValueId id = node.operands[index];
  const OpTraits& traits = TraitsOf(node.op);
  if (values_[id].has_value() && narrow_[id].has_value() && traits.multiplies &&
      (index == 0 || !traits.has_weights) &&
      !calibration_.widths.products.contains(graph_.values[node.result].name)) {
    if (!narrowed_[id].has_value()) {
      ASSIGN_OR_RETURN(narrowed_[id], OnGrid({*values_[id], *types_[id]}, *narrow_[id]));
    }
    return Lowered{*narrowed_[id], *narrow_[id]};
  }
  if (values_[id].has_value()) return Lowered{*values_[id], *types_[id]};
  const Tensor* constant = ConstantOf(graph_, id);
  if (constant == nullptr) {
    return MakeError(label::lower_unsupported, absl::StrCat("operand ", index, " is not in the module"));
  }
  if (const auto* integers = std::get_if<Int64Tensor>(constant)) {
    ASSIGN_OR_RETURN(const tally::ValueId value, IntegerConstant(integers->shape, integers->data));
    return Lowered{value, {.interval = {std::ranges::min(integers->data), std::ranges::max(integers->data)}}};
  }
  const auto* floats = std::get_if<FloatTensor>(constant);
  if (const auto of_file = GridOfCodes(graph_, id); of_file.has_value() && !types_[id].has_value()) {
    const ConstantCodes& codes = *CodesOf(graph_, id);
    const std::vector<int64_t> integers(codes.codes.begin(), codes.codes.end());
    ASSIGN_OR_RETURN(const tally::ValueId value, IntegerConstant(floats->shape, integers));
    return Lowered{value, *of_file};
  }
  double largest = 0;
  for (const float v : floats->data) largest = std::max(largest, std::abs(static_cast<double>(v)));
  const QuantizedType type = types_[id].value_or(ChooseSymmetric(largest, kWideBits));
  std::vector<int64_t> codes;
  codes.reserve(floats->data.size());
  for (const float v : floats->data) codes.push_back(type.Quantize(v));
  ASSIGN_OR_RETURN(const tally::ValueId value, IntegerConstant(floats->shape, codes));
  return Lowered{value, type};
}

const FloatTensor& Lowering::WeightOperand(const Node& node, size_t index) const {
  return std::get<FloatTensor>(*ConstantOf(graph_, node.operands[index]));
}

int Lowering::WeightBits(const Node& node, const FloatTensor& weights, int channel_axis,
                         uint64_t x_magnitude) const {
  const bool is_wide = calibration_.widths.weights.contains(graph_.values[node.result].name);
  return is_wide ? WideWeightBits(weights, channel_axis, x_magnitude) : kWeightBits;
}

const ConstantCodes* Lowering::CodesOfOperand(const Node& node, size_t index) const {
  return CodesOf(graph_, node.operands[index]);
}

std::span<const int64_t> Lowering::ShapeOfOperand(const Node& node, size_t index) const {
  return graph_.values[node.operands[index]].type.shape;
}

absl::StatusOr<SeenRanges> Lowering::SeenBy(const Node& node) const {
  return SeenRangesOf(calibration_, graph_, node);
}

absl::StatusOr<std::span<const float>> Lowering::MeansOfOperand(const Node& node, size_t index) const {
  const Value& value = graph_.values[node.operands[index]];
  const auto means = calibration_.means.find(value.name);
  if (means == calibration_.means.end()) return std::span<const float>();
  if (std::ssize(means->second) == value.type.shape[1]) return std::span<const float>(means->second);
  return MakeError(label::calibration_means,
                   absl::StrCat("the calibration has ", means->second.size(), " means for the ",
                                value.type.shape[1], " channels of value '", value.name, "'"));
}

absl::StatusOr<tally::ValueId> Lowering::IntegerConstant(std::span<const int64_t> dims,
                                                         std::span<const int64_t> values) {
  const auto shape = tally::Shape::Create(dims);
  if (!shape.ok()) return MakeError(label::lower_shape, std::string(shape.status().message()));
  ASSIGN_OR_RETURN(const tally::Tensor tensor, tally::Tensor::FromValues(*shape, values));
  return builder_.Constant(tensor);
}

absl::StatusOr<tally::ValueId> Lowering::VectorConstant(std::span<const int64_t> values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return IntegerConstant(dims, values);
}

absl::StatusOr<tally::ValueId> Lowering::Rescale(tally::ValueId x, const Requantization& how,
                                                 const QuantizedType& to) {
  std::vector<int64_t> multipliers, shifts;
  for (const FixedMultiplier& gain : how.gains) {
    multipliers.push_back(gain.multiplier);
    shifts.push_back(gain.shift);
  }
  const std::vector<int64_t> addends =
      how.addends.empty() ? std::vector<int64_t>(how.gains.size(), 0) : how.addends;
  ASSIGN_OR_RETURN(const tally::ValueId m, VectorConstant(multipliers));
  ASSIGN_OR_RETURN(const tally::ValueId b, VectorConstant(addends));
  ASSIGN_OR_RETURN(const tally::ValueId s, VectorConstant(shifts));
  return builder_.Op(Opcode::kRescale, {x, m, b, s},
                     RescaleAttrs{.axis = how.axis,
                                  .zero_in = how.zero_in,
                                  .zero_out = to.zero_point,
                                  .lo = to.interval.lo,
                                  .hi = to.interval.hi,
                                  .rounding = how.has_ties ? to.rounding : Rounding::kHalfUp});
}

absl::StatusOr<Lowered> Lowering::Centered(const Lowered& x) {
  if (x.type.zero_point == 0) return x;
  QuantizedType to = x.type;
  to.zero_point = 0;
  to.interval = Minus(x.type.interval, x.type.zero_point);
  ASSIGN_OR_RETURN(
      const tally::ValueId id,
      Rescale(x.id, {.zero_in = x.type.zero_point, .gains = {{.multiplier = 1}}, .has_ties = false}, to));
  return Lowered{id, to};
}

absl::StatusOr<Lowered> Lowering::Within16Bits(const Lowered& x) {
  const Interval& codes = x.type.interval;
  if (FitsIn16Bits(x.type)) return x;
  const Interval centered = Minus(codes, x.type.zero_point);
  const QuantizedType to = ChooseAffine(static_cast<double>(centered.lo) * x.type.scale,
                                        static_cast<double>(centered.hi) * x.type.scale, kWideBits);
  ASSIGN_OR_RETURN(const tally::ValueId id, OnGrid(x, to));
  return Lowered{id, to};
}

absl::StatusOr<tally::ValueId> Lowering::OnGrid(const Lowered& x, const QuantizedType& to) {
  if (x.type.scale == to.scale && x.type.zero_point == to.zero_point &&
      to.interval.Contains(x.type.interval)) {
    return x.id;
  }
  const uint64_t magnitude = x.type.interval.Magnitude() + static_cast<uint64_t>(std::abs(x.type.zero_point));
  ASSIGN_OR_RETURN(const FixedMultiplier gain, ToFixedMultiplier(x.type.scale / to.scale, magnitude));
  return Rescale(x.id, {.zero_in = x.type.zero_point, .gains = {gain}, .has_ties = CanTie(gain, magnitude)},
                 to);
}

}  // namespace tally::quant
