#include "cli/spend_precision.h"

#include <cmath>
#include <cstdio>

#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/calibrate.h"
#include "cli/layers/layer_text.h"
#include "cli/progress_bar.h"

namespace tally::cli {
namespace {

constexpr double kEqual = 50, kGood = 30, kFair = 20, kPoor = 10;  // dB

double PercentMore(int64_t before, int64_t after) {
  return 100 * (static_cast<double>(after) / static_cast<double>(before) - 1);
}

Json OrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// What to try, where the target is missed.
std::string NextCommand(const quant::PrecisionTarget& target, const quant::PrecisionChoice& choice) {
  if (choice.over_budget) {
    return absl::StrCat("the budget is spent: --budget ", 2 * std::max(target.budget, 10.0),
                        " pays for more, and `tally report` shows which layers lose most");
  }
  return "`tally report` shows which layers lose most (docs/guides/low_accuracy.md); more samples like those "
         "of use may help";
}

}  // namespace

absl::StatusOr<quant::PrecisionChoice> SpendPrecision(const ServedNetwork& network, NetworkSamples& samples,
                                                      const quant::LowerOptions& options,
                                                      const quant::PrecisionTarget& target,
                                                      quant::Calibration& calibration) {
  ProgressBar progress("choosing");
  const int64_t seen = samples.count() - HeldBack(samples);
  ASSIGN_OR_RETURN(quant::PrecisionChoice choice,
                   quant::ChoosePrecision(network.graph, calibration, options, target,
                                          {seen, samples.From(0)}, SamplesToMeasure(samples),
                                          [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  calibration.widths = choice.widths;
  return choice;
}

void AddPrecision(const quant::PrecisionChoice& choice, const quant::PrecisionTarget& target,
                  Summary& summary) {
  const quant::Widths& widths = choice.widths;
  char text[200];
  std::snprintf(
      text, sizeof text,
      "16 bits for %zu values, the factors of %zu products and the weights of %zu: from %s to %s for %.1f %% "
      "more gas",
      widths.values.size(), widths.products.size(), widths.weights.size(),
      SqnrText(choice.sqnr_before).c_str(), SqnrText(choice.sqnr_after).c_str(),
      PercentMore(choice.gas_before, choice.gas_after));
  const char* const nothing = target.sqnr_db <= 0 ? "nothing, as was asked for"
                              : choice.sqnr_after >= target.sqnr_db
                                  ? "nothing: 8 bits are enough"
                                  : "nothing: no more bits within the budget help";
  summary.Say("wide", widths.empty() ? nothing : text, "precision",
              {{"values", widths.values},
               {"products", widths.products},
               {"weights", widths.weights},
               {"sqnr_before", OrNull(choice.sqnr_before)},
               {"sqnr_after", OrNull(choice.sqnr_after)},
               {"gas_before", choice.gas_before},
               {"gas_after", choice.gas_after},
               {"over_budget", choice.over_budget}});
}

std::string MeaningOf(double sqnr_db) {
  if (sqnr_db >= kEqual) return "the answers of the float network";
  if (sqnr_db >= kGood) return "good: the float network's answers, but for very close calls";
  if (sqnr_db >= kFair) return "fair: close calls change";
  if (sqnr_db >= kPoor) return "poor: expect wrong answers";
  return "useless: its answers have little to do with the float network's";
}

void AddVerdict(double sqnr_db, const quant::PrecisionTarget& target, const quant::PrecisionChoice& choice,
                Summary& summary) {
  std::string text = absl::StrCat(SqnrText(sqnr_db), ", ", MeaningOf(sqnr_db));
  if (target.sqnr_db > 0 && sqnr_db < target.sqnr_db) {
    char missed[32];
    std::snprintf(missed, sizeof missed, "%.1f", target.sqnr_db - sqnr_db);
    absl::StrAppend(&text, "; ", missed, " dB below the target of ", target.sqnr_db, ": ",
                    NextCommand(target, choice));
  }
  if (sqnr_db < kFair) summary.Warn("low_sqnr", "an output has less than 20 dB");
  summary.Say("verdict", text, "verdict", text);
}

}  // namespace tally::cli
