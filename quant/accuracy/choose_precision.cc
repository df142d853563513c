#include "quant/accuracy/choose_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "engines/engine.h"
#include "quant/accuracy/confidence.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/rounding_noise.h"
#include "quant/accuracy/rounding_sources.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

constexpr int64_t kMostProbes = 8;  // samples that noise is measured on
constexpr int kMostModules = 6;     // that are lowered and measured on the way to the target
constexpr double kMargin = 0.5;     // dB that the sum is to have beyond the target
// A source alone costs half a run of the network on average; twice the calibration buys four for each sample.
constexpr int64_t kRunsForSample = 4;

double Share(double sqnr_db) { return std::pow(10, -sqnr_db / 10); }

struct Measured {
  double sqnr_db;  // the worst output's
  double sure_db;  // the least SureSqnr of an output
  int64_t gas;
};

double LeastSure(const Accuracy& accuracy) {
  double least = std::numeric_limits<double>::infinity();
  for (const OutputAccuracy* output : accuracy.judged())
    least = std::min(least, SureSqnr(output->error.sqnr_db(), output->sample_db));
  return least;
}

// Sources that are taken together, in the order of the graph: chains, where there are too many to try each.
struct Group {
  std::vector<size_t> sources;
  OutputNoise noise;
  double work = 0;
};

// The order in which groups are taken: each time the one that saves most of the worst output for its work.
class Taken {
 public:
  Taken(std::vector<Group> groups, size_t outputs) : groups_(std::move(groups)), left_(outputs) {
    for (const Group& group : groups_) {
      for (size_t o = 0; o < outputs; ++o) left_[o] += group.noise[o];
    }
  }

  bool all() const { return order_.size() == groups_.size(); }
  const std::vector<size_t>& order() const { return order_; }  // numbers in groups_
  const Group& group(size_t place) const { return groups_[order_[place]]; }
  double worst() const { return left_.empty() ? 0 : *std::ranges::max_element(left_); }

  // At least one more, as what the sum predicts was not enough so far, and until no output has more than
  // `share` left.
  void TakeMore(double share) {
    for (bool is_first = true; !all() && (is_first || worst() > share); is_first = false) {
      const size_t output = static_cast<size_t>(std::ranges::max_element(left_) - left_.begin());
      size_t best = groups_.size();
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].work == 0) continue;
        if (best == groups_.size() ||
            groups_[g].noise[output] * groups_[best].work > groups_[best].noise[output] * groups_[g].work) {
          best = g;
        }
      }
      Take(best);
    }
  }

 private:
  void Take(size_t g) {
    order_.push_back(g);
    groups_[g].work = 0;  // it is taken
    std::ranges::fill(left_, 0);
    for (size_t other = 0; other < groups_.size(); ++other) {
      if (groups_[other].work == 0) continue;
      for (size_t o = 0; o < left_.size(); ++o) left_[o] += groups_[other].noise[o];
    }
  }

  std::vector<Group> groups_;
  std::vector<size_t> order_;
  OutputNoise left_;
};

std::vector<Group> GroupsOf(const std::vector<RoundingSource>& sources, size_t most) {
  std::vector<Group> groups(std::min(sources.size(), std::max<size_t>(most, 1)));
  for (size_t s = 0; s < sources.size(); ++s) {
    Group& group = groups[s * groups.size() / sources.size()];
    group.sources.push_back(s);
    group.work += sources[s].work;
  }
  return groups;
}

class Search {
 public:
  Search(const Graph& graph, const Calibration& calibration, const LowerOptions& options, double target_db,
         const Samples& seen, const Samples& measured)
      : graph_(graph),
        calibration_(calibration),
        options_(options),
        target_db_(target_db),
        seen_(seen),
        measured_(measured) {}

  absl::StatusOr<std::shared_ptr<const ValidModule>> Lower(const Widths& widths) {
    Calibration with = calibration_;
    with.widths = widths;
    ASSIGN_OR_RETURN(LoweredGraph lowered, LowerGraph(graph_, with, options_));
    ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(lowered.module)));
    values_ = std::move(lowered.values);
    return std::make_shared<const ValidModule>(std::move(valid));
  }

  // Bits that meet the target on the few samples of measuring have to meet it on those that calibration saw
  // too: where one sample of many decides the dB, as the one that has a keyword does, they may have none of
  // it.
  absl::StatusOr<Measured> Measure(const std::shared_ptr<const ValidModule>& module) {
    ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module, {}));
    ASSIGN_OR_RETURN(const Measured measured, MeasureOn(measured_, *plan));
    if (target_db_ <= 0 || measured.sure_db < target_db_) return measured;
    ASSIGN_OR_RETURN(const Measured seen, MeasureOn(seen_, *plan));
    return seen.sure_db < measured.sure_db ? seen : measured;
  }

  // By value of the graph, in the module lowered last.
  const std::vector<std::optional<LoweredValue>>& values() const { return values_; }

 private:
  absl::StatusOr<Measured> MeasureOn(const Samples& samples, const Plan& plan) {
    ASSIGN_OR_RETURN(const Accuracy accuracy,
                     MeasureAccuracy(graph_, plan, samples.count, samples.source,
                                     {.formats = options_.inputs, .loop = samples.loop}));
    return Measured{accuracy.worst_sqnr_db(), LeastSure(accuracy), plan.module().gas()};
  }

  const Graph& graph_;
  const Calibration& calibration_;
  const LowerOptions& options_;
  const double target_db_;
  const Samples &seen_, &measured_;
  std::vector<std::optional<LoweredValue>> values_;
};

}  // namespace

double DefaultSqnr(const Graph& graph) {
  const bool chooses =
      std::ranges::any_of(graph.outputs, [&](const Output& output) { return IsChoice(graph, output); });
  return chooses ? 40 : 30;
}

absl::StatusOr<PrecisionChoice> ChoosePrecision(const Graph& graph, const Calibration& calibration,
                                                const LowerOptions& options, const PrecisionTarget& target,
                                                const Samples& seen, const Samples& measured,
                                                const Progress& progress) {
  Search search(graph, calibration, options, target.sqnr_db, seen, measured);
  ASSIGN_OR_RETURN(const auto narrow, search.Lower({}));
  ASSIGN_OR_RETURN(const Measured before, search.Measure(narrow));
  PrecisionChoice choice = {.sqnr_before = before.sqnr_db,
                            .sqnr_after = before.sqnr_db,
                            .sure_before = before.sure_db,
                            .sure_after = before.sure_db,
                            .gas_before = before.gas,
                            .gas_after = before.gas};
  if (target.sqnr_db <= 0 || before.sure_db >= target.sqnr_db) return choice;

  const RoundingSources sources = SourcesOf(graph, calibration, search.values(), options.inputs);
  if (sources.list.empty()) return choice;
  const int64_t runs = kRunsForSample * seen.count;
  std::vector<Group> groups =
      GroupsOf(sources.list, static_cast<size_t>(std::max<int64_t>(runs, kMostProbes)));
  const int64_t probes = std::clamp<int64_t>(runs / std::ssize(groups), 1, std::min(kMostProbes, seen.count));
  std::vector<std::vector<RoundingSource>> probed;
  for (const Group& group : groups) {
    probed.emplace_back();
    for (const size_t s : group.sources) probed.back().push_back(sources.list[s]);
  }
  const int64_t steps = probes * std::ssize(groups);
  ASSIGN_OR_RETURN(const std::vector<OutputNoise> noise,
                   MeasureRoundingNoise(graph, search.values(), sources, probed, probes, seen.source,
                                        [&](int64_t done, int64_t) {
                                          if (progress) progress(done, steps + kMostModules);
                                        }));
  for (size_t g = 0; g < groups.size(); ++g) groups[g].noise = noise[g];

  Taken taken(std::move(groups), graph.outputs.size());
  const auto widths_of = [&](size_t count) {
    Widths widths;
    for (size_t place = 0; place < count; ++place) {
      for (const size_t s : taken.group(place).sources) AddTo(graph, sources, sources.list[s], widths);
    }
    return widths;
  };
  const double most_gas = static_cast<double>(before.gas) * (1 + target.budget / 100);
  double goal =
      target.sqnr_db + kMargin + (std::isfinite(before.sqnr_db) ? before.sqnr_db - before.sure_db : 0);
  for (int round = 0; round < kMostModules && !choice.over_budget; ++round) {
    taken.TakeMore(round + 1 < kMostModules ? Share(goal) : 0);
    size_t count = taken.order().size();
    auto lowered = search.Lower(widths_of(count));
    if (!lowered.ok()) break;  // a module that 8 bits make stays one
    auto module = *std::move(lowered);
    choice.over_budget = static_cast<double>(module->gas()) > most_gas;
    if (choice.over_budget) {  // as many as the budget pays for
      size_t most = count - 1;
      for (count = 0; count < most;) {
        const size_t middle = (count + most + 1) / 2;
        ASSIGN_OR_RETURN(module, search.Lower(widths_of(middle)));
        if (static_cast<double>(module->gas()) > most_gas) {
          most = middle - 1;
        } else {
          count = middle;
        }
      }
      ASSIGN_OR_RETURN(module, search.Lower(widths_of(count)));
    }
    ASSIGN_OR_RETURN(const Measured with, search.Measure(module));
    if (progress) progress(steps + round + 1, steps + kMostModules);
    if (with.sqnr_db > choice.sqnr_after) {
      choice.widths = widths_of(count);
      choice.sqnr_after = with.sqnr_db;
      choice.sure_after = with.sure_db;
      choice.gas_after = with.gas;
    }
    if (with.sure_db >= target.sqnr_db || taken.all()) break;
    goal = std::max(goal, -10 * std::log10(taken.worst())) + (target.sqnr_db - with.sure_db) + kMargin;
  }
  if (progress) progress(steps + kMostModules, steps + kMostModules);
  return choice;
}

}  // namespace tally::quant
