#include "frontends/onnx/float/importer.h"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/model/data_type.h"
#include "frontends/onnx/model/decode_tensor.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/open_model.h"
#include "frontends/onnx/model/subgraph.h"

namespace tally::onnx {

using ::onnx::TensorProto;
using ::onnx::ValueInfoProto;

namespace {

absl::StatusOr<InputType> InputTypeOf(int data_type) {
  InputType type = {.codes = CodeTypeOf(data_type)};
  if (type.codes.has_value() && type.codes->bits >= 8) return type;
  switch (data_type) {
    case TensorProto::FLOAT:
    case TensorProto::FLOAT16:
    case TensorProto::DOUBLE: return type;
    case TensorProto::BOOL: type.interval = Interval{0, 1}; [[fallthrough]];
    case TensorProto::INT32:
    case TensorProto::INT64: type.element = quant::ElementType::kInt64; return type;
    default:
      return MakeError(label::model_unsupported_type,
                       "it is not a tensor of floats, integers of 8 to 64 bits or booleans");
  }
}

// Whether the file states the type of an output that its nodes give: floats, or integers. Errors:
// model_malformed.
absl::Status CheckOutputType(const ValueInfoProto& output, const Operand& operand) {
  const int stated = output.type().tensor_type().elem_type();
  if (stated == TensorProto::UNDEFINED || operand.codes.has_value()) return absl::OkStatus();
  const bool is_float = stated == TensorProto::FLOAT || stated == TensorProto::FLOAT16 ||
                        stated == TensorProto::BFLOAT16 || stated == TensorProto::DOUBLE;
  // Sums of products of codes are floats here, and 32-bit integers in the file.
  const bool may_be_float = stated == TensorProto::INT32;
  if (is_float == !operand.is_integer() || (may_be_float && !operand.is_integer())) return absl::OkStatus();
  return MakeError(label::model_malformed,
                   absl::StrCat("output '", PrintableStart(output.name()), "': the file says ",
                                is_float ? "floats" : "integers", ", and its node gives ",
                                is_float ? "integers" : "floats", ": one of the two is wrong"));
}

// An input that an initializer gives a value: what the file says of both. Errors: model_malformed.
absl::Status CheckInitializedInputs(const ::onnx::GraphProto& graph) {
  std::unordered_map<std::string_view, const TensorProto*> initializers;
  for (const TensorProto& tensor : graph.initializer()) initializers.emplace(tensor.name(), &tensor);
  for (const ValueInfoProto& input : graph.input()) {
    const auto tensor = initializers.find(input.name());
    if (tensor == initializers.end() || !input.type().has_tensor_type()) continue;
    const auto& stated = input.type().tensor_type();
    bool fits =
        stated.elem_type() == TensorProto::UNDEFINED || stated.elem_type() == tensor->second->data_type();
    if (stated.has_shape()) {
      fits = fits && stated.shape().dim_size() == tensor->second->dims_size();
      for (int i = 0; fits && i < stated.shape().dim_size(); ++i) {
        const auto& dim = stated.shape().dim(i);
        fits = !dim.has_dim_value() || dim.dim_value() == tensor->second->dims(i);
      }
    }
    if (fits) continue;
    return MakeError(
        label::model_malformed,
        absl::StrCat("input '", PrintableStart(input.name()), "' has another type or shape than the ",
                     "initializer of its name: one of the two is wrong"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Operand> ConstantOf(const TensorProto& tensor) {
  if (const auto codes = CodeTypeOf(tensor.data_type())) {
    ASSIGN_OR_RETURN(quant::Int64Tensor integers, DecodeCodes(tensor));
    Operand operand = Scope::FileConstant(tensor.name(), std::move(integers));
    operand.codes = Codes{.type = *codes};
    return operand;
  }
  ASSIGN_OR_RETURN(quant::Tensor decoded, DecodeTensor(tensor));
  return Scope::FileConstant(tensor.name(), std::move(decoded));
}

}  // namespace

Importer::Importer(::onnx::GraphProto& graph, int64_t opset, int64_t max_computed,
                   const ImportOptions& options, ModelReport* report)
    : graph_(graph),
      opset_(opset),
      options_(options),
      max_computed_(max_computed),
      dynamic_products_(FindDynamicProducts(graph)),
      run_(graph.name(), max_computed, report) {
  AddNamesRead(graph, read_);
}

absl::Status Importer::Run() {
  if (graph_.sparse_initializer_size() > 0) {
    RETURN_IF_ERROR(
        run_.Refuse(MakeError(label::model_unsupported_type, "the graph has sparse initializers")));
  }
  RETURN_IF_ERROR(run_.Refuse(CheckInitializedInputs(graph_)));
  RETURN_IF_ERROR(BindInitializers(graph_));
  const std::vector<const ValueInfoProto*> inputs = InputsOf(graph_);
  RETURN_IF_ERROR(run_.Refuse(CheckNames(options_.shapes, NamesOf(inputs))));
  for (const ValueInfoProto* input : inputs) RETURN_IF_ERROR(AddInput(*input));
  for (int i = 0; i < graph_.node_size(); ++i) {
    RETURN_IF_ERROR(ImportNode(graph_.node(i), std::to_string(i), i));
  }
  if (graph_.output_size() == 0) {
    return run_.Refuse(MakeError(label::model_malformed, "the graph has no outputs"));
  }
  for (const ValueInfoProto& output : graph_.output()) {
    if (const auto operand = run_.scope().Lookup(output.name()); operand.ok())
      RETURN_IF_ERROR(run_.Refuse(CheckOutputType(output, *operand)));
    RETURN_IF_ERROR(run_.AddOutput(output.name(), DeclaredBy(output)));
  }
  return run_.Finish();
}

absl::Status Importer::BindInitializers(::onnx::GraphProto& graph) {
  for (TensorProto& initializer : *graph.mutable_initializer()) {
    absl::StatusOr<Operand> constant = ConstantOf(initializer);
    initializer.clear_raw_data();  // the file's copy is no longer needed
    RETURN_IF_ERROR(run_.AddConstant("initializer", initializer.name(), std::move(constant)));
  }
  return absl::OkStatus();
}

absl::Status Importer::AddInput(const ValueInfoProto& input) {
  const std::string& name = input.name();
  const absl::StatusOr<InputType> type = InputTypeOf(input.type().tensor_type().elem_type());
  if (!type.ok()) return run_.AddInput(name, {}, type.status());
  run_.Declare(name, *type, DeclaredBy(input));
  return run_.AddInput(name, *type, ShapeOfInput(name, DeclaredBy(input), options_.shapes));
}

}  // namespace tally::onnx
