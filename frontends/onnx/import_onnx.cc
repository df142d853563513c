#include "frontends/onnx/import_onnx.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/code_grid.h"
#include "frontends/onnx/compute_at_import.h"
#include "frontends/onnx/decode_tensor.h"
#include "frontends/onnx/dynamic_products.h"
#include "frontends/onnx/labels.h"
#include "frontends/onnx/node_context.h"
#include "frontends/onnx/open_model.h"
#include "frontends/onnx/operators.h"
#include "frontends/onnx/quantized_nodes.h"
#include "frontends/onnx/scope.h"
#include "quant/labels.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
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

// `status` with `place` in front, unless a node's importer got it from the graph with that in front already.
absl::Status At(const std::string& place, const absl::Status& status) {
  if (status.ok()) return status;
  const std::string message(status.message());
  return OfTheFile(status, message.starts_with(place + ": ") ? message : place + ": " + message);
}

std::unordered_set<std::string_view> NamesRead(const GraphProto& graph) {
  std::unordered_set<std::string_view> names;
  for (const NodeProto& node : graph.node()) names.insert(node.input().begin(), node.input().end());
  for (const ValueInfoProto& output : graph.output()) names.insert(output.name());
  return names;
}

// Ends at the first refusal, or, given a report, tells it of each and goes on.
class Importer {
 public:
  Importer(GraphProto& graph, int64_t opset, int64_t max_computed, const ImportOptions& options,
           ModelReport* report)
      : graph_(graph),
        opset_(opset),
        options_(options),
        read_(NamesRead(graph)),
        dynamic_products_(FindDynamicProducts(graph)),
        scope_(graph.name(), max_computed),
        report_(report) {}

  absl::Status Run() {
    if (graph_.sparse_initializer_size() > 0) {
      RETURN_IF_ERROR(Refuse(MakeError(label::onnx_unsupported_type, "the graph has sparse initializers")));
    }
    for (TensorProto& initializer : *graph_.mutable_initializer()) {
      const std::string place = "initializer '" + PrintableStart(initializer.name()) + "'";
      RETURN_IF_ERROR(Refuse(At(place, BindInitializer(initializer)), {&initializer.name(), 1}));
    }
    const std::vector<const ValueInfoProto*> inputs = InputsOf(graph_);
    RETURN_IF_ERROR(Refuse(CheckNames(options_.shapes, inputs)));
    for (const ValueInfoProto* input : inputs) {
      const std::string place = "input '" + PrintableStart(input->name()) + "'";
      RETURN_IF_ERROR(Refuse(At(place, AddInput(*input)), {&input->name(), 1}));
    }
    for (int i = 0; i < graph_.node_size(); ++i) RETURN_IF_ERROR(ImportNode(graph_.node(i), i));
    if (graph_.output_size() == 0) {
      return Refuse(MakeError(label::onnx_malformed, "the graph has no outputs"));
    }
    for (const ValueInfoProto& output : graph_.output()) {
      if (unseen_.contains(output.name())) continue;
      RETURN_IF_ERROR(Refuse(At("output '" + PrintableStart(output.name()) + "'", AddOutput(output))));
    }
    for (const auto& [rows, count] : scope_.counts()) {
      if (report_ != nullptr) report_->outputs.push_back(Describe(count.name, count));
      RETURN_IF_ERROR(scope_.AddOutput(count, count.name));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<quant::Graph> Build() && { return std::move(scope_).Build(); }

 private:
  // `status`, unless it goes to the report; what reads `names` is then not looked at.
  absl::Status Refuse(absl::Status status, std::span<const std::string> names = {}) {
    if (status.ok() || report_ == nullptr) return status;
    unseen_.insert(names.begin(), names.end());
    report_->others.push_back(std::move(status));
    return absl::OkStatus();
  }

  absl::Status BindInitializer(TensorProto& initializer) {
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
      return scope_.BindError(
          initializer.name(),
          At("initializer '" + PrintableStart(initializer.name()) + "'", tensor.status()));
    }
    RETURN_IF_ERROR(tensor.status());
    return scope_.Bind(initializer.name(), Scope::FileConstant(initializer.name(), *std::move(tensor)));
  }

  absl::Status AddInput(const ValueInfoProto& input) {
    quant::Value value = {.name = input.name()};
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

  absl::Status ImportNode(const NodeProto& node, int index) {
    const std::string domain = node.domain().empty() ? "ai.onnx" : PrintableStart(node.domain());
    const std::string version = domain == "ai.onnx" ? " opset " + std::to_string(opset_) : "";
    const std::string source = "node " + std::to_string(index) + " '" + PrintableStart(node.name()) + "' (" +
                               PrintableStart(node.op_type()) + ", " + domain + version + ")";
    const auto reads_unseen = [&] {
      return std::ranges::any_of(node.input(),
                                 [&](const std::string& name) { return unseen_.contains(name); });
    };
    if (report_ == nullptr) return At(source, ImportNodeFrom(node, index, source, domain == "ai.onnx"));
    NodeReport told = {.source = source,
                       .op = (domain == "ai.onnx" ? "" : domain + ".") + PrintableStart(node.op_type())};
    if (reads_unseen()) {
      told.why = At(source, FindImporter(node, domain == "ai.onnx").status());
      told.fate = told.why.ok() ? NodeReport::kUnseen : NodeReport::kRefused;
    } else {
      told.why = At(source, ImportNodeFrom(node, index, source, domain == "ai.onnx"));
      told.fate = told.why.ok() ? NodeReport::kImported : NodeReport::kRefused;
    }
    if (told.fate != NodeReport::kImported) unseen_.insert(node.output().begin(), node.output().end());
    report_->nodes.push_back(std::move(told));
    return absl::OkStatus();
  }

  absl::StatusOr<OperatorImporter> FindImporter(const NodeProto& node, bool is_default_domain) const {
    if (IsQuantizedNode(node)) return OperatorImporter{};
    return FindOperator(is_default_domain ? "" : node.domain(), node.op_type(), opset_);
  }

  // Operators on quantized tensors as nodes between those that quantize, and dynamic quantization as the products that it stands for.
  absl::Status ImportNodeFrom(const NodeProto& node, int index, const std::string& source,
                              bool is_default_domain) {
    if (const auto product = dynamic_products_.find(index); product != dynamic_products_.end()) {
      return ImportInstead(product->second, source);
    }
    ASSIGN_OR_RETURN(const auto expansion, ExpandQuantizedNode(node, opset_));
    if (expansion.has_value()) return ImportInstead(*expansion, source);
    return ImportOne(node, source, is_default_domain);
  }

  absl::Status ImportInstead(const std::vector<NodeProto>& nodes, const std::string& source) {
    for (const NodeProto& node : nodes) RETURN_IF_ERROR(ImportOne(node, source, true));
    return absl::OkStatus();
  }

  absl::Status ImportOne(const NodeProto& node, const std::string& source, bool is_default_domain) {
    const bool folds = is_default_domain && IsComputedAtImport(node, scope_);
    OperatorImporter import = ComputeAtImport;
    if (!folds) {
      ASSIGN_OR_RETURN(import, FindImporter(node, is_default_domain));
    }
    if (node.output_size() == 0) return MakeError(label::onnx_malformed, "it has no output");
    ASSIGN_OR_RETURN(Attributes attributes, Attributes::Of(node));
    NodeContext context(node, opset_, options_, source, std::move(attributes), scope_, read_);
    if (is_default_domain && MovesCodes(node.op_type())) {
      ASSIGN_OR_RETURN(std::optional<Codes> codes, CodesOfInputs(context, node.input_size()));
      if (codes.has_value()) context.PassCodes(*std::move(codes));
    }
    RETURN_IF_ERROR(import(context));
    RETURN_IF_ERROR(context.attributes().CheckAllRead());
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty() || context.is_finished(static_cast<size_t>(i))) continue;
      const absl::Status error =
          MakeError(label::onnx_unsupported_output, "'" + PrintableStart(node.output(i)) + "' is output " +
                                                        std::to_string(i) + " of " + source +
                                                        ", which is not imported");
      RETURN_IF_ERROR(scope_.BindError(node.output(i), error));
    }
    return absl::OkStatus();
  }

  // Those of the first input that has some: a node whose inputs differ is refused where it reads the others.
  static absl::StatusOr<std::optional<Codes>> CodesOfInputs(const NodeContext& context, int num_inputs) {
    for (size_t i = 0; i < static_cast<size_t>(num_inputs); ++i) {
      if (!context.HasInput(i)) continue;
      ASSIGN_OR_RETURN(const Operand operand, context.CodesInput(i));
      if (operand.codes.has_value()) return operand.codes;
    }
    return std::nullopt;
  }

  // Codes leave as the file has them.
  absl::StatusOr<Operand> AsServed(Operand operand, const std::string& name) {
    if (!operand.codes.has_value()) return operand;
    if (!operand.codes->grid.has_value()) {
      return MakeError(label::onnx_unsupported_type,
                       "it holds integers of 16 bits or less of no known scale");
    }
    const quant::FakeQuantize served{*operand.codes->grid};
    operand.codes.reset();
    return scope_.Emit(served, {operand}, name + ".served", "output '" + PrintableStart(name) + "'");
  }

  bool IsCounted(const Operand& operand) const {
    return std::ranges::any_of(scope_.counts(), [&](const CountedRows& counted) {
      return counted.rows.value.has_value() && counted.rows.value == operand.value;
    });
  }

  // The shape and type that the file declares are checked, where it does; but not how many rows of a result it takes for meant.
  absl::Status AddOutput(const ValueInfoProto& output) {
    ASSIGN_OR_RETURN(Operand operand, scope_.Lookup(output.name()));
    const auto& declared = output.type().tensor_type();
    if (declared.has_shape()) {
      bool fits = static_cast<size_t>(declared.shape().dim_size()) == operand.shape().size();
      for (int i = IsCounted(operand) ? 1 : 0; fits && i < declared.shape().dim_size(); ++i) {
        const int64_t size = declared.shape().dim(i).dim_value();
        fits = size <= 0 || size == operand.shape()[static_cast<size_t>(i)];
      }
      if (!fits)
        return MakeError(label::onnx_shape,
                         "it is " + quant::ToString(operand.shape()) + ", not as declared");
    }
    if (report_ != nullptr) report_->outputs.push_back(Describe(output.name(), operand));
    ASSIGN_OR_RETURN(operand, AsServed(std::move(operand), output.name()));
    return scope_.AddOutput(operand, output.name());
  }

  static std::string Describe(const std::string& name, const Operand& operand) {
    const std::string type = operand.codes.has_value() ? std::string(NameOfCodes(operand.codes->data_type)) +
                                                             quant::ToString(operand.shape())
                                                       : quant::ToString(operand.type);
    return PrintableStart(name) + " " + type;
  }

  GraphProto& graph_;
  int64_t opset_;
  const ImportOptions& options_;
  const std::unordered_set<std::string_view> read_;  // names of the proto, which stays as it is
  const NodesInstead dynamic_products_;
  Scope scope_;
  ModelReport* const report_;
  std::unordered_set<std::string> unseen_;  // the names of what was refused, and of what comes of it
};

// Enough to transpose or scale every weight several times.
int64_t MostComputed(uint64_t bytes_of_model) { return 65536 + 4 * static_cast<int64_t>(bytes_of_model); }

}  // namespace

bool ModelReport::imports() const {
  return others.empty() &&
         std::ranges::all_of(nodes, [](const NodeReport& n) { return n.fate == NodeReport::kImported; });
}

absl::StatusOr<quant::Graph> ImportOnnx(std::span<const uint8_t> bytes, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model, OpenModel(bytes, options.folder));
  Importer importer(*model->proto.mutable_graph(), model->opset, MostComputed(model->bytes), options,
                    nullptr);
  RETURN_IF_ERROR(importer.Run());
  return std::move(importer).Build();
}

absl::StatusOr<ModelReport> CheckOnnx(std::span<const uint8_t> bytes, const ImportOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<OpenedModel> model, OpenModel(bytes, options.folder));
  ModelReport report = {.opset = model->opset};
  Importer importer(*model->proto.mutable_graph(), model->opset, MostComputed(model->bytes), options,
                    &report);
  RETURN_IF_ERROR(importer.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(importer).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::onnx
