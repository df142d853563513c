#include "cli/networks/right_choices.h"

#include <cstdio>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/choices.h"
#include "cli/labels.h"
#include "cli/networks/named_labels.h"
#include "cli/tensor_files.h"

namespace tally::cli {
namespace {

constexpr int64_t kFew = 5;

absl::StatusOr<std::vector<int64_t>> PlacesInArray(const std::string& path, const quant::Output& output,
                                                   int64_t rows, int64_t row) {
  ASSIGN_OR_RETURN(const Tensor labels, ReadTensor(path));
  std::vector<int64_t> right(static_cast<size_t>(labels.shape().num_elements()));
  if (std::ssize(right) != rows) {
    return MakeError(label::samples_shape, absl::StrCat("'", path, "' has ", right.size(), " labels for ",
                                                        rows, " rows of output '", output.name, "'"));
  }
  for (size_t i = 0; i < right.size(); ++i) {
    right[i] = labels.view().at(static_cast<int64_t>(i));
    if (right[i] >= 0 && right[i] < row) continue;
    return MakeError(label::samples_range,
                     absl::StrCat("'", path, "' holds ", right[i], ", where a row of output '", output.name,
                                  "' has ", row, " elements"));
  }
  return right;
}

std::string TextOf(const quant::ShareBounds& share) {
  char text[96];
  std::snprintf(text, sizeof text, "%.2f %% (%.1f to %.1f)", 100 * share.share, 100 * share.low,
                100 * share.high);
  return text;
}

Json BoundsOf(const quant::ShareBounds& share) { return {share.low, share.high}; }

}  // namespace

absl::StatusOr<std::vector<int64_t>> ReadRightChoices(const LabelOptions& options,
                                                      const ServedNetwork& network,
                                                      const NetworkSamples& samples) {
  if (options.labels.empty()) return std::vector<int64_t>();
  const quant::Output& first = network.graph.outputs.front();
  const quant::Shape& shape = network.graph.values[first.value].type.shape;
  const int64_t row = quant::RowLength(shape), rows = quant::NumElements(shape) / row;
  const std::vector<std::string> files = samples.files();
  const bool is_folder = IsFolder(options.labels) && !files[0].empty();
  const bool is_csv = options.labels.ends_with(".csv");
  if (!is_folder && !is_csv) return PlacesInArray(options.labels, first, samples.count() * rows, row);
  if (rows != 1) {
    return MakeError(label::samples_shape, absl::StrCat("output '", first.name, "' has ", rows,
                                                        " rows for each sample: their labels "
                                                        "are given as a .npy file"));
  }
  std::vector<std::string> names = network.notes.labels;
  if (!options.names.empty()) {
    ASSIGN_OR_RETURN(names, ReadLabels(options.names));
  }
  if (is_folder) return PlacesOf(LabelsOfFolders(files), names, row);
  ASSIGN_OR_RETURN(const std::vector<std::string> labels, LabelsOfCsv(options.labels, files));
  return PlacesOf(labels, names, row);
}

void AddRightChoices(const quant::Accuracy& accuracy, Summary& summary) {
  const int64_t row = accuracy.outputs.front().row;
  Json bounds = Json::object();
  const auto add = [&](const char* key, const char* name, const quant::ShareBounds& share, const char* what) {
    summary.Say(name, absl::StrCat(TextOf(share), what), key, share.share);
    bounds[key] = BoundsOf(share);
  };
  const quant::ShareBounds by_float = accuracy.expected_right.first();
  add("float_accuracy", "right", by_float, " by the float network");
  add("module_accuracy", "", accuracy.right.first(), " by the module");
  if (row > kFew) {
    add("float_top5", "of five", accuracy.expected_right.five(), " by the float network");
    add("module_top5", "", accuracy.right.five(), " by the module");
  }
  summary.AddForMachines("right", bounds);
  const double chance = 1 / static_cast<double>(row);
  if (by_float.low <= chance && by_float.share < (1 + chance) / 2) {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "the float network is right for %.1f %% of %lld rows, and chance for %.1f %%: labels are in "
        "another order, or samples are prepared in another way",
        100 * by_float.share, static_cast<long long>(accuracy.expected_right.rows()), 100 * chance);
    summary.Warn("right_by_chance", text);
  }
}

}  // namespace tally::cli
