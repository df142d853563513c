#include "frontends/onnx/exact/node.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/wide.h"
#include "frontends/graph/axis.h"
#include "frontends/onnx/exact/sources.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

absl::StatusOr<ExactValue> ExactNode::Input(size_t i) const {
  if (!HasInput(i)) return MakeError(label::model_malformed, "input " + std::to_string(i) + " is missing");
  if (inputs_[i]->count) {
    return MakeError(label::model_unsupported_operand,
                     "the size of input " + std::to_string(i) + " depends on the data");
  }
  if (inputs_[i]->is_saturated) {
    return MakeError(label::model_inexact,
                     "an element of input " + std::to_string(i) + " is outside 48 bits");
  }
  return *inputs_[i];
}

absl::StatusOr<std::vector<int64_t>> ExactNode::Ints(size_t i) const {
  ASSIGN_OR_RETURN(const ExactValue x, Input(i));
  return ListOf(x, i);
}

absl::StatusOr<std::vector<int64_t>> ExactNode::SaturatedInts(size_t i) const {
  if (HasInput(i) && inputs_[i]->is_saturated) return ListOf(*inputs_[i], i);
  return Ints(i);
}

absl::StatusOr<std::vector<int64_t>> ExactNode::ListOf(const ExactValue& x, size_t i) const {
  const TensorView* constant = host_.c().constant(x.value);
  if (constant == nullptr || x.fraction_bits != 0 || constant->shape.num_elements() > kMaxInts) {
    return MakeError(label::model_unsupported_operand,
                     "input " + std::to_string(i) + " is not a list of constants");
  }
  std::vector<int64_t> values;
  for (int64_t e = 0; e < constant->shape.num_elements(); ++e) values.push_back(constant->at(e));
  return values;
}

absl::StatusOr<ExactValue> ExactNode::WithFractionBits(const ExactValue& x, int fraction_bits) {
  const int shift = fraction_bits - x.fraction_bits;
  if (shift == 0) return x;
  if (shift > 46) return MakeError(label::model_inexact, "the scales of two operands are too far apart");
  const Value scale = c().Constant({}, {int64_t{1} << shift});
  ASSIGN_OR_RETURN(const Value y, c().Apply(Opcode::kBroadcastMul, {x.value, scale}));
  return ExactValue{y, fraction_bits, x.data_type};
}

absl::StatusOr<ExactValues> ExactNode::AlignedInputs() {
  ExactValues values;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    ASSIGN_OR_RETURN(values.emplace_back(), Input(i));
  }
  return Aligned(std::move(values));
}

absl::StatusOr<ExactValues> ExactNode::Aligned(ExactValues values) {
  int fraction_bits = 0;
  for (const ExactValue& x : values) fraction_bits = std::max(fraction_bits, x.fraction_bits);
  for (ExactValue& x : values) {
    ASSIGN_OR_RETURN(x, WithFractionBits(x, fraction_bits));
  }
  return values;
}

absl::StatusOr<int64_t> ExactNode::ConstantInFractionBits(const ExactValue& x, int fraction_bits) {
  const TensorView* constant = c().constant(x.value);
  if (constant == nullptr) return MakeError(label::model_unsupported_operand, "a value is not a constant");
  const int64_t value = constant->at(0);
  const int shift = fraction_bits - x.fraction_bits;
  if (value == 0) return 0;
  if (shift > 46) return MakeError(label::model_inexact, "the scales of two operands are too far apart");
  const Int128 scaled = Int128{value} * (Int128{1} << shift);
  const Interval limit = TensorLimit(Profile::kCore);
  if (scaled < limit.lo || scaled > limit.hi)
    return MakeError(label::model_inexact, "a value needs more than 47 bits");
  return static_cast<int64_t>(scaled);
}

absl::Status ExactNode::CheckIndices(Value indices, std::span<const int64_t> sizes) const {
  const TensorView* constant = host_.c().constant(indices);
  if (constant == nullptr) {
    const auto columns = static_cast<int64_t>(sizes.size());
    bool fits = true;
    for (int64_t k = 0; k < columns; ++k) {
      const int64_t size = sizes[static_cast<size_t>(k)];
      fits = fits && Interval{-size, size - 1}.Contains(IntervalOfColumn(host_.c(), indices, k, columns));
    }
    if (fits) return absl::OkStatus();
    const int64_t least = *std::ranges::min_element(sizes);
    return host_.RequireWithin(indices, {-least, least - 1});
  }
  RETURN_IF_ERROR(host_.Spend(constant->shape.num_elements()));
  for (int64_t i = 0; i < constant->shape.num_elements(); ++i) {
    RETURN_IF_ERROR(PlaceOn(sizes[static_cast<size_t>(i) % sizes.size()], constant->at(i)).status());
  }
  return absl::OkStatus();
}

absl::Status ExactNode::CheckDivisor(Value divisor) const {
  if (const TensorView* constant = host_.c().constant(divisor)) {
    RETURN_IF_ERROR(host_.Spend(constant->shape.num_elements()));
    for (int64_t i = 0; i < constant->shape.num_elements(); ++i) {
      if (constant->at(i) == 0) return MakeError(label::model_malformed, "it divides by a constant 0");
    }
    return absl::OkStatus();
  }
  if (IsNeverZero(host_.c(), divisor)) return absl::OkStatus();
  return MakeError(label::model_needs_range,
                   "its divisor in " + host_.c().interval(divisor).ToString() +
                       " can be 0: give the inputs that it comes from a range without 0 "
                       "(--range NAME=LO,HI), or choose another number there (Where)");
}

absl::StatusOr<ExactValue> ExactNode::Select(Value condition, const ExactValue& x, const ExactValue& y) {
  ASSIGN_OR_RETURN(const ExactValues sides, Aligned({x, y}));
  ASSIGN_OR_RETURN(const Value r, c().Apply(Opcode::kSelect, {condition, sides[0].value, sides[1].value}));
  return sides[0].With(r);
}

}  // namespace tally::onnx
