// Which values to give 16 bits for some gas more.
//
//   ASSIGN_OR_RETURN(const WideChoice choice, ChooseWideValues(graph, calibration, {}, 5, count, samples));
//   calibration.wide = choice.values;
//
// Candidates are sums, and what else an operator reads that computes element by element or normalizes; what
// only products read would be rounded to 8 bits in front of them all the same, as products of 8 bits are what
// engines are fastest with. Each is tried alone; then they are taken in the order of what they gained for
// their gas, where they fit the budget and still gain.
//
// Floats decide, so two machines may choose otherwise. The calibration keeps the choice: with it, the module
// is the same everywhere.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"
#include "quant/lower/lower.h"

namespace tally::quant {

struct WideChoice {
  std::set<std::string> values;
  double sqnr_before = 0, sqnr_after = 0;  // dB, of the worst output on the samples
  int64_t gas_before = 0, gas_after = 0;
};

// `budget`: of gas, in percent of that of the module without. `progress` is told of candidates. `calibration`
// knows none as wide yet. Errors: those of LowerGraph, Validate and MeasureAccuracy.
absl::StatusOr<WideChoice> ChooseWideValues(const Graph& graph, const Calibration& calibration,
                                            const LowerOptions& options, double budget, int64_t num_samples,
                                            const SampleSource& samples, const Progress& progress = nullptr);

}  // namespace tally::quant
