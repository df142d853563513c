// The search of `tally quantize` for what takes 16 bits (quant/accuracy/choose_precision.h), and its words.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/networks/network_samples.h"
#include "cli/sample_parts.h"
#include "cli/summary.h"
#include "quant/accuracy/choose_precision.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/calibrate/calibration.h"
#include "quant/lower/lower.h"

namespace tally::cli {

// Sets the widths of `calibration`. Modules are measured on the samples for the search. Errors: those of
// ChoosePrecision.
absl::StatusOr<quant::PrecisionChoice> SpendPrecision(const quant::Graph& graph, NetworkSamples& samples,
                                                      const quant::LowerOptions& options,
                                                      const quant::PrecisionTarget& target,
                                                      quant::Calibration& calibration);

// The same for a network whose channels are equalized (quant/equalize), where channels differ: it takes the
// place of `graph`, of `calibration` and of `choice` if it meets the target and they do not, meets it for
// less gas, or has at least 1 dB more. Errors: as ChooseExponents, CalibrateOn and SpendPrecision.
absl::Status TryEqualized(quant::Graph& graph, NetworkSamples& samples, const quant::LowerOptions& options,
                          const quant::PrecisionTarget& target, quant::Calibration& calibration,
                          quant::PrecisionChoice& choice);

// A line, and under "precision": values, products, weights (lists of names), sqnr_before, sqnr_after,
// gas_before, gas_after, over_budget.
void AddPrecision(const quant::PrecisionChoice& choice, const quant::PrecisionTarget& target,
                  Summary& summary);

// The meaning of the dB of the worst output: "good: ...".
std::string MeaningOf(double sqnr_db);

// The last line: the dB of the worst output, what they mean, between what they would be with other samples,
// and what to try next where the target is missed: "verdict". For machines also "sqnr": db, low, high (null
// where nothing differs), samples, and samples_wanted, how many given to --calibrate would put the bounds
// within 3 dB; and "no_evidence", the names of the outputs that hardly differ between samples.
void AddVerdict(const quant::Accuracy& accuracy, const SampleParts& parts,
                const quant::PrecisionTarget& target, const quant::PrecisionChoice& choice, Summary& summary);

}  // namespace tally::cli
