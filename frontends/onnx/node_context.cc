#include "frontends/onnx/node_context.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/labels.h"

namespace tally::onnx {
namespace {

// The tensor of type T of a constant operand.
template <typename T>
absl::StatusOr<const T*> ConstantOf(const Operand& operand, std::string_view type_name) {
  if (!operand.is_constant()) {
    return MakeError(label::onnx_unsupported_operand,
                     "'" + PrintableStart(operand.name) + "' must be a constant and is computed at run time");
  }
  const T* tensor = std::get_if<T>(operand.constant.get());
  if (tensor == nullptr) {
    return MakeError(label::onnx_unsupported_type,
                     "'" + PrintableStart(operand.name) + "' does not hold " + std::string(type_name));
  }
  return tensor;
}

}  // namespace

NodeContext::NodeContext(const ::onnx::NodeProto& node, int64_t opset, const ImportOptions& options,
                         std::string source, Attributes attributes, Scope& scope,
                         const std::unordered_set<std::string_view>& read)
    : node_(node),
      opset_(opset),
      options_(options),
      source_(std::move(source)),
      attributes_(std::move(attributes)),
      scope_(scope),
      read_(read),
      num_inputs_(static_cast<size_t>(node.input_size())),
      is_finished_(static_cast<size_t>(node.output_size()), false) {
  while (num_inputs_ > 0 && !HasInput(num_inputs_ - 1)) --num_inputs_;
}

absl::Status NodeContext::CheckInputCount(size_t least, size_t most) const {
  if (num_inputs_ >= least && num_inputs_ <= most) return absl::OkStatus();
  return MakeError(label::onnx_malformed, "it has " + std::to_string(num_inputs_) + " inputs, not " +
                                              std::to_string(least) +
                                              (most == least ? "" : " to " + std::to_string(most)));
}

bool NodeContext::HasInput(size_t index) const {
  return index < static_cast<size_t>(node_.input_size()) && !node_.input(static_cast<int>(index)).empty();
}

absl::StatusOr<Operand> NodeContext::Input(size_t index) const {
  ASSIGN_OR_RETURN(Operand operand, InputOrEmpty(index));
  for (const int64_t dimension : operand.shape()) {
    if (dimension == 0)
      return MakeError(label::onnx_shape, "'" + PrintableStart(operand.name) + "' is empty");
  }
  return operand;
}

absl::StatusOr<Operand> NodeContext::SaturatedInput(size_t index) const {
  ASSIGN_OR_RETURN(Operand operand, Input(index));
  const auto* floats =
      operand.is_constant() ? std::get_if<quant::FloatTensor>(operand.constant.get()) : nullptr;
  constexpr float kLeast = std::numeric_limits<float>::lowest();
  const auto is_below = [](float v) { return v < kLeast; };
  if (floats == nullptr || std::ranges::none_of(floats->data, is_below)) return operand;
  quant::FloatTensor saturated = *floats;
  std::ranges::replace_if(saturated.data, is_below, kLeast);
  return scope_.ComputedConstant(operand.name, std::move(saturated));
}

absl::StatusOr<Operand> NodeContext::InputOrEmpty(size_t index) const {
  ASSIGN_OR_RETURN(Operand operand, CodesInput(index));
  if (operand.codes.has_value() && operand.codes != passed_) {
    return MakeError(label::onnx_unsupported_type,
                     "'" + PrintableStart(operand.name) +
                         "' holds integers of 16 bits or less, which only DequantizeLinear and operators on "
                         "quantized tensors read here");
  }
  operand.codes.reset();
  return operand;
}

absl::StatusOr<Operand> NodeContext::CodesInput(size_t index) const {
  if (!HasInput(index))
    return MakeError(label::onnx_malformed, "input " + std::to_string(index) + " is left out");
  return scope_.Lookup(node_.input(static_cast<int>(index)));
}

absl::StatusOr<const quant::FloatTensor*> NodeContext::FloatConstant(size_t index) const {
  ASSIGN_OR_RETURN(const Operand operand, InputOrEmpty(index));
  return ConstantOf<quant::FloatTensor>(operand, "floats");
}

absl::StatusOr<const quant::Int64Tensor*> NodeContext::IntConstant(size_t index) const {
  ASSIGN_OR_RETURN(const Operand operand, InputOrEmpty(index));
  return ConstantOf<quant::Int64Tensor>(operand, "integers");
}

absl::StatusOr<double> NodeContext::NumberConstant(size_t index) const {
  ASSIGN_OR_RETURN(const Operand operand, InputOrEmpty(index));
  if (operand.type.element == quant::ElementType::kInt64) {
    ASSIGN_OR_RETURN(const quant::Int64Tensor* integers, IntConstant(index));
    if (integers->data.size() == 1) return static_cast<double>(integers->data[0]);
  } else {
    ASSIGN_OR_RETURN(const quant::FloatTensor* floats, FloatConstant(index));
    if (floats->data.size() == 1) return floats->data[0];
  }
  return MakeError(label::onnx_unsupported_operand,
                   "input " + std::to_string(index) + " has several elements, not one");
}

size_t NodeContext::num_named_outputs() const {
  size_t count = 0;
  for (const std::string& name : node_.output()) count += name.empty() ? 0 : 1;
  return count;
}

bool NodeContext::IsRead(size_t index) const {
  return index < num_outputs() && !OutputName(index).empty() && read_.contains(OutputName(index));
}

std::string NodeContext::StepName(std::string_view step) const {
  const auto named =
      std::ranges::find_if(node_.output(), [](const std::string& name) { return !name.empty(); });
  return (named == node_.output().end() ? "" : *named) + "." + std::string(step);
}

absl::StatusOr<Operand> NodeContext::Emit(quant::Op op, const std::vector<Operand>& operands,
                                          std::string_view step) {
  return scope_.Emit(std::move(op), operands, StepName(step), source_);
}

absl::Status NodeContext::Finish(quant::Op op, const std::vector<Operand>& operands) {
  return FinishOutput(0, std::move(op), operands);
}

absl::Status NodeContext::FinishPair(quant::Op op) {
  RETURN_IF_ERROR(CheckInputCount(2, 2));
  ASSIGN_OR_RETURN(const Operand a, Input(0));
  ASSIGN_OR_RETURN(const Operand b, Input(1));
  return Finish(std::move(op), {a, b});
}

absl::Status NodeContext::FinishAs(const Operand& operand) { return FinishOutputAs(0, operand); }

absl::Status NodeContext::FinishOutput(size_t index, quant::Op op, const std::vector<Operand>& operands) {
  if (index > 0 && OutputName(index).empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Operand result, scope_.Emit(std::move(op), operands, OutputName(index), source_));
  return FinishOutputAs(index, result);
}

absl::Status NodeContext::FinishOutputAs(size_t index, const Operand& operand) {
  is_finished_[index] = true;
  if (!OutputName(index).empty()) {
    Operand bound = operand;
    if (passed_.has_value()) bound.codes = passed_;
    return scope_.Bind(OutputName(index), std::move(bound));
  }
  return index > 0 ? absl::OkStatus() : MakeError(label::onnx_malformed, "its first output has no name");
}

absl::Status NodeContext::FinishAsConstant(quant::Tensor tensor) {
  ASSIGN_OR_RETURN(Operand constant, scope_.ComputedConstant(OutputName(0), std::move(tensor)));
  return FinishAs(constant);
}

absl::Status NodeContext::CountRows(quant::Op op, const std::vector<Operand>& operands) {
  ASSIGN_OR_RETURN(Operand rows, scope_.Lookup(OutputName(0)));
  ASSIGN_OR_RETURN(Operand count, Emit(std::move(op), operands, "count"));
  scope_.AddCount(std::move(rows), std::move(count));
  return absl::OkStatus();
}

absl::StatusOr<Operand> NodeContext::NewConstant(quant::Tensor tensor, std::string_view step) {
  return scope_.ComputedConstant(StepName(step), std::move(tensor));
}

}  // namespace tally::onnx
