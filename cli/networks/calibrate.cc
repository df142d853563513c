#include "cli/networks/calibrate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/progress_bar.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/equalize/equalize.h"

namespace tally::cli {

namespace {

// The range of an integer input is that of the samples, of which none is left out: integers are not rounded,
// and one outside is refused.
absl::Status IncludeIntegers(const quant::Graph& graph, const quant::Samples& samples,
                             quant::Calibration& calibration) {
  const auto is_integer = [&](quant::ValueId input) {
    return graph.values[input].type.element == quant::ElementType::kInt64;
  };
  if (std::ranges::none_of(graph.inputs, is_integer)) return absl::OkStatus();
  for (int64_t number = 0; number < samples.count; ++number) {
    ASSIGN_OR_RETURN(const std::vector<quant::FloatTensor> sample, samples.source(number));
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const auto range = calibration.values.find(graph.values[graph.inputs[i]].name);
      if (!is_integer(graph.inputs[i]) || range == calibration.values.end()) continue;
      const auto [low, high] = std::ranges::minmax(sample[i].data);
      range->second.min = std::min(range->second.min, low);
      range->second.max = std::max(range->second.max, high);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<quant::Calibration> CalibrateOn(const quant::Graph& graph, NetworkSamples& samples,
                                               const char* doing) {
  ProgressBar progress(doing);
  const quant::Samples seen = samples.At(samples.parts().ranges);
  ASSIGN_OR_RETURN(quant::Calibration calibration,
                   quant::Calibrate(graph, seen.count, seen.source,
                                    [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  RETURN_IF_ERROR(IncludeIntegers(graph, samples.All(), calibration));
  return calibration;
}

absl::StatusOr<quant::Calibration> ReadCalibration(const std::string& path, ServedNetwork& network) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path));
  ASSIGN_OR_RETURN(quant::Calibration calibration, quant::CalibrationFromJson(AsText(text)));
  ASSIGN_OR_RETURN(network.graph, quant::Equalized(std::move(network.graph), calibration.exponents));
  return calibration;
}

void AddEqualized(const quant::Calibration& calibration, Summary& summary) {
  std::vector<std::string> names;
  for (const auto& [name, list] : calibration.exponents) names.push_back(name);
  if (names.empty()) return;
  summary.Say("equal",
              absl::StrCat("channels divided by powers of two after ", names.size(),
                           " layers, to share their grids evenly"),
              "equalized", names);
}

}  // namespace tally::cli
