#include "frontends/graph/layer.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

// The name of what is emitted on the way: that of the first output that has one.
std::string FirstNamed(const std::vector<std::string>& outputs) {
  const auto named = std::ranges::find_if(outputs, [](const std::string& name) { return !name.empty(); });
  return named == outputs.end() ? "" : *named;
}

// The tensor of type T of a constant operand.
template <typename T>
absl::StatusOr<const T*> ConstantOf(const Operand& operand, std::string_view type_name) {
  if (!operand.is_constant()) {
    return MakeError(label::model_unsupported_operand,
                     "'" + PrintableStart(operand.name) + "' must be a constant and is computed at run time");
  }
  const T* tensor = std::get_if<T>(operand.constant.get());
  if (tensor == nullptr) {
    return MakeError(label::model_unsupported_type,
                     "'" + PrintableStart(operand.name) + "' does not hold " + std::string(type_name));
  }
  return tensor;
}

}  // namespace

Layer::Layer(LayerNames names, Scope& scope, const std::unordered_set<std::string_view>& read)
    : Emitter(scope, FirstNamed(names.outputs), names.source),
      names_(std::move(names)),
      read_(read),
      num_inputs_(names_.inputs.size()),
      is_finished_(names_.outputs.size(), false) {
  while (num_inputs_ > 0 && !HasInput(num_inputs_ - 1)) --num_inputs_;
}

absl::Status Layer::CheckInputCount(size_t least, size_t most) const {
  if (num_inputs_ >= least && num_inputs_ <= most) return absl::OkStatus();
  return MakeError(label::model_malformed, "it has " + std::to_string(num_inputs_) + " inputs, not " +
                                               std::to_string(least) +
                                               (most == least ? "" : " to " + std::to_string(most)));
}

bool Layer::HasInput(size_t index) const {
  return index < names_.inputs.size() && !names_.inputs[index].empty();
}

absl::StatusOr<Operand> Layer::Input(size_t index) const {
  ASSIGN_OR_RETURN(Operand operand, InputOrEmpty(index));
  if (std::ranges::count(operand.shape(), 0) == 0) return operand;
  return MakeError(label::model_shape, "'" + PrintableStart(operand.name) + "' is empty");
}

absl::StatusOr<std::vector<Operand>> Layer::Inputs() const {
  std::vector<Operand> operands;
  for (size_t i = 0; i < num_inputs_; ++i) {
    ASSIGN_OR_RETURN(operands.emplace_back(), Input(i));
  }
  return operands;
}

absl::StatusOr<Operand> Layer::OnlyInput() const {
  RETURN_IF_ERROR(CheckInputCount(1, 1));
  return Input(0);
}

absl::StatusOr<Operand> Layer::SaturatedInput(size_t index) const {
  ASSIGN_OR_RETURN(Operand operand, Input(index));
  const auto* floats =
      operand.is_constant() ? std::get_if<quant::FloatTensor>(operand.constant.get()) : nullptr;
  constexpr float kLeast = std::numeric_limits<float>::lowest();
  const auto is_below = [](float v) { return v < kLeast; };
  if (floats == nullptr || std::ranges::none_of(floats->data, is_below)) return operand;
  quant::FloatTensor saturated = *floats;
  std::ranges::replace_if(saturated.data, is_below, kLeast);
  return scope().ComputedConstant(operand.name, std::move(saturated));
}

absl::StatusOr<Operand> Layer::InputOrEmpty(size_t index) const {
  ASSIGN_OR_RETURN(Operand operand, CodesInput(index));
  if (operand.codes.has_value() && operand.codes != passed_) {
    return MakeError(label::model_unsupported_type,
                     "'" + PrintableStart(operand.name) +
                         "' holds integers of 16 bits or less, which only dequantization and operators on "
                         "quantized tensors read here");
  }
  operand.codes.reset();
  return operand;
}

absl::StatusOr<Operand> Layer::CodesInput(size_t index) const {
  if (!HasInput(index))
    return MakeError(label::model_malformed, "input " + std::to_string(index) + " is left out");
  return scope().Lookup(names_.inputs[index]);
}

// A step of 1 makes codes the integers themselves.
absl::StatusOr<Operand> Layer::IntegerInput(size_t index) {
  ASSIGN_OR_RETURN(Operand operand, CodesInput(index));
  if (!operand.codes.has_value()) return Input(index);
  const Codes codes = *operand.codes;
  if (operand.is_constant()) {
    operand.codes.reset();
    return operand;
  }
  if (!codes.input.has_value()) return Input(index);
  ASSIGN_OR_RETURN(const quant::QuantizedType grid, GridOf(codes.type, 1, 0));
  RETURN_IF_ERROR(PinInput(*codes.input, grid));
  operand.codes.reset();
  ASSIGN_OR_RETURN(const Operand served, Emit(quant::FakeQuantize{grid}, {operand}, "served"));
  return Emit(quant::ToInteger{codes.type.interval()}, {served}, "integers");
}

absl::StatusOr<std::optional<Codes>> Layer::CodesOfInputs() const {
  for (size_t i = 0; i < num_inputs_; ++i) {
    if (!HasInput(i)) continue;
    ASSIGN_OR_RETURN(const Operand operand, CodesInput(i));
    if (operand.codes.has_value()) return operand.codes;
  }
  return std::nullopt;
}

absl::StatusOr<const quant::FloatTensor*> Layer::FloatConstant(size_t index) const {
  ASSIGN_OR_RETURN(const Operand operand, InputOrEmpty(index));
  return ConstantOf<quant::FloatTensor>(operand, "floats");
}

absl::StatusOr<const quant::Int64Tensor*> Layer::IntConstant(size_t index) const {
  ASSIGN_OR_RETURN(const Operand operand, InputOrEmpty(index));
  return ConstantOf<quant::Int64Tensor>(operand, "integers");
}

absl::StatusOr<double> Layer::NumberConstant(size_t index) const {
  ASSIGN_OR_RETURN(const Operand operand, InputOrEmpty(index));
  if (operand.is_integer()) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* integers, IntConstant(index));
    if (integers->data.size() == 1) return static_cast<double>(integers->data[0]);
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* floats, FloatConstant(index));
    if (floats->data.size() == 1) return floats->data[0];
  }
  return MakeError(label::model_unsupported_operand,
                   "input " + std::to_string(index) + " has several elements, not one");
}

bool Layer::ReadsConstants() const {
  return !names_.inputs.empty() && std::ranges::all_of(names_.inputs, [&](const std::string& name) {
    if (name.empty()) return true;
    const auto operand = scope().Lookup(name);
    return operand.ok() && operand->is_constant();
  });
}

size_t Layer::num_named_outputs() const {
  return static_cast<size_t>(
      std::ranges::count_if(names_.outputs, [](const std::string& name) { return !name.empty(); }));
}

bool Layer::IsRead(size_t index) const {
  return index < num_outputs() && !names_.outputs[index].empty() && read_.contains(names_.outputs[index]);
}

absl::Status Layer::Finish(quant::Op op, const std::vector<Operand>& operands) {
  return FinishOutput(0, std::move(op), operands);
}

absl::Status Layer::FinishPair(quant::Op op) {
  RETURN_IF_ERROR(CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, Input(0));
  ASSIGN_OR_RETURN(const Operand b, Input(1));
  return Finish(std::move(op), {a, b});
}

absl::Status Layer::FinishAs(const absl::StatusOr<Operand>& operand) { return FinishOutputAs(0, operand); }

absl::Status Layer::FinishOutput(size_t index, quant::Op op, const std::vector<Operand>& operands) {
  if (index > 0 && names_.outputs[index].empty()) return absl::OkStatus();
  return Bind(index, scope().Emit(std::move(op), operands, names_.outputs[index], source()));
}

absl::Status Layer::FinishOutputAs(size_t index, const absl::StatusOr<Operand>& operand) {
  RETURN_IF_ERROR(operand.status());
  const std::string& name = names_.outputs[index];
  if (name.empty() || !Emitted(*operand)) return Bind(index, operand);
  Operand named = *operand;
  if (named.value.has_value()) {
    named = scope().Named(std::move(named), name);
  } else {
    named.name = name;
  }
  return Bind(index, std::move(named));
}

absl::Status Layer::Bind(size_t index, absl::StatusOr<Operand> operand) {
  RETURN_IF_ERROR(operand.status());
  is_finished_[index] = true;
  const std::string& name = names_.outputs[index];
  if (name.empty()) {
    return index > 0 ? absl::OkStatus() : MakeError(label::model_malformed, "its first output has no name");
  }
  if (passed_.has_value()) operand->codes = passed_;
  return scope().Bind(name, *std::move(operand));
}

absl::Status Layer::FinishParts(const Operand& x, size_t axis, const std::vector<int64_t>& sizes) {
  const quant::Shape& shape = x.shape();
  if (sizes.size() != num_outputs())
    return MakeError(label::model_malformed, "it has another number of outputs than of parts");
  quant::Slice slice = {
      .begin = quant::Shape(shape.size(), 0), .end = shape, .step = quant::Shape(shape.size(), 1)};
  int64_t rest = shape[axis];
  for (const int64_t size : sizes) {
    if (size < 1 || size > rest)
      return MakeError(label::model_shape, "a part is empty, or the parts are longer than the axis");
    rest -= size;
  }
  if (rest != 0) return MakeError(label::model_shape, "the parts are not all of the axis");
  if (sizes.size() == 1) return FinishAs(x);
  slice.end[axis] = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    slice.begin[axis] = std::exchange(slice.end[axis], slice.end[axis] + sizes[i]);
    RETURN_IF_ERROR(FinishOutput(i, slice, {x}));
  }
  return absl::OkStatus();
}

absl::Status Layer::FinishAsConstant(quant::Tensor tensor) {
  return FinishAs(scope().ComputedConstant(names_.outputs[0], std::move(tensor)));
}

absl::Status Layer::FinishFilled(const quant::Shape& shape, const quant::Tensor& number) {
  return FinishAs(scope().FilledConstant(names_.outputs[0], shape, number));
}

absl::Status Layer::CountRows(const Operand& count, size_t axis) {
  ASSIGN_OR_RETURN(Operand rows, scope().Lookup(names_.outputs[0]));
  scope().AddCount({std::move(rows), count, axis});
  return absl::OkStatus();
}

absl::Status Layer::RefuseTheRest() {
  for (size_t i = 0; i < num_outputs(); ++i) {
    const std::string& name = names_.outputs[i];
    if (name.empty() || is_finished_[i]) continue;
    RETURN_IF_ERROR(scope().BindError(
        name, MakeError(label::model_unsupported_output, "'" + PrintableStart(name) + "' is output " +
                                                             std::to_string(i) + " of " + source() +
                                                             ", which is not imported")));
  }
  return absl::OkStatus();
}

}  // namespace tally::frontend
