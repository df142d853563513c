#include "frontends/onnx/importer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/code_grid.h"
#include "frontends/onnx/decode_tensor.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/subgraph.h"
#include "quant/labels.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

// One vocabulary for the user: what the graph refuses is a fault of the file.
absl::Status OfTheFile(const absl::Status& status, std::string_view message) {
  constexpr std::pair<Label, Label> kLabels[] = {
      {label::graph_rank, label::onnx_shape},
      {label::graph_dimension, label::onnx_shape},
      {label::graph_size, label::onnx_shape},
      {label::graph_shape, label::onnx_shape},
      {label::graph_attribute, label::onnx_malformed},
      {label::graph_element_type, label::onnx_unsupported_type},
      {label::graph_constant_operand, label::onnx_unsupported_operand},
      {label::graph_constant_data, label::onnx_nan_weight},
      {label::graph_values, label::onnx_too_large},
  };
  for (const auto& [graph_label, onnx_label] : kLabels) {
    if (HasLabel(status, graph_label)) return MakeError(onnx_label, message);
  }
  return WithMessage(status, message);
}

}  // namespace

absl::Status At(const std::string& place, const absl::Status& status) {
  if (status.ok()) return status;
  const std::string message(status.message());
  return OfTheFile(status, message.starts_with(place + ": ") ? message : place + ": " + message);
}

Importer::Importer(::onnx::GraphProto& graph, int64_t opset, int64_t max_computed,
                   const ImportOptions& options, ModelReport* report)
    : graph_(graph),
      opset_(opset),
      options_(options),
      max_computed_(max_computed),
      dynamic_products_(FindDynamicProducts(graph)),
      scope_(graph.name(), max_computed),
      report_(report) {
  AddNamesRead(graph, read_);
}

absl::Status Importer::Run() {
  if (graph_.sparse_initializer_size() > 0) {
    RETURN_IF_ERROR(Refuse(MakeError(label::onnx_unsupported_type, "the graph has sparse initializers")));
  }
  RETURN_IF_ERROR(BindInitializers(graph_));
  const std::vector<const ValueInfoProto*> inputs = InputsOf(graph_);
  RETURN_IF_ERROR(Refuse(CheckNames(options_.shapes, inputs)));
  for (const ValueInfoProto* input : inputs) {
    const std::string place = "input '" + PrintableStart(input->name()) + "'";
    RETURN_IF_ERROR(Refuse(At(place, AddInput(*input)), {&input->name(), 1}));
  }
  for (int i = 0; i < graph_.node_size(); ++i) {
    RETURN_IF_ERROR(ImportNode(graph_.node(i), std::to_string(i), i));
  }
  if (graph_.output_size() == 0) {
    return Refuse(MakeError(label::onnx_malformed, "the graph has no outputs"));
  }
  for (const ValueInfoProto& output : graph_.output()) {
    if (unavailable_.contains(output.name())) continue;
    RETURN_IF_ERROR(Refuse(At("output '" + PrintableStart(output.name()) + "'", AddOutput(output))));
  }
  for (const auto& [rows, count] : scope_.counts()) {
    if (report_ != nullptr) report_->outputs.push_back(Describe(count.name, count));
    RETURN_IF_ERROR(scope_.AddOutput(count, count.name));
  }
  return absl::OkStatus();
}

absl::Status Importer::Refuse(absl::Status status, std::span<const std::string> names) {
  if (status.ok() || report_ == nullptr) return status;
  MarkUnavailable(names);
  report_->others.push_back(std::move(status));
  return absl::OkStatus();
}

absl::Status Importer::BindInitializers(::onnx::GraphProto& graph) {
  for (TensorProto& initializer : *graph.mutable_initializer()) {
    const std::string place = "initializer '" + PrintableStart(initializer.name()) + "'";
    RETURN_IF_ERROR(Refuse(At(place, BindInitializer(initializer)), {&initializer.name(), 1}));
  }
  return absl::OkStatus();
}

absl::Status Importer::BindInitializer(TensorProto& initializer) {
  if (IntervalOfCodes(initializer.data_type()).has_value()) {
    ASSIGN_OR_RETURN(quant::Int64Tensor integers, DecodeCodes(initializer));
    initializer.clear_raw_data();
    Operand operand = Scope::FileConstant(initializer.name(), std::move(integers));
    operand.codes = Codes{.data_type = initializer.data_type()};
    return scope_.Bind(initializer.name(), std::move(operand));
  }
  absl::StatusOr<quant::Tensor> tensor = DecodeTensor(initializer);
  initializer.clear_raw_data();  // the file's copy is no longer needed
  if (HasLabel(tensor.status(), label::onnx_unsupported_type)) {
    return scope_.BindError(initializer.name(),
                            At("initializer '" + PrintableStart(initializer.name()) + "'", tensor.status()));
  }
  RETURN_IF_ERROR(tensor.status());
  return scope_.Bind(initializer.name(), Scope::FileConstant(initializer.name(), *std::move(tensor)));
}

absl::Status Importer::AddInput(const ValueInfoProto& input) {
  quant::Value value;
  ASSIGN_OR_RETURN(value.name, ServedName(input.name()));
  const int data_type = input.type().tensor_type().elem_type();
  switch (data_type) {
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT:
    case TensorProto::FLOAT16:
    case TensorProto::DOUBLE: break;
    case TensorProto::BOOL: value.interval = Interval{0, 1}; [[fallthrough]];
    case TensorProto::INT32:
    case TensorProto::INT64: value.type.element = quant::ElementType::kInt64; break;
    default:
      return MakeError(label::onnx_unsupported_type,
                       "it is no tensor of floats, integers of 8 to 64 bits or booleans");
  }
  ASSIGN_OR_RETURN(value.type.shape, ShapeOfInput(input, options_.shapes));
  ASSIGN_OR_RETURN(Operand operand, scope_.AddInput(value));
  if (IntervalOfCodes(data_type).has_value()) {
    operand.codes = Codes{.data_type = data_type, .input = operand.value};
  }
  if (report_ != nullptr) report_->inputs.push_back(Describe(input.name(), operand));
  return scope_.Bind(input.name(), std::move(operand));
}

absl::StatusOr<Operand> Importer::AsServed(Operand operand, const std::string& name) {
  if (!operand.codes.has_value()) return operand;
  if (!operand.codes->grid.has_value()) {
    return MakeError(label::onnx_unsupported_type, "it holds integers of 16 bits or less of no known scale");
  }
  const quant::FakeQuantize served{*operand.codes->grid};
  operand.codes.reset();
  return scope_.Emit(served, {operand}, name + ".served", "output '" + PrintableStart(name) + "'");
}

bool Importer::IsCounted(const Operand& operand) const {
  return std::ranges::any_of(scope_.counts(), [&](const CountedRows& counted) {
    return counted.rows.value.has_value() && counted.rows.value == operand.value;
  });
}

absl::Status Importer::AddOutput(const ValueInfoProto& output) {
  ASSIGN_OR_RETURN(Operand operand, scope_.Lookup(output.name()));
  const auto& declared = output.type().tensor_type();
  quant::Shape open = operand.shape();
  if (IsCounted(operand)) open[0] = -1;
  if (declared.has_shape() && !FitsDeclared(declared.shape(), open)) {
    return MakeError(label::onnx_shape, "it is " + quant::ToString(operand.shape()) + ", not as declared");
  }
  if (report_ != nullptr) report_->outputs.push_back(Describe(output.name(), operand));
  ASSIGN_OR_RETURN(operand, AsServed(std::move(operand), output.name()));
  ASSIGN_OR_RETURN(const std::string name, ServedName(output.name()));
  return scope_.AddOutput(operand, name);
}

std::string Importer::Describe(const std::string& name, const Operand& operand) {
  const std::string type = operand.codes.has_value() ? std::string(NameOfCodes(operand.codes->data_type)) +
                                                           quant::ToString(operand.shape())
                                                     : quant::ToString(operand.type);
  return PrintableStart(name) + " " + type;
}

}  // namespace tally::onnx
