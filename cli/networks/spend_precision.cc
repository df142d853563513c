#include "cli/networks/spend_precision.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/layers/layer_text.h"
#include "cli/networks/calibrate.h"
#include "cli/progress_bar.h"
#include "quant/accuracy/confidence.h"
#include "quant/equalize/choose_exponents.h"
#include "quant/equalize/equalize.h"

namespace tally::cli {
namespace {

constexpr double kNear = 3;                                        // dB, how sure a verdict is to be
constexpr double kEqual = 50, kGood = 30, kFair = 20, kPoor = 10;  // dB

double PercentMore(int64_t before, int64_t after) {
  return 100 * (static_cast<double>(after) / static_cast<double>(before) - 1);
}

Json OrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// The advice where the target is missed.
std::string NextCommand(const quant::PrecisionTarget& target, const quant::PrecisionChoice& choice) {
  if (choice.over_budget) {
    return absl::StrCat("the budget is spent: --budget ", 2 * std::max(target.budget, 10.0),
                        " pays for more, and `tally report` shows which layers lose most");
  }
  return "`tally report` shows which layers lose most (docs/guides/low_accuracy.md); more samples like those "
         "of use may help";
}

// A choice that meets the target is better, then what takes less gas for it, then what has more dB by a
// margin. A target of 0 asks for nothing, and so all are judged by their dB.
bool IsBetter(const quant::PrecisionChoice& a, const quant::PrecisionChoice& b, double target) {
  constexpr double kLeastGain = 1;  // dB
  const bool has_target = target > 0;
  const bool a_meets = has_target && a.sure_after >= target, b_meets = has_target && b.sure_after >= target;
  if (a_meets != b_meets) return a_meets;
  if (a_meets && a.gas_after != b.gas_after) return a.gas_after < b.gas_after;
  return a.sqnr_after >= b.sqnr_after + kLeastGain;
}

// Names the outputs that say nothing, as they are nearly the same for all samples.
void AddSameOutputs(const quant::Accuracy& accuracy, Summary& summary) {
  std::vector<std::string> names;
  for (const quant::OutputAccuracy& output : accuracy.outputs) {
    if (!output.varies) names.push_back(output.name);
  }
  if (names.empty()) return;
  summary.Say("same",
              absl::StrCat("or nearly, for all samples that were measured: '", absl::StrJoin(names, "', '"),
                           "', so they say nothing"),
              "no_evidence", names);
}

// Between what the worst output would have with other samples, which may be another one then.
quant::SqnrBounds BoundsOfWorst(const quant::Accuracy& accuracy) {
  quant::SqnrBounds least = {std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::infinity()};
  for (const quant::OutputAccuracy* output : accuracy.judged()) {
    const quant::SqnrBounds bounds = quant::BoundsOf(output->error.sqnr_db(), output->sample_db);
    least = {std::min(least.low, bounds.low), std::min(least.high, bounds.high)};
  }
  return least;
}

// "; 36 to 48 dB with other samples, ...", and for machines "sqnr". There is a worst output.
std::string AddBounds(const quant::Accuracy& accuracy, const SampleParts& parts, Summary& summary) {
  const double db = accuracy.worst_sqnr_db();
  const quant::SqnrBounds bounds = BoundsOfWorst(accuracy);
  const int64_t wanted = SamplesForVerdict(quant::SamplesWithin(kNear, accuracy.worst()->sample_db));
  summary.AddForMachines("sqnr", {{"db", OrNull(db)},
                                  {"low", bounds.low},
                                  {"high", bounds.high},
                                  {"samples", parts.verdict.size()},
                                  {"samples_wanted", wanted}});
  char text[200] = "";
  if (!parts.verdict_is_unseen())
    return "; of the sample that calibration saw, which says nothing of others: give more";
  if (std::isfinite(db) && std::max(bounds.high - db, db - bounds.low) > kNear) {
    std::snprintf(
        text, sizeof text,
        "; %.0f to %.0f dB with other samples, as %zu %s measured: about %lld given would say it within "
        "%.0f dB",
        bounds.low, bounds.high, parts.verdict.size(), parts.verdict.size() == 1 ? "was" : "were",
        static_cast<long long>(wanted), kNear);
  }
  return text;
}

}  // namespace

absl::StatusOr<quant::PrecisionChoice> SpendPrecision(const quant::Graph& graph, NetworkSamples& samples,
                                                      const quant::LowerOptions& options,
                                                      const quant::PrecisionTarget& target,
                                                      quant::Calibration& calibration) {
  ProgressBar progress("choosing");
  ASSIGN_OR_RETURN(
      quant::PrecisionChoice choice,
      quant::ChoosePrecision(graph, calibration, options, target, samples.At(samples.parts().ranges),
                             samples.At(samples.parts().search),
                             [&](int64_t done, int64_t total) { progress.Show(done, total); }));
  calibration.widths = choice.widths;
  return choice;
}

absl::Status TryEqualized(quant::Graph& graph, NetworkSamples& samples, const quant::LowerOptions& options,
                          const quant::PrecisionTarget& target, quant::Calibration& calibration,
                          quant::PrecisionChoice& choice) {
  constexpr int64_t kMostSamples = 32;
  const quant::Samples seen = samples.At(samples.parts().ranges);
  ASSIGN_OR_RETURN(const quant::ChannelExponents exponents,
                   quant::ChooseExponents(graph, std::min(seen.count, kMostSamples), seen.source));
  if (exponents.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(quant::Graph equalized, quant::Equalized(graph, exponents));
  ASSIGN_OR_RETURN(quant::Calibration other, CalibrateOn(equalized, samples, "equalizing"));
  other.exponents = exponents;
  ASSIGN_OR_RETURN(quant::PrecisionChoice of_other,
                   SpendPrecision(equalized, samples, options, target, other));
  if (!IsBetter(of_other, choice, target.sqnr_db)) return absl::OkStatus();
  graph = std::move(equalized);
  calibration = std::move(other);
  choice = std::move(of_other);
  return absl::OkStatus();
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

void AddVerdict(const quant::Accuracy& accuracy, const SampleParts& parts,
                const quant::PrecisionTarget& target, const quant::PrecisionChoice& choice,
                Summary& summary) {
  AddSameOutputs(accuracy, summary);
  const quant::OutputAccuracy* worst = accuracy.worst();
  if (worst == nullptr || !worst->varies) {
    const char* const text =
        "no evidence: the float network gives the same results, or nearly, for all samples that were "
        "measured; give samples for which its answers differ, as some with what it looks for";
    summary.Say("verdict", text, "verdict", text);
    return;
  }
  const double sqnr_db = worst->error.sqnr_db();
  std::string text =
      absl::StrCat(SqnrText(sqnr_db), ", ", MeaningOf(sqnr_db), AddBounds(accuracy, parts, summary));
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
