#include "frontends/graph/import_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "quant/labels.h"

namespace tally::frontend {
namespace {

std::string Describe(const std::string& name, const Operand& operand) {
  const std::string type = operand.codes.has_value()
                               ? operand.codes->type.ToString() + quant::ToString(operand.shape())
                               : quant::ToString(operand.type);
  return PrintableStart(name) + " " + type;
}

}  // namespace

absl::Status At(const std::string& place, const absl::Status& status) {
  if (status.ok()) return status;
  constexpr std::pair<Label, Label> kLabels[] = {
      {label::graph_rank, label::model_shape},
      {label::graph_dimension, label::model_shape},
      {label::graph_size, label::model_shape},
      {label::graph_shape, label::model_shape},
      {label::graph_attribute, label::model_malformed},
      {label::graph_element_type, label::model_unsupported_type},
      {label::graph_constant_operand, label::model_unsupported_operand},
      {label::graph_constant_data, label::model_nan_weight},
      {label::graph_values, label::model_too_large},
  };
  std::string message(status.message());
  if (!message.starts_with(place + ": ")) message = place + ": " + message;
  for (const auto& [of_graph, of_file] : kLabels) {
    if (HasLabel(status, of_graph)) return MakeError(of_file, message);
  }
  return WithMessage(status, message);
}

absl::Status ImportRun::Refuse(absl::Status status, std::span<const std::string> names) {
  if (status.ok() || report_ == nullptr) return status;
  MarkUnavailable(names);
  report_->others.push_back(std::move(status));
  return absl::OkStatus();
}

absl::Status ImportRun::AddInput(const std::string& name, const InputType& type,
                                 const absl::StatusOr<quant::Shape>& shape) {
  return Refuse(At("input '" + PrintableStart(name) + "'", TryAddInput(name, type, shape)), {&name, 1});
}

void ImportRun::Declare(const std::string& name, const InputType& type, const DeclaredShape& shape) {
  if (report_ == nullptr) return;
  const bool is_integer = type.element == quant::ElementType::kInt64;
  const bool is_flag = is_integer && type.interval.has_value() && *type.interval == Interval{0, 1};
  report_->declared.push_back({Printable(name), shape, is_integer, is_flag});
}

absl::Status ImportRun::TryAddInput(const std::string& name, const InputType& type,
                                    const absl::StatusOr<quant::Shape>& shape) {
  quant::Value value;
  ASSIGN_OR_RETURN(value.name, ServedName(name));
  RETURN_IF_ERROR(shape.status());
  value.type = {type.element, *shape};
  value.interval = type.interval;
  ASSIGN_OR_RETURN(Operand operand, scope_.AddInput(value));
  if (type.codes.has_value()) operand.codes = Codes{.type = *type.codes, .input = operand.value};
  if (report_ != nullptr) report_->inputs.push_back(Describe(name, operand));
  return scope_.Bind(name, std::move(operand));
}

absl::Status ImportRun::AddInput(const std::string& name, const InputType& type,
                                 const absl::StatusOr<quant::Shape>& shape, const GivenInputs& given) {
  const auto fixed = given.values.find(Printable(name));
  if (fixed == given.values.end()) return AddInput(name, type, shape);
  const auto constant = [&, &values = fixed->second]() -> absl::StatusOr<Operand> {
    RETURN_IF_ERROR(shape.status());
    RETURN_IF_ERROR(quant::CheckShape(*shape));
    const int64_t count = quant::NumElements(*shape);
    if (values.size() != 1 && std::ssize(values) != count) {
      return MakeError(label::model_shape, absl::StrCat("it has ", count, " elements, and ", values.size(),
                                                        " values are given; one number is for all"));
    }
    RETURN_IF_ERROR(scope_.Charge(count));
    quant::FloatTensor floats{*shape, {}};
    quant::Int64Tensor integers{*shape, {}};
    constexpr double kExact = 0x1p53;  // as far as a double distinguishes them
    for (int64_t i = 0; i < count; ++i) {
      const double value = values[values.size() == 1 ? 0 : static_cast<size_t>(i)];
      if (type.element == quant::ElementType::kFloat32) {
        floats.data.push_back(static_cast<float>(value));
        continue;
      }
      const bool is_integer = std::trunc(value) == value && std::abs(value) <= kExact;
      if (!is_integer ||
          (type.interval.has_value() && !type.interval->Contains(static_cast<int64_t>(value)))) {
        return MakeError(label::model_unsupported_type,
                         absl::StrCat(value, " is not an integer of its type"));
      }
      integers.data.push_back(static_cast<int64_t>(value));
    }
    if (type.element == quant::ElementType::kFloat32) return Scope::FileConstant(name, std::move(floats));
    return Scope::FileConstant(name, std::move(integers));
  };
  return AddConstant("input", name, constant());
}

absl::Status ImportRun::AddConstant(std::string_view what, const std::string& name,
                                    absl::StatusOr<Operand> constant) {
  const std::string place = std::string(what) + " '" + PrintableStart(name) + "'";
  if (HasLabel(constant.status(), label::model_unsupported_type)) {  // unless something reads it
    return Refuse(At(place, scope_.BindError(name, At(place, constant.status()))), {&name, 1});
  }
  if (!constant.ok()) return Refuse(At(place, constant.status()), {&name, 1});
  if (report_ != nullptr) {
    ++report_->weights;
    report_->weight_elements += quant::NumElements(constant->shape());
  }
  return Refuse(At(place, scope_.Bind(name, *std::move(constant))), {&name, 1});
}

absl::StatusOr<LayerReport::Fate> ImportRun::ImportLayer(const LayerNames& names, const std::string& kind,
                                                         const LayerSteps& steps) {
  if (report_ == nullptr) {
    absl::Status status = steps.import();
    if (status.ok()) return LayerReport::kImported;
    if (status.message() != placed_) status = At(names.source, status);
    placed_ = std::string(status.message());
    return status;
  }
  const size_t reported = report_->layers.size();
  report_->layers.push_back({.source = names.source, .kind = kind});
  const auto is_unavailable = [&](const std::string& name) { return IsUnavailable(name); };
  LayerReport::Fate fate = LayerReport::kImported;
  absl::Status why;
  if (std::ranges::any_of(names.inputs, is_unavailable)) {
    why = At(names.source, steps.find());
    fate = LayerReport::kUnavailable;
  } else {
    why = At(names.source, steps.import());
    // Layers within it say why.
    if (std::ranges::any_of(names.outputs, is_unavailable)) fate = LayerReport::kUnavailable;
  }
  if (!why.ok()) fate = LayerReport::kRefused;
  if (fate != LayerReport::kImported) MarkUnavailable(names.outputs);
  report_->layers[reported].fate = fate;
  report_->layers[reported].why = std::move(why);
  return fate;
}

void ImportRun::ReportUnseen(const std::string& source, const std::string& kind, const absl::Status& found) {
  report_->layers.push_back({.source = source,
                             .kind = kind,
                             .fate = found.ok() ? LayerReport::kUnavailable : LayerReport::kRefused,
                             .why = At(source, found)});
}

void ImportRun::ForgetImported(size_t num_kept) {
  if (report_ == nullptr) return;
  auto& layers = report_->layers;
  layers.erase(std::remove_if(layers.begin() + static_cast<int64_t>(num_kept), layers.end(),
                              [](const LayerReport& l) { return l.fate == LayerReport::kImported; }),
               layers.end());
}

absl::Status ImportRun::AddOutput(const std::string& name, const DeclaredShape& declared) {
  if (IsUnavailable(name)) return absl::OkStatus();
  return Refuse(At("output '" + PrintableStart(name) + "'", TryAddOutput(name, declared)));
}

absl::Status ImportRun::TryAddOutput(const std::string& name, const DeclaredShape& declared) {
  ASSIGN_OR_RETURN(Operand operand, scope_.Lookup(name));
  quant::Shape open = operand.shape();
  for (const CountedRows& counted : scope_.counts()) {
    if (operand.value.has_value() && counted.rows.value == operand.value) open[counted.axis] = -1;
  }
  if (!FitsDeclared(declared, open)) {
    return MakeError(label::model_shape, "it is " + quant::ToString(operand.shape()) + ", not as declared");
  }
  if (report_ != nullptr) report_->outputs.push_back(Describe(name, operand));
  ASSIGN_OR_RETURN(operand, AsServed(std::move(operand), name));
  ASSIGN_OR_RETURN(const std::string served, ServedName(name));
  return scope_.AddOutput(operand, served);
}

absl::StatusOr<Operand> ImportRun::AsServed(Operand operand, const std::string& name) {
  if (!operand.codes.has_value()) return operand;
  if (!operand.codes->grid.has_value()) {
    return MakeError(label::model_unsupported_type, "it holds integers of 16 bits or less of no known scale");
  }
  const quant::FakeQuantize served{*operand.codes->grid};
  operand.codes.reset();
  return scope_.Emit(served, {operand}, name + ".served", "output '" + PrintableStart(name) + "'");
}

absl::Status ImportRun::Finish() {
  if (report_ != nullptr) report_->notes = scope_.notes();
  for (const auto& [rows, count, axis] : scope_.counts()) {
    if (report_ != nullptr) report_->outputs.push_back(Describe(count.name, count));
    RETURN_IF_ERROR(scope_.AddOutput(count, count.name));
  }
  return absl::OkStatus();
}

}  // namespace tally::frontend
