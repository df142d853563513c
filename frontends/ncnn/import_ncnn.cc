#include "frontends/ncnn/import_ncnn.h"

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

class NcnnImport {
 public:
  NcnnImport(ParamFile& file, std::span<const uint8_t> weights, const GivenInputs& given, ModelReport* report)
      : file_(file),
        given_(given),
        weights_(weights),
        report_(report),
        run_("ncnn", 65536 + 4 * static_cast<int64_t>(weights.size()), report) {
    for (const ParamLayer& layer : file.layers) read_.insert(layer.inputs.begin(), layer.inputs.end());
    // What no layer reads is an output, which reads it.
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
      // What the file says is what it was converted with: a user may say another size.
      const bool is_given = given_.shapes.contains(Printable(name));
      const DeclaredShape open;
      const auto shape = declared.ok() ? ShapeOfInput(name, is_given ? open : *declared, given_)
                                       : absl::StatusOr<quant::Shape>(declared.status());
      if (declared.ok()) run_.Declare(name, {}, *declared);
      RETURN_IF_ERROR(run_.AddInput(name, {}, shape, given_));
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
  std::unordered_set<std::string_view> read_;  // names of blobs of the file
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
