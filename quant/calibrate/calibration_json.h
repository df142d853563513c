// A calibration as JSON: what --save-calibration writes and --calibration reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"

namespace tally::quant {

std::string ToJson(const Calibration& calibration);

// The same for a file: what CalibrationFromJson reads. Error calibration_json, where that takes no text so
// long, or not so many bins.
absl::StatusOr<std::string> ToFileText(const Calibration& calibration);

// The longest text that is read, as a parser may need 64 times the memory, and the most bins. A network of
// 1,000 values has about 2^22 bytes.
inline constexpr size_t kMaxCalibrationBytes = size_t{1} << 24;

// Errors: calibration_json (not JSON, too long, or a number too large), calibration_format (not the
// members of a calibration), calibration_range (min > max), calibration_histogram (one of no value, with bins
// out of range, or with other elements than its value).
absl::StatusOr<Calibration> CalibrationFromJson(std::string_view text);

}  // namespace tally::quant
