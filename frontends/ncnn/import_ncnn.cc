#include "frontends/ncnn/import_ncnn.h"

#include <algorithm>
#include <optional>
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
#include "frontends/ncnn/operators.h"
#include "frontends/ncnn/param_file.h"
#include "frontends/ncnn/weight_file.h"

namespace tally::ncnn {
namespace {

// The dimensions of a blob from parameters c, d, h, w; those that are 0 are none, and where all are, all are
// open.
absl::StatusOr<DeclaredShape> DeclaredBy(Params& params) {
  std::vector<DeclaredDim> dims = {{1}};
  for (const int id : {2, 11, 1, 0}) {
    ASSIGN_OR_RETURN(const int64_t size, params.Int(id, 0));
    if (size < 0) return MakeError(label::model_malformed, absl::StrCat("a dimension is ", size));
    if (size > 0) dims.push_back({size});
  }
  RETURN_IF_ERROR(params.CheckAllRead());
  if (dims.size() == 1) return DeclaredShape();
  return DeclaredShape(std::move(dims));
}

// Types of layers that hand on ids as they are.
bool MovesIds(std::string_view type) {
  constexpr std::string_view kTypes[] = {"Crop",    "Dropout", "ExpandDims", "Flatten", "Noop",   "Packing",
                                         "Permute", "Reshape", "Slice",      "Split",   "Squeeze"};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

// The blobs that an Embed reads as ids, which the file says nowhere else.
std::unordered_set<std::string_view> BlobsOfIds(const ParamFile& file) {
  std::unordered_set<std::string_view> ids;
  for (auto layer = file.layers.rbegin(); layer != file.layers.rend(); ++layer) {
    const bool hands_on =
        MovesIds(layer->type) &&
        std::ranges::any_of(layer->outputs, [&](const auto& output) { return ids.contains(output); });
    if (layer->type == "Embed" || hands_on) ids.insert(layer->inputs.begin(), layer->inputs.end());
  }
  return ids;
}

// The shapes that a layer's parameter 30 states for its outputs: dims, w, h and c of each; nothing where that
// is left open.
absl::StatusOr<std::vector<std::optional<quant::Shape>>> StatedShapes(ParamLayer& layer) {
  constexpr int kShapes = 30;
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, layer.params.Ints(kShapes));
  std::vector<std::optional<quant::Shape>> shapes(layer.outputs.size());
  if (numbers.empty()) return shapes;
  if (numbers.size() < 4 * shapes.size())
    return MakeError(label::model_malformed, "parameter 30 does not have 4 numbers for each output");
  for (size_t i = 0; i < shapes.size(); ++i) {
    const int64_t dims = numbers[4 * i];
    if (dims < 1 || dims > 3) continue;
    quant::Shape& shape = shapes[i].emplace();
    for (int64_t d = dims; d > 0; --d) shape.push_back(numbers[4 * i + static_cast<size_t>(d)]);
  }
  return shapes;
}

class NcnnImport {
 public:
  NcnnImport(ParamFile& file, std::span<const uint8_t> weights, const GivenInputs& given, ModelReport* report)
      : file_(file),
        given_(given),
        weights_(weights),
        report_(report),
        run_("ncnn", 65536 + 4 * static_cast<int64_t>(weights.size()), report) {
    ids_ = BlobsOfIds(file);
    for (const ParamLayer& layer : file.layers) read_.insert(layer.inputs.begin(), layer.inputs.end());
    // A value that no layer reads is an output, which reads it.
    for (const ParamLayer& layer : file.layers) {
      for (const std::string& output : layer.outputs) {
        if (read_.insert(output).second) outputs_.push_back(output);
      }
    }
  }

  absl::Status Run() {
    std::vector<std::string> inputs;
    for (const ParamLayer& layer : file_.layers) {
      if (layer.type == "Input") inputs.insert(inputs.end(), layer.outputs.begin(), layer.outputs.end());
    }
    RETURN_IF_ERROR(CheckNames(given_, inputs));
    RETURN_IF_ERROR(CheckFixedNames(given_, inputs));
    for (size_t i = 0; i < file_.layers.size(); ++i) {
      RETURN_IF_ERROR(file_.layers[i].type == "Input" ? AddInputs(file_.layers[i]) : ImportLayer(i));
    }
    RETURN_IF_ERROR(run_.Refuse(weights_.CheckAllRead()));
    for (const std::string& output : outputs_) RETURN_IF_ERROR(run_.AddOutput(output, std::nullopt));
    if (report_ != nullptr) {
      report_->weights = weights_.num_lists();
      report_->weight_elements = weights_.num_elements();
    }
    return run_.Finish();
  }

  absl::StatusOr<quant::Graph> Build() && { return std::move(run_).Build(); }

 private:
  absl::Status AddInputs(ParamLayer& layer) {
    const absl::StatusOr<DeclaredShape> declared = DeclaredBy(layer.params);
    for (const std::string& name : layer.outputs) {
      // Shapes in the file are those it was converted with: a user may say another size.
      const bool is_given = given_.shapes.contains(Printable(name));
      const DeclaredShape open;
      const auto shape = declared.ok() ? ShapeOfInput(name, is_given ? open : *declared, given_)
                                       : absl::StatusOr<quant::Shape>(declared.status());
      InputType type;
      if (ids_.contains(name)) type.element = quant::ElementType::kInt64;
      if (declared.ok()) run_.Declare(name, type, *declared);
      RETURN_IF_ERROR(run_.AddInput(name, type, shape, given_));
    }
    return run_.Refuse(CheckStatedShapes(layer));
  }

  // A user who gives another size of an input makes other shapes than the file has.
  absl::Status CheckStatedShapes(ParamLayer& layer) {
    if (!given_.shapes.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const auto stated, StatedShapes(layer));
    for (size_t i = 0; i < stated.size(); ++i) {
      const auto operand = run_.scope().Lookup(layer.outputs[i]);
      if (!operand.ok() || !stated[i].has_value()) continue;
      const bool is_counted = std::ranges::any_of(run_.scope().counts(), [&](const CountedRows& counted) {
        return counted.rows.name == layer.outputs[i];
      });
      const quant::Shape blob = BlobOf(operand->shape());
      if (is_counted || blob == *stated[i]) continue;
      return MakeError(label::model_shape,
                       absl::StrCat("'", PrintableStart(layer.outputs[i]), "' is ", quant::ToString(blob),
                                    ", and parameter 30 says ", quant::ToString(*stated[i]),
                                    ": one of the two is wrong, or say the sizes of the inputs by --shape"));
    }
    return absl::OkStatus();
  }

  absl::Status ImportLayer(size_t number) {
    ParamLayer& layer = file_.layers[number];
    const LayerNames names = {absl::StrCat("layer ", number, " '", PrintableStart(layer.name), "' (",
                                           PrintableStart(layer.type), ")"),
                              layer.inputs, layer.outputs};
    const LayerSteps steps = {
        .find = [&] { return FindImporter(layer.type).status(); },
        .import = [&]() -> absl::Status {
          ASSIGN_OR_RETURN(const LayerImporter import, FindImporter(layer.type));
          NcnnLayer context(names, run_.scope(), read_, layer.params, weights_);
          RETURN_IF_ERROR(import(context));
          RETURN_IF_ERROR(layer.params.CheckAllRead());
          RETURN_IF_ERROR(CheckStatedShapes(layer));
          return context.RefuseTheRest();
        },
    };
    ASSIGN_OR_RETURN(const LayerReport::Fate fate,
                     run_.ImportLayer(names, PrintableStart(layer.type), steps));
    // It is not known how many weights it has, and where those of the next are.
    if (fate != LayerReport::kImported) weights_.Lose();
    return absl::OkStatus();
  }

  ParamFile& file_;
  const GivenInputs& given_;
  WeightFile weights_;
  ModelReport* const report_;
  ImportRun run_;
  std::unordered_set<std::string_view> read_, ids_;  // names of blobs of the file
  std::vector<std::string> outputs_;
};

}  // namespace

bool IsNcnn(std::span<const uint8_t> param) { return IsTextParam(param) || IsBinaryParam(param); }

absl::StatusOr<quant::Graph> ImportNcnn(const NcnnFiles& files, const GivenInputs& given) {
  ASSIGN_OR_RETURN(ParamFile file, ReadParamFile(files.param));
  NcnnImport import(file, files.weights, given, nullptr);
  RETURN_IF_ERROR(import.Run());
  return std::move(import).Build();
}

absl::StatusOr<ModelReport> CheckNcnn(const NcnnFiles& files, const GivenInputs& given) {
  ASSIGN_OR_RETURN(ParamFile file, ReadParamFile(files.param));
  ModelReport report = {.format = "ncnn"};
  NcnnImport import(file, files.weights, given, &report);
  RETURN_IF_ERROR(import.Run());
  if (!report.imports()) return report;
  if (const auto graph = std::move(import).Build(); !graph.ok()) report.others.push_back(graph.status());
  return report;
}

}  // namespace tally::ncnn
