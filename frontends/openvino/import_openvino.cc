#include "frontends/openvino/import_openvino.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/import_run.h"
#include "frontends/graph/labels.h"
#include "frontends/openvino/element_type.h"
#include "frontends/openvino/ir_file.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

// A shape as the file declares it: "1,3,?,32..64", of which what is no number is open.
DeclaredShape DeclaredBy(std::string_view text) {
  std::vector<DeclaredDim> dims;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto size = ParseInts(text.substr(0, comma));
    dims.push_back({size.ok() && size->size() == 1 ? size->front() : 0});
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return dims;
}

bool IsType(const IrLayer& layer, std::string_view type) {
  return std::ranges::equal(
      layer.type, type, [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

class IrImport {
 public:
  IrImport(const IrFile& file, std::span<const uint8_t> weights, const GivenInputs& given,
           ModelReport* report)
      : file_(file),
        weights_(weights),
        given_(given),
        run_(file.name, 65536 + 4 * static_cast<int64_t>(weights.size()), report) {
    for (const IrLayer& layer : file.layers) read_.insert(layer.inputs.begin(), layer.inputs.end());
  }

  absl::Status Run() {
    std::vector<std::string> inputs;
    for (const IrLayer& layer : file_.layers) {
      if (IsType(layer, "Parameter")) inputs.push_back(layer.name);
    }
    RETURN_IF_ERROR(CheckNames(given_, inputs));
    for (const IrLayer& layer : file_.layers) {
      if (IsType(layer, "Parameter")) {
        RETURN_IF_ERROR(AddInput(layer));
      } else if (IsType(layer, "Const") || IsType(layer, "Constant")) {
        RETURN_IF_ERROR(AddConstant(layer));
      } else if (IsType(layer, "Result")) {
        results_.push_back(&layer);
      } else {
        RETURN_IF_ERROR(ImportLayer(layer));
      }
    }
    if (results_.empty()) return run_.Refuse(Malformed("the model has no results"));
    std::ranges::sort(results_, {}, &IrLayer::id);
    for (const IrLayer* result : results_) RETURN_IF_ERROR(AddOutput(*result));
    return run_.Finish();
  }

  absl::StatusOr<quant::Graph> Build() && { return std::move(run_).Build(); }

 private:
  absl::Status AddInput(const IrLayer& layer) {
    const auto attribute = [&](std::string_view name) {
      const auto found = layer.data.find(name);
      return found == layer.data.end() ? std::string() : found->second;
    };
    const auto type = IrTypeOf(attribute("element_type"));
    if (!type.ok()) return run_.AddInput(layer.name, {}, type.status());
    InputType of_graph;
    if (!type->is_float()) of_graph = {.element = quant::ElementType::kInt64, .interval = type->interval()};
    return run_.AddInput(layer.name, of_graph,
                         ShapeOfInput(layer.name, DeclaredBy(attribute("shape")), given_));
  }

  // Offsets are checked against the file; ranges of several constants may overlap.
  absl::StatusOr<Operand> ReadConstant(const IrLayer& layer) {
    LayerNames names = {layer.name, {}, {layer.name}};
    IrNode node(std::move(names), run_.scope(), read_, layer);
    if (layer.outputs.size() != 1) return Malformed("a constant has one output");
    const IrOutput& output = layer.outputs[0];
    ASSIGN_OR_RETURN(const std::string name, node.Word("element_type", output.precision));
    ASSIGN_OR_RETURN(const IrType type, IrTypeOf(name));
    ASSIGN_OR_RETURN(quant::Shape shape, node.Ints("shape"));
    if (!node.Has("shape")) shape = output.dims;
    if (shape != output.dims) {
      return MakeError(label::model_shape,
                       "it is " + quant::ToString(shape) + ", and its port " + quant::ToString(output.dims));
    }
    if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; }))
      return Malformed("its shape is open");
    ASSIGN_OR_RETURN(const int64_t offset, node.Int("offset"));
    ASSIGN_OR_RETURN(const int64_t size, node.Int("size"));
    const auto end = static_cast<int64_t>(weights_.size());
    if (offset < 0 || size < 0 || offset > end || size > end - offset) {
      return Malformed(absl::StrCat("its bytes, ", size, " from ", offset,
                                    " on, are not in the file of weights, of ", end));
    }
    ASSIGN_OR_RETURN(quant::Tensor tensor, DecodeConstant(type, shape,
                                                          weights_.subspan(static_cast<size_t>(offset),
                                                                           static_cast<size_t>(size))));
    return Scope::FileConstant(layer.name, std::move(tensor));
  }

  absl::Status AddConstant(const IrLayer& layer) {
    return run_.AddConstant("constant", layer.name, ReadConstant(layer));
  }

  absl::Status ImportLayer(const IrLayer& layer) {
    LayerNames names = {
        absl::StrCat("layer ", layer.id, " '", PrintableStart(layer.name), "' (", PrintableStart(layer.type),
                     layer.version.empty() ? "" : ", " + PrintableStart(layer.version), ")"),
        layer.inputs,
        {}};
    for (const IrOutput& output : layer.outputs) names.outputs.push_back(output.value);
    const LayerSteps steps = {
        .find = [&] { return FindImporter(layer.type).status(); },
        .import = [&]() -> absl::Status {
          ASSIGN_OR_RETURN(const OperationImporter import, FindImporter(layer.type));
          if (layer.outputs.empty()) return Malformed("it has no output");
          IrNode node(names, run_.scope(), read_, layer);
          RETURN_IF_ERROR(import(node));
          node.NoteTheRest();
          RETURN_IF_ERROR(node.RefuseTheRest());
          return CheckPorts(layer);
        },
    };
    return run_.ImportLayer(names, PrintableStart(layer.type), steps).status();
  }

  // What the ports say is what the file was converted with; another size of an input makes it void.
  absl::Status CheckPorts(const IrLayer& layer) {
    if (!given_.shapes.empty()) return absl::OkStatus();
    for (const IrOutput& output : layer.outputs) {
      const auto operand = run_.scope().Lookup(output.value);
      if (!operand.ok() || operand->shape() == output.dims) continue;
      const bool is_open = std::ranges::any_of(output.dims, [](int64_t size) { return size < 1; });
      if (is_open) continue;
      return MakeError(label::model_shape, "its result is " + quant::ToString(operand->shape()) +
                                               ", and its port says " + quant::ToString(output.dims));
    }
    return absl::OkStatus();
  }

  absl::Status AddOutput(const IrLayer& result) {
    if (result.inputs.size() != 1 || result.inputs[0].empty())
      return run_.Refuse(Malformed("Result '" + PrintableStart(result.name) + "' has no input"));
    std::string name = result.inputs[0];
    if (!served_.insert(name).second) {  // the same value again, under a name of its own
      const auto operand = run_.scope().Lookup(name);
      if (operand.ok()) RETURN_IF_ERROR(run_.Refuse(run_.scope().Bind(result.name, *operand)));
      name = result.name;
    }
    return run_.AddOutput(name, std::nullopt);
  }

  const IrFile& file_;
  std::span<const uint8_t> weights_;
  const GivenInputs& given_;
  ImportRun run_;
  std::unordered_set<std::string_view> read_;  // names of values
  std::vector<const IrLayer*> results_;
  std::set<std::string> served_;
};

}  // namespace

bool IsIr(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), 4096));
  const size_t first = text.find('<');
  if (first == std::string_view::npos || text.find_first_not_of("\xef\xbb\xbf \t\r\n") != first) return false;
  return text.find("<net ") != std::string_view::npos;
}

absl::StatusOr<quant::Graph> ImportOpenVino(const IrFiles& files, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const IrFile file, ReadIrFile(files.xml));
  IrImport import(file, files.weights, given, nullptr);
  RETURN_IF_ERROR(import.Run());
  return std::move(import).Build();
}

absl::StatusOr<ModelReport> CheckOpenVino(const IrFiles& files, const GivenInputs& given) {
  ASSIGN_OR_RETURN(const IrFile file, ReadIrFile(files.xml));
  ModelReport report = {.format = absl::StrCat("OpenVINO, IR ", file.version)};
  IrImport import(file, files.weights, given, &report);
  RETURN_IF_ERROR(import.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(import).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::openvino
