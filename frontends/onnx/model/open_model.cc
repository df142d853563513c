#include "frontends/onnx/model/open_model.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/model/external_data.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/opsets.h"
#include "frontends/onnx/model/sort_nodes.h"
#include "frontends/onnx/model/subgraph.h"

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
    if (opset != 0) return MakeError(label::model_malformed, "the default operator set is imported twice");
    opset = import.version();
    if (opset < kFirstOpset || opset > kLastOpset) {
      return MakeError(label::onnx_unsupported_opset, absl::StrCat("opset ", opset, " is not read; opsets ",
                                                                   kFirstOpset, " to ", kLastOpset, " are"));
    }
  }
  if (opset != 0) return opset;
  if (model.opset_import_size() == 0) {
    return MakeError(label::model_malformed, "the model does not import the default operator set");
  }
  // A model of trees has no operator of the default set.
  for (const auto& import : model.opset_import()) {
    if (import.domain() == "ai.onnx.ml") return kLastOpset;
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
      return MakeError(label::model_malformed,
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

}  // namespace

absl::StatusOr<std::unique_ptr<OpenedModel>> OpenModel(std::span<const uint8_t> bytes,
                                                       const std::string& folder, Dialect dialect) {
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
  model->opset = kOpsetOfNhwc;
  if (dialect == Dialect::kStandard) {
    ASSIGN_OR_RETURN(model->opset, OpsetOf(proto));
  }
  ASSIGN_OR_RETURN(model->bytes, ReadExternalData(folder, proto, model->files));
  model->bytes += bytes.size();
  RETURN_IF_ERROR(CheckHaveOutputs(proto.graph()));
  SortNodes(*proto.mutable_graph());
  return model;
}

// Exporters write an open dimension as a name, as nothing, as 0 or as -1.
frontend::DeclaredShape DeclaredBy(const ValueInfoProto& value) {
  const auto& type = value.type().tensor_type();
  if (!type.has_shape()) return std::nullopt;
  std::vector<frontend::DeclaredDim> dims;
  for (const auto& dim : type.shape().dim()) dims.push_back({dim.dim_value(), dim.dim_param()});
  return dims;
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

std::vector<std::string> NamesOf(std::span<const ValueInfoProto* const> inputs) {
  std::vector<std::string> names;
  for (const ValueInfoProto* input : inputs) names.push_back(input->name());
  return names;
}

}  // namespace tally::onnx
