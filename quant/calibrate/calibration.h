// The result of calibration: the range of every value of a float graph, and how its elements are spread.
// This, not the float passes that produced it, is the artifact from which quantization is reproducible.
//
//   ASSIGN_OR_RETURN(const Calibration calibration, CalibrationFromJson(text));
//   ASSIGN_OR_RETURN(const Range range, RangeOf(calibration, graph, value));
//
// JSON, with keys in order and every float in a decimal form that reads back as the same float; long lists
// are strings (quant/calibrate/list_text.h):
//   {"format": "tally-calibration", "version": 2, "num_samples": 200,
//    "values": {"conv1": {"count": 3200, "max": 4.25, "min": -3.5, "reach_max": 5, "reach_min": -4}, ...,
//               "lstm\tcells": {...}, ...},
//    "histograms": {"conv1": {"counts": "1 0*5 12 ...", "exponent": -7, "first": -448, "zeros": 20}, ...},
//    "means": {"image": "0.5 0.25 0.5", ...}, "wide": ["sum1", ...]}
// and, where there are any, "wide_products": ["conv2", ...] and "wide_weights" (Widths). Whoever wants a grid
// to reach from a min to a max exactly leaves out the reach and the histogram. Version 1, which had ranges
// alone, still reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/calibrate/histogram.h"
#include "quant/graph/graph.h"

namespace tally::quant {

// Where one sample of many may end (quant/calibrate/reach.h).
struct Reach {
  float min;
  float max;
  bool operator==(const Reach&) const = default;
};

struct Range {
  float min;
  float max;                        // min <= max, both finite
  int64_t count = 0;                // elements seen, over all samples
  std::optional<Reach> reach = {};  // around the range; none in a file that does not say it
  bool operator==(const Range&) const = default;
};

// The values that take 16 bits instead of 8: names of values.
struct Widths {
  std::set<std::string> values;    // on grids of 16 bits
  std::set<std::string> products;  // results of products that read such values as they are
  std::set<std::string> weights;   // results of products whose weights have 16 bits

  bool empty() const { return values.empty() && products.empty() && weights.empty(); }
  bool operator==(const Widths&) const = default;
};

// By the name of the value that makes them first: by what power of two each channel is divided
// (quant/equalize).
using ChannelExponents = std::map<std::string, std::vector<int>>;
constexpr int kMostExponent = 32;

struct Calibration {
  int64_t num_samples = 0;
  // By name, of floats and of inputs; constants are left out.
  std::map<std::string, Range> values = {};
  // The histograms of those whose elements are on grids that a method may narrow; the count of each is
  // that of its range.
  std::map<std::string, ValueHistogram> histograms = {};
  // Over all samples, of each channel, which is axis 1, of what products with weights read.
  std::map<std::string, std::vector<float>> means = {};
  // The values that take 16 bits because a search found that it pays (quant/accuracy/choose_precision.h).
  Widths widths = {};
  // The precision that all the rest was measured with.
  ChannelExponents exponents = {};
  bool operator==(const Calibration&) const = default;
};

// The calibrated range of a float value, or the exact one of a constant.
// Errors: calibration_missing, when `calibration` does not know the value's name.
absl::StatusOr<Range> RangeOf(const Calibration& calibration, const Graph& graph, ValueId value);

// The same of what the value's node computes inside: the entry of the value's name, a tab, which is in no
// name, and what OpTraits::inner calls it.
absl::StatusOr<Range> InnerRangeOf(const Calibration& calibration, const Graph& graph, ValueId value);
std::string InnerName(const Graph& graph, ValueId value);

}  // namespace tally::quant
