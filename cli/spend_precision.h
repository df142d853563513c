// The search of `tally quantize` for what takes 16 bits (quant/accuracy/choose_precision.h), and its words.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/load_network.h"
#include "cli/network_samples.h"
#include "cli/summary.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/calibrate/calibration.h"
#include "quant/lower/lower.h"

namespace tally::cli {

// Sets the widths of `calibration`. Modules are measured on the samples that were held back, or on all where
// there are too few. Errors: those of ChoosePrecision.
absl::StatusOr<quant::PrecisionChoice> SpendPrecision(const ServedNetwork& network, NetworkSamples& samples,
                                                      const quant::LowerOptions& options,
                                                      const quant::PrecisionTarget& target,
                                                      quant::Calibration& calibration);

// A line, and under "precision": values, products, weights (lists of names), sqnr_before, sqnr_after,
// gas_before, gas_after, over_budget.
void AddPrecision(const quant::PrecisionChoice& choice, const quant::PrecisionTarget& target,
                  Summary& summary);

// What the dB of the worst output mean: "good: ...".
std::string MeaningOf(double sqnr_db);

// The last line, with what to try next where the target is missed: "verdict".
void AddVerdict(double sqnr_db, const quant::PrecisionTarget& target, const quant::PrecisionChoice& choice,
                Summary& summary);

}  // namespace tally::cli
