#include <map>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/input_grid.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/progress_bar.h"
#include "cli/summary.h"
#include "cli/tensor_files.h"
#include "frontends/onnx/import_onnx.h"
#include "quant/calibrate/min_max.h"
#include "quant/graph/fold_batch_norm.h"
#include "quant/labels.h"
#include "quant/lower/lower.h"
#include "serializer/encode.h"
#include "serializer/module_id.h"
#include "vm/validator.h"

namespace tally::cli {
namespace {

using Samples = std::vector<std::vector<quant::FloatTensor>>;  // by graph input, then by sample

// One file for each input of the network; the name may be left out where there is only one.
absl::StatusOr<Samples> ReadCalibrationSamples(const quant::Graph& graph,
                                               const std::vector<std::string>& options) {
  std::map<std::string, std::string> files;
  for (const std::string& option : options) {
    if (option.find('=') == std::string::npos && graph.inputs.size() == 1) {
      files[graph.values[graph.inputs[0]].name] = option;
      continue;
    }
    ASSIGN_OR_RETURN(auto name_and_file, SplitOption(option));
    files.insert(std::move(name_and_file));
  }
  Samples samples;
  for (const quant::ValueId id : graph.inputs) {
    const quant::Value& input = graph.values[id];
    const auto file = files.find(input.name);
    if (file == files.end()) {
      return MakeError(label::calibration_no_samples,
                       absl::StrCat("no --calibrate samples for input '", input.name, "'"));
    }
    ASSIGN_OR_RETURN(std::vector<quant::FloatTensor> of_input, ReadSamples(file->second, input.type.shape));
    if (!samples.empty() && samples[0].size() != of_input.size()) {
      return MakeError(label::samples_shape, "the inputs have different numbers of samples");
    }
    samples.push_back(std::move(of_input));
  }
  return samples;
}

absl::StatusOr<quant::Calibration> Calibrate(const quant::Graph& graph, const QuantizeOptions& options) {
  if (!options.calibration.empty()) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(options.calibration));
    return quant::CalibrationFromJson(AsText(text));
  }
  ASSIGN_OR_RETURN(const Samples samples, ReadCalibrationSamples(graph, options.calibrate));
  ProgressBar progress("calibrating");
  const auto sample = [&](int64_t i) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
    std::vector<quant::FloatTensor> inputs;
    for (const auto& of_input : samples) inputs.push_back(of_input[static_cast<size_t>(i)]);
    return inputs;
  };
  return quant::CalibrateMinMax(graph, static_cast<int64_t>(samples[0].size()), sample,
                                [&](int64_t done, int64_t total) { progress.Show(done, total); });
}

}  // namespace

absl::Status Quantize(const QuantizeOptions& options, std::ostream& out) {
  quant::LowerOptions lower_options;
  for (const std::string& text : options.input_grids) {
    ASSIGN_OR_RETURN(quant::InputFormat format, ParseInputGrid(text));
    lower_options.inputs.push_back(std::move(format));
  }
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(options.model));
  ASSIGN_OR_RETURN(quant::Graph graph, onnx::ImportOnnx(file, {.batch = options.batch}));
  ASSIGN_OR_RETURN(graph, quant::FoldBatchNorm(graph));
  ASSIGN_OR_RETURN(const quant::Calibration calibration, Calibrate(graph, options));
  ASSIGN_OR_RETURN(Module module, quant::LowerToModule(graph, calibration, lower_options));
  const std::vector<uint8_t> bytes = Encode(module);
  // Nothing is written that a node would refuse.
  ASSIGN_OR_RETURN(const ValidModule valid, Validate(std::move(module)));
  const std::string calibration_text = quant::ToJson(calibration);
  std::vector<FileToWrite> files = {{options.output, bytes}};
  if (!options.save_calibration.empty()) {
    files.push_back({options.save_calibration, AsBytes(calibration_text)});
  }
  RETURN_IF_ERROR(WriteFilesAtomically(files));
  Summary summary;
  summary.Add("module", "module_id", ToHex(ModuleId(valid.module())));
  summary.Add("gas", "gas", valid.gas());
  summary.Add("arena", "arena_bytes", valid.arena_bytes(), "bytes");
  for (const FileToWrite& written : files) summary.Wrote(written.path, written.bytes.size());
  summary.Print(options.json, out);
  return absl::OkStatus();
}

}  // namespace tally::cli
