#include "cli/calibrate.h"

#include "base/file.h"
#include "base/status_macros.h"
#include "cli/progress_bar.h"
#include "quant/calibrate/calibrate.h"
#include "quant/calibrate/calibration_json.h"

namespace tally::cli {

absl::StatusOr<quant::Calibration> CalibrateOn(const ServedNetwork& network, NetworkSamples& samples) {
  ProgressBar progress("calibrating");
  return quant::Calibrate(network.graph, samples.count() - HeldBack(samples), samples.From(0),
                          [&](int64_t done, int64_t total) { progress.Show(done, total); });
}

absl::StatusOr<quant::Calibration> ReadCalibration(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(path));
  return quant::CalibrationFromJson(AsText(text));
}

}  // namespace tally::cli
