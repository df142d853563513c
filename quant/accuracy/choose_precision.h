// The values that take 16 bits, so that a network is as accurate as was asked for.
//
//   const PrecisionTarget target = {.sqnr_db = 30};
//   ASSIGN_OR_RETURN(const PrecisionChoice choice,
//                    ChoosePrecision(graph, calibration, {}, target, seen, held_back));
//   calibration.widths = choice.widths;
//
// The noise of every rounding is measured alone (rounding_noise.h). Then sources are taken, those first
// that save most for their work, until the sum of what is left meets the target. That finds pairs and
// chains that gain only together. The module is lowered and measured; where it misses the target by some
// dB, the sum has to become as much smaller, and more sources are taken. It is met where other samples are
// likely to have it too (SureSqnr): a few samples that just have it were chosen for that.
//
// Floats decide, so two machines may choose otherwise. The calibration keeps the choice: with it, the
// module is the same everywhere.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "quant/calibrate/calibration.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"
#include "quant/lower/lower.h"

namespace tally::quant {

// The target if none is given: 30 dB, and 40 where outputs are choices (IsChoice), which hang on close calls.
double DefaultSqnr(const Graph& graph);

struct PrecisionTarget {
  double sqnr_db = 30;  // that the worst output is to have; 0 asks for nothing
  double budget = 25;   // more gas, in percent of what the module of 8 bits takes
};

struct PrecisionChoice {
  Widths widths;
  double sqnr_before = 0, sqnr_after = 0;  // dB, of the worst output on the samples of measuring
  double sure_before = 0, sure_after = 0;  // the least SureSqnr of an output
  int64_t gas_before = 0, gas_after = 0;
  bool over_budget = false;  // more would have been taken
};

// `calibration` has no widths yet. Noise is measured on some of `seen`, which takes about twice as long as
// calibrating on them did; modules are measured on all of `measured`. `progress` is told of steps. Errors:
// as LowerGraph, Validate, MeasureRoundingNoise and MeasureAccuracy.
absl::StatusOr<PrecisionChoice> ChoosePrecision(const Graph& graph, const Calibration& calibration,
                                                const LowerOptions& options, const PrecisionTarget& target,
                                                const Samples& seen, const Samples& measured,
                                                const Progress& progress = nullptr);

}  // namespace tally::quant
