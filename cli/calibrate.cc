#include "cli/calibrate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/progress_bar.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"
#include "quant/equalize/choose_exponents.h"
#include "quant/equalize/equalize.h"

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

absl::StatusOr<quant::Calibration> CalibrateGraph(const quant::Graph& graph, NetworkSamples& samples,
                                                  const char* doing) {
  ProgressBar progress(doing);
  const int64_t held_back = HeldBack(samples), count = samples.count() - held_back;
  ASSIGN_OR_RETURN(quant::Calibration calibration,
                   quant::Calibrate(graph, count, samples.From(0),
                                    [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  RETURN_IF_ERROR(IncludeIntegers(graph, samples.From(count), held_back, calibration));
  return calibration;
}

}  // namespace

quant::Samples SamplesToMeasure(NetworkSamples& samples) {
  const int64_t held_back = HeldBack(samples), seen = samples.count() - held_back;
  const int64_t first = held_back > 0 ? seen : 0;
  return {samples.count() - first, samples.From(first), samples.loop().From(first)};
}

absl::StatusOr<quant::Calibration> CalibrateOn(const ServedNetwork& network, NetworkSamples& samples) {
  return CalibrateGraph(network.graph, samples, "calibrating");
}

absl::Status EqualizeOn(ServedNetwork& network, NetworkSamples& samples, const quant::LowerOptions& options,
                        quant::Calibration& calibration) {
  constexpr int64_t kMostSamples = 32;
  constexpr double kLeastGain = 1;  // dB
  const int64_t few = std::min(samples.count() - HeldBack(samples), kMostSamples);
  ASSIGN_OR_RETURN(const quant::ChannelExponents exponents,
                   quant::ChooseExponents(network.graph, few, samples.From(0)));
  if (exponents.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(quant::Graph graph, quant::Equalized(network.graph, exponents));
  ASSIGN_OR_RETURN(quant::Calibration equalized, CalibrateGraph(graph, samples, "equalizing"));
  equalized.exponents = exponents;
  const quant::Samples measured = SamplesToMeasure(samples);
  const auto measure = [&](const quant::Graph& of, const quant::Calibration& with) {
    return quant::ChoosePrecision(of, with, options, {.sqnr_db = 0}, measured, measured);
  };
  ASSIGN_OR_RETURN(const quant::PrecisionChoice before, measure(network.graph, calibration));
  ASSIGN_OR_RETURN(const quant::PrecisionChoice after, measure(graph, equalized));
  if (after.sqnr_before < before.sqnr_before + kLeastGain) return absl::OkStatus();
  network.graph = std::move(graph);
  calibration = std::move(equalized);
  return absl::OkStatus();
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
