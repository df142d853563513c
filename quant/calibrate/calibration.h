// What calibration learns: the range of every value of a float graph. This, not the float passes that
// produced it, is the artifact from which quantization is reproducible.
//
//   ASSIGN_OR_RETURN(const Calibration calibration, CalibrationFromJson(text));
//   ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, value));
//
// JSON, with keys in order and every float in a decimal form that reads back as the same float:
//   {"format": "tally-calibration", "version": 1, "num_samples": 200,
//    "values": {"conv1": {"count": 3200, "max": 4.25, "min": -3.5}, "lstm\tcells": {...}, ...}}
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "quant/graph/graph.h"

namespace tally::quant {

struct Range {
  float min;
  float max;          // min <= max, both finite
  int64_t count = 0;  // elements seen, over all samples
  bool operator==(const Range&) const = default;
};

struct Calibration {
  int64_t num_samples = 0;
  std::map<std::string, Range> values;  // by name, of floats and of inputs; constants are left out
  bool operator==(const Calibration&) const = default;
};

// The calibrated range of a float value, or the exact one of a constant.
// Errors: calibration_missing, when `calibration` does not know the value's name.
absl::StatusOr<Range> RangeOf(const Calibration& calibration, const Graph& graph, ValueId value);

// The same of what the value's node computes inside: the entry of the value's name, a tab, which is in no name, and what
// OpTraits::inner calls it.
absl::StatusOr<Range> InnerRangeOf(const Calibration& calibration, const Graph& graph, ValueId value);
std::string InnerName(const Graph& graph, ValueId value);

std::string ToJson(const Calibration& calibration);

// The longest text that is read: a parser may need 64 times the memory. A network of 1,000 values has about 2^17 bytes.
inline constexpr size_t kMaxCalibrationBytes = size_t{1} << 24;

// Errors: calibration_json (not JSON, too long, or a number too large), calibration_format (not the members above),
//         calibration_range (min > max).
absl::StatusOr<Calibration> CalibrationFromJson(std::string_view text);

}  // namespace tally::quant
