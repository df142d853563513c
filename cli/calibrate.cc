#include "cli/calibrate.h"

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "cli/progress_bar.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"

namespace tally::cli {

namespace {

// What a module takes of an integer input is what samples hold, of which none is left out: integers are not
// rounded, and one outside is refused.
absl::Status IncludeIntegers(const quant::Graph& graph, const quant::SampleSource& source, int64_t count,
                             quant::Calibration& calibration) {
  const auto is_integer = [&](quant::ValueId input) {
    return graph.values[input].type.element == quant::ElementType::kInt64;
  };
  if (std::ranges::none_of(graph.inputs, is_integer)) return absl::OkStatus();
  for (int64_t number = 0; number < count; ++number) {
    ASSIGN_OR_RETURN(const std::vector<quant::FloatTensor> sample, source(number));
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

absl::StatusOr<quant::Calibration> CalibrateOn(const ServedNetwork& network, NetworkSamples& samples) {
  ProgressBar progress("calibrating");
  const int64_t held_back = HeldBack(samples), count = samples.count() - held_back;
  ASSIGN_OR_RETURN(quant::Calibration calibration,
                   quant::Calibrate(network.graph, count, samples.From(0),
                                    [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  RETURN_IF_ERROR(IncludeIntegers(network.graph, samples.From(count), held_back, calibration));
  return calibration;
}

absl::StatusOr<quant::Calibration> ReadCalibration(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path));
  return quant::CalibrationFromJson(AsText(text));
}

}  // namespace tally::cli
