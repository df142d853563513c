#include "frontends/onnx/open_model.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/opsets.h"
#include "frontends/onnx/sort_nodes.h"
#include "frontends/onnx/subgraph.h"
#include "vm/limits.h"

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::ValueInfoProto;

constexpr int64_t kFirstIrVersion = 3;
constexpr int64_t kLastIrVersion = 13;

// The version of the default operator set.
absl::StatusOr<int64_t> OpsetOf(const ModelProto& model) {
  int64_t opset = 0;
  for (const auto& import : model.opset_import()) {
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (opset != 0) return MakeError(label::onnx_malformed, "the default operator set is imported twice");
    opset = import.version();
    if (opset < kFirstOpset || opset > kLastOpset) {
      return MakeError(label::onnx_unsupported_opset, absl::StrCat("opset ", opset, " is not read; opsets ",
                                                                   kFirstOpset, " to ", kLastOpset, " are"));
    }
  }
  if (opset != 0) return opset;
  if (model.opset_import_size() == 0) {
    return MakeError(label::onnx_malformed, "the model does not import the default operator set");
  }
  return MakeError(
      label::onnx_unsupported_opset,
      absl::StrCat("the model imports operators of '", PrintableStart(model.opset_import(0).domain()),
                   "' and none of ONNX's default set, which alone is read"));
}

absl::Status CheckHaveOutputs(const GraphProto& graph) {
  for (int i = 0; i < graph.node_size(); ++i) {
    const ::onnx::NodeProto& node = graph.node(i);
    if (node.output_size() == 0) {
      return MakeError(label::onnx_malformed,
                       absl::StrCat("node ", i, " '", PrintableStart(node.name()), "' (",
                                    PrintableStart(node.op_type()), ") has no output"));
    }
    absl::Status inner;
    ForEachSubgraph(
        node, [&](const std::string&, const GraphProto& body) { inner.Update(CheckHaveOutputs(body)); });
    RETURN_IF_ERROR(inner);
  }
  return absl::OkStatus();
}

std::string NameOf(const ::onnx::TensorShapeProto::Dimension& dimension) {
  return dimension.dim_param().empty() ? ""
                                       : absl::StrCat(" ('", PrintableStart(dimension.dim_param()), "')");
}

}  // namespace

absl::StatusOr<std::unique_ptr<OpenedModel>> OpenModel(std::span<const uint8_t> bytes,
                                                       const std::string& folder) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return MakeError(label::onnx_size, "the file is larger than 2 GiB");
  }
  auto model = std::make_unique<OpenedModel>();
  ModelProto& proto = model->proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return MakeError(label::onnx_parse, "the file is not an ONNX model");
  }
  if (!proto.has_graph()) return MakeError(label::onnx_parse, "the file has no ONNX graph");
  if (proto.ir_version() < kFirstIrVersion || proto.ir_version() > kLastIrVersion) {
    return MakeError(label::onnx_unsupported_ir_version,
                     absl::StrCat("IR version ", proto.ir_version(), " is not read; versions ",
                                  kFirstIrVersion, " to ", kLastIrVersion, " are"));
  }
  ASSIGN_OR_RETURN(model->opset, OpsetOf(proto));
  ASSIGN_OR_RETURN(model->bytes, ReadExternalData(folder, proto));
  model->bytes += bytes.size();
  RETURN_IF_ERROR(CheckHaveOutputs(proto.graph()));
  SortNodes(*proto.mutable_graph());
  return model;
}

absl::StatusOr<std::vector<int64_t>> ShapeOfInput(const ValueInfoProto& input, const GivenInputs& shapes) {
  const auto& type = input.type().tensor_type();
  const auto given = shapes.shapes.find(Printable(input.name()));
  if (!type.has_shape()) {
    if (given != shapes.shapes.end()) return given->second;
    return MakeError(label::onnx_open_dimension, "it has no shape");
  }
  if (given != shapes.shapes.end() && static_cast<int>(given->second.size()) != type.shape().dim_size()) {
    return MakeError(label::onnx_shape, absl::StrCat("it has ", type.shape().dim_size(), " dimensions, and ",
                                                     given->second.size(), " are given"));
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    const auto& dimension = type.shape().dim(i);
    // Exporters write an open dimension as a name, as nothing, as 0 or as -1.
    const bool is_open = dimension.dim_value() <= 0;
    if (given != shapes.shapes.end()) {
      dims.push_back(given->second[static_cast<size_t>(i)]);
      if (is_open || dims.back() == dimension.dim_value()) continue;
      return MakeError(label::onnx_shape, absl::StrCat("dimension ", i, " is ", dimension.dim_value(),
                                                       ", and ", dims.back(), " is given"));
    }
    if (is_open && i > 0) {
      return MakeError(label::onnx_open_dimension,
                       absl::StrCat("dimension ", i, NameOf(dimension), " is open; only the first may be"));
    }
    dims.push_back(is_open ? shapes.batch : dimension.dim_value());
  }
  return dims;
}

bool FitsDeclared(const ::onnx::TensorShapeProto& declared, std::span<const int64_t> dims) {
  if (static_cast<size_t>(declared.dim_size()) != dims.size()) return false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = declared.dim(static_cast<int>(i)).dim_value();
    if (size > 0 && dims[i] != -1 && size != dims[i]) return false;
  }
  return true;
}

std::vector<const ValueInfoProto*> InputsOf(const GraphProto& graph) {
  std::unordered_set<std::string_view> initializers;
  for (const auto& initializer : graph.initializer()) initializers.insert(initializer.name());
  std::vector<const ValueInfoProto*> inputs;
  for (const ValueInfoProto& input : graph.input()) {
    // An initializer is its default value, which nothing here overrides.
    if (!initializers.contains(input.name())) inputs.push_back(&input);
  }
  return inputs;
}

absl::Status CheckNames(const GivenInputs& given, std::span<const ValueInfoProto* const> inputs) {
  for (const auto& shape : given.shapes) {
    const std::string& name = shape.first;
    // A constant by now.
    const bool is_fixed = given.values.contains(name) || std::ranges::count(shape.second, 0) > 0;
    if (!is_fixed &&
        std::ranges::none_of(inputs, [&](const auto* i) { return Printable(i->name()) == name; })) {
      return MakeError(label::onnx_shape, absl::StrCat("the model has no input '", PrintableStart(name),
                                                       "' to give a shape to"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ServedName(const std::string& name) {
  std::string served = Printable(name);
  if (served.size() <= static_cast<size_t>(kMaxNameBytes)) return served.empty() ? "value" : served;
  return MakeError(label::onnx_name, absl::StrCat("its name has ", served.size(),
                                                  " bytes, and a module gives its inputs and results up to ",
                                                  kMaxNameBytes, ": rename it in the model"));
}

}  // namespace tally::onnx
