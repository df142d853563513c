// The calibration of a network, measured on samples or read from a file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/network_samples.h"
#include "quant/calibrate/calibration.h"

namespace tally::cli {

// One of this many samples is held back, for a measurement on what calibration has not seen.
inline constexpr int64_t kSamplesForEachHeldBack = 8;

inline int64_t HeldBack(const NetworkSamples& samples) { return samples.count() / kSamplesForEachHeldBack; }

// On all samples but the last, which are held back; those say what integer inputs may hold too. Errors: as
// Calibrate.
absl::StatusOr<quant::Calibration> CalibrateOn(const ServedNetwork& network, NetworkSamples& samples);

// Errors: those of ReadFile and CalibrationFromJson.
absl::StatusOr<quant::Calibration> ReadCalibration(const std::string& path);

}  // namespace tally::cli
