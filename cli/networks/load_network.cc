#include "cli/networks/load_network.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/networks/input_grid.h"
#include "cli/origin_file.h"
#include "quant/lower/lower.h"
#include "quant/lower/pinned_grids.h"
#include "quant/passes/passes.h"

namespace tally::cli {

absl::StatusOr<frontend::ImportOptions> ImportOptionsOf(const NetworkFile& network) {
  frontend::ImportOptions options;
  const std::string folder = PathOf(network.path).parent_path().generic_string();
  options.folder = folder.empty() ? "." : folder;
  options.path = network.path;
  options.weights = network.weights;
  options.dialect = network.dialect;
  options.inputs.batch = network.batch;
  for (const std::string& option : network.shapes) {
    ASSIGN_OR_RETURN(const auto name_and_dims, SplitOption(option));
    std::vector<int64_t> dims;
    for (const absl::string_view dim : absl::StrSplit(name_and_dims.second, ',', absl::SkipEmpty())) {
      if (!absl::SimpleAtoi(dim, &dims.emplace_back()) || dims.back() < 0) {
        return MakeError(label::option_syntax, absl::StrCat("'", option, "' is not NAME=1,3,224,224"));
      }
    }
    options.inputs.shapes[name_and_dims.first] = std::move(dims);
  }
  for (const std::string& option : network.dims) {
    ASSIGN_OR_RETURN(const auto name_and_size, SplitOption(option));
    int64_t size = 0;
    if (!absl::SimpleAtoi(name_and_size.second, &size) || size < 1)
      return MakeError(label::option_syntax, absl::StrCat("'", option, "' is not NAME=128"));
    options.inputs.dims[name_and_size.first] = size;
  }
  for (const std::string& option : network.fixed) {
    ASSIGN_OR_RETURN(const auto name_and_values, SplitOption(option));
    std::vector<double> values;
    for (const absl::string_view value : absl::StrSplit(name_and_values.second, ',')) {
      if (!absl::SimpleAtod(value, &values.emplace_back()) || !std::isfinite(values.back())) {
        return MakeError(label::option_syntax,
                         absl::StrCat("'", option, "' is not NAME=16000 or NAME=1,2,3"));
      }
    }
    options.inputs.values[name_and_values.first] = std::move(values);
  }
  return options;
}

absl::StatusOr<LoadedModel> LoadModel(const std::string& path) {
  LoadedModel model;
  ASSIGN_OR_RETURN(const std::string file, frontend::ModelFileAt(path));
  ASSIGN_OR_RETURN(model.bytes, ReadFile(file));
  ASSIGN_OR_RETURN(model.format, frontend::FormatOf(model.bytes));
  return model;
}

std::vector<quant::InputFormat> ServedNetwork::formats() const {
  std::vector<quant::InputFormat> formats;
  for (const quant::FoldedInput& input : inputs) formats.push_back(input.format);
  return formats;
}

void ServedNetwork::Tell(Summary& summary) const {
  Json told = Json::array();
  std::string text;
  for (const quant::FoldedInput& input : inputs) {
    constexpr std::string_view kInto[] = {"grid", "layers", "own_layer"};
    told.push_back(
        {{"name", input.format.name}, {"into", kInto[static_cast<size_t>(input.into)]}, {"why", input.why}});
    if (input.into == quant::FoldedInto::kGrid) continue;
    text += (text.empty() ? "" : "\n        ") + Printable(input.format.name) +
            (input.into == quant::FoldedInto::kLayers
                 ? ": integers as they are; scale, mean and std are in the weights that read them"
                 : ": integers as they are, which a layer of its own converts, since weights that could take "
                   "scale, "
                   "mean and std do not read it alone: " +
                       Printable(input.why));
  }
  if (!text.empty()) summary.Say("input", text, "inputs", std::move(told));
}

namespace {

// The description in the file of inputs that no option describes.
absl::Status AddPixelsOfFile(const std::vector<frontend::PixelInput>& pixels,
                             std::vector<quant::InputMeaning>& meanings) {
  for (const frontend::PixelInput& input : pixels) {
    if (std::ranges::find(meanings, input.name, &quant::InputMeaning::name) != meanings.end()) continue;
    ASSIGN_OR_RETURN(meanings.emplace_back(), quant::MeaningOfPixels(input.name, input.scale, input.bias));
  }
  return absl::OkStatus();
}

void AddGridsOfFile(quant::FoldedGraph& folded) {
  const auto grids = quant::PinnedGrids(folded.graph);
  for (const quant::ValueId id : folded.graph.inputs) {
    const std::string& name = folded.graph.values[id].name;
    const bool is_told = std::ranges::any_of(
        folded.inputs, [&](const quant::FoldedInput& input) { return input.format.name == name; });
    if (!is_told && grids[id].has_value()) folded.inputs.push_back({.format = {name, *grids[id]}});
  }
}

}  // namespace

absl::StatusOr<ServedNetwork> LoadNetwork(const NetworkFile& network, const ServedInputOptions& inputs) {
  ASSIGN_OR_RETURN(frontend::ImportOptions options, ImportOptionsOf(network));
  std::vector<std::string> files;
  options.files_read = &files;
  ASSIGN_OR_RETURN(const LoadedModel model, LoadModel(network.path));
  ASSIGN_OR_RETURN(frontend::Network imported, model.format->import(model.bytes, options));
  ASSIGN_OR_RETURN(const quant::Graph graph,
                   quant::RunPasses(std::move(imported.graph), network.without_passes));
  std::vector<std::string> names;
  for (const quant::ValueId id : graph.inputs) names.push_back(graph.values[id].name);
  ASSIGN_OR_RETURN(auto meanings, ParseInputMeanings(inputs, names));
  RETURN_IF_ERROR(AddPixelsOfFile(imported.pixels, meanings));
  ASSIGN_OR_RETURN(quant::FoldedGraph folded, quant::FoldInputs(graph, meanings));
  AddGridsOfFile(folded);
  ServedNetwork served{std::move(folded.graph), std::move(folded.inputs)};
  if (!imported.labels.empty()) served.notes.labels = std::move(imported.labels[0].labels);
  for (const frontend::PixelInput& input : imported.pixels) {
    if (input.is_bgr) served.notes.bgr_inputs.push_back(input.name);
  }
  ASSIGN_OR_RETURN(served.sources, DigestsOfFiles(model.bytes, files));
  RETURN_IF_ERROR(quant::CheckSize(served.graph, served.formats()));
  return served;
}

}  // namespace tally::cli
