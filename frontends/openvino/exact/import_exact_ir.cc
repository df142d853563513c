#include "frontends/openvino/exact/import_exact_ir.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/import_run.h"
#include "frontends/onnx/exact/import_exact_model.h"
#include "frontends/openvino/exact/onnx_type.h"
#include "frontends/openvino/exact/translators.h"
#include "frontends/openvino/ir_constant.h"

namespace tally::openvino {
namespace {

using ::onnx::ModelProto;
using ::onnx::ValueInfoProto;

constexpr int64_t kOpset = 18, kIrVersion = 8;  // where all reductions take their axes as inputs

class ExactIr {
 public:
  ExactIr(const IrFile& file, std::span<const uint8_t> weights)
      : file_(file), weights_(weights), scope_("", 65536 + static_cast<int64_t>(weights.size())) {
    model_.set_ir_version(kIrVersion);
    model_.add_opset_import()->set_version(kOpset);
    graph_.set_name(file.name.empty() ? "net" : file.name);
  }

  absl::StatusOr<std::string> Bytes() {
    for (const IrLayer& layer : file_.layers) {
      for (const IrOutput& output : layer.outputs) ports_.emplace(output.value, &output);
    }
    for (const IrLayer& layer : file_.layers) {
      RETURN_IF_ERROR(At(SourceOf(layer), Add(layer)));
    }
    std::ranges::sort(results_, {}, &IrLayer::id);
    for (const IrLayer* result : results_) RETURN_IF_ERROR(At(SourceOf(*result), AddOutput(*result)));
    return model_.SerializeAsString();
  }

 private:
  absl::Status Add(const IrLayer& layer) {
    IrNode node({SourceOf(layer), layer.inputs, NamesOf(layer)}, scope_, read_, layer, {});
    if (IsConstant(layer)) return AddConstant(node);
    if (IsType(layer, "Result")) {
      results_.push_back(&layer);
      return absl::OkStatus();
    }
    for (const IrOutput& output : layer.outputs) {  // for what has to be a constant
      RETURN_IF_ERROR(scope_.BindError(output.value, MakeError(label::model_unsupported_operand,
                                                               "'" + PrintableStart(output.value) +
                                                                   "' must be a constant and is computed")));
    }
    if (IsType(layer, "Parameter")) return AddInput(node);
    Translator translator(node, ports_, graph_);
    return Translate(translator);
  }

  absl::Status AddInput(IrNode& node) {
    ASSIGN_OR_RETURN(const std::string name, node.Word("element_type"));
    ASSIGN_OR_RETURN(const IrType type, IrTypeOf(name));
    ValueInfoProto& input = *graph_.add_input();
    input.set_name(node.file().name);
    auto& tensor = *input.mutable_type()->mutable_tensor_type();
    ASSIGN_OR_RETURN(const int onnx_type, OnnxTypeOf(type));
    tensor.set_elem_type(onnx_type);
    ASSIGN_OR_RETURN(const std::string shape, node.Word("shape", ""));
    tensor.mutable_shape();
    const DeclaredShape declared = DeclaredBy(shape);
    for (const DeclaredDim& dim : *declared) {
      auto* added = tensor.mutable_shape()->add_dim();
      if (dim.size > 0) added->set_dim_value(dim.size);
    }
    return absl::OkStatus();
  }

  absl::Status AddConstant(IrNode& node) {
    ASSIGN_OR_RETURN(const IrConstant constant, ReadConstant(node, weights_));
    ASSIGN_OR_RETURN(quant::Tensor decoded, DecodeConstant(constant.type, constant.shape, constant.bytes));
    const std::string& name = node.file().outputs[0].value;
    RETURN_IF_ERROR(scope_.Bind(name, Scope::FileConstant(name, std::move(decoded))));
    ::onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    ASSIGN_OR_RETURN(const int onnx_type, OnnxTypeOf(constant.type));
    tensor.set_data_type(onnx_type);
    for (const int64_t dim : constant.shape) tensor.add_dims(dim);
    tensor.set_raw_data(constant.bytes.data(), constant.bytes.size());
    return absl::OkStatus();
  }

  absl::Status AddOutput(const IrLayer& result) {
    if (result.inputs.size() != 1 || result.inputs[0].empty()) return Malformed("it has no input");
    std::string name = result.inputs[0];
    const bool is_given =
        std::ranges::any_of(graph_.input(), [&](const auto& i) { return i.name() == name; });
    if (!served_.insert(name).second || is_given) {  // under a name of its own
      ::onnx::NodeProto& node = *graph_.add_node();
      node.set_op_type("Identity");
      node.add_input(name);
      name = result.name;
      node.add_output(name);
    }
    graph_.add_output()->set_name(name);
    return absl::OkStatus();
  }

  static std::string SourceOf(const IrLayer& layer) {
    return absl::StrCat("layer ", layer.id, " '", PrintableStart(layer.name), "' (",
                        PrintableStart(layer.type), ")");
  }
  static std::vector<std::string> NamesOf(const IrLayer& layer) {
    std::vector<std::string> names;
    for (const IrOutput& output : layer.outputs) names.push_back(output.value);
    return names;
  }

  const IrFile& file_;
  std::span<const uint8_t> weights_;
  Scope scope_;  // constants alone
  const std::unordered_set<std::string_view> read_;
  Ports ports_;
  ModelProto model_;
  ::onnx::GraphProto& graph_ = *model_.mutable_graph();
  std::vector<const IrLayer*> results_;
  std::set<std::string> served_;
};

}  // namespace

absl::StatusOr<Module> ImportExactIr(const IrFiles& files, const frontend::GivenInputs& given,
                                     const std::vector<frontend::InputRange>& ranges) {
  ASSIGN_OR_RETURN(const IrFile file, ReadIrFile(files.xml));
  if (file.preprocessing.has_value()) {
    return MakeError(label::model_unsupported_type,
                     "<pre-process> has means of floats: `tally quantize` makes a module");
  }
  ASSIGN_OR_RETURN(const std::string bytes, ExactIr(file, files.weights).Bytes());
  return onnx::ImportExactModel({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                                {.shapes = given, .folder = "", .ranges = ranges});
}

}  // namespace tally::openvino
