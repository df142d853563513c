// The calibration of a network, measured on samples or read from a file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "cli/network_samples.h"
#include "cli/summary.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/calibrate/calibration.h"
#include "quant/lower/lower.h"

namespace tally::cli {

// One of this many samples is held back, for a measurement on what calibration has not seen.
inline constexpr int64_t kSamplesForEachHeldBack = 8;

inline int64_t HeldBack(const NetworkSamples& samples) { return samples.count() / kSamplesForEachHeldBack; }

// Those that were held back, or all where there are too few.
quant::Samples SamplesToMeasure(NetworkSamples& samples);

// On all samples but the last, which are held back; those say what integer inputs may hold too. Errors: as
// Calibrate.
absl::StatusOr<quant::Calibration> CalibrateOn(const ServedNetwork& network, NetworkSamples& samples);

// Equalizes the channels of `network` (quant/equalize), which `calibration` was measured on, and calibrates
// once more, where the module of 8 bits then has at least 1 dB more on SamplesToMeasure. Errors: as
// ChooseExponents and CalibrateOn.
absl::Status EqualizeOn(ServedNetwork& network, NetworkSamples& samples, const quant::LowerOptions& options,
                        quant::Calibration& calibration);

// Equalizes `network` as the file says. Errors: those of ReadFile, CalibrationFromJson and Equalized.
absl::StatusOr<quant::Calibration> ReadCalibration(const std::string& path, ServedNetwork& network);

// Under "equalized": the names of the groups of channels that were divided, and a line where there are any.
void AddEqualized(const quant::Calibration& calibration, Summary& summary);

}  // namespace tally::cli
