// The calibration of a network, measured on samples or read from a file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/networks/network_samples.h"
#include "cli/summary.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/calibrate/calibration.h"
#include "quant/lower/lower.h"

namespace tally::cli {

// On the samples for ranges; all say what integer inputs may hold. People see a bar that says what it is
// `doing`. Errors: as Calibrate.
absl::StatusOr<quant::Calibration> CalibrateOn(const quant::Graph& graph, NetworkSamples& samples,
                                               const char* doing = "calibrating");

// Equalizes `network` as the file says. Errors: those of ReadFile, CalibrationFromJson and Equalized.
absl::StatusOr<quant::Calibration> ReadCalibration(const std::string& path, ServedNetwork& network);

// Under "equalized": the names of the groups of channels that were divided, and a line where there are any.
void AddEqualized(const quant::Calibration& calibration, Summary& summary);

}  // namespace tally::cli
