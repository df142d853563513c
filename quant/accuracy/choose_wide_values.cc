#include "quant/accuracy/choose_wide_values.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/lower/fusion.h"
#include "quant/lower/pinned_grids.h"
#include "quant/lower/wide_values.h"
#include "vm/engine.h"
#include "vm/validator.h"

namespace tally::quant {
namespace {

// A gain that is no chance of roundings.
constexpr double kLeastGain = 0.1;  // dB

struct Cost {
  double sqnr_db;
  int64_t gas;
};

// By value: whether an operator reads it, or what it becomes where it only moves, that does not multiply.
std::vector<bool> ReadByOthersThanProducts(const Graph& graph) {
  std::vector<bool> read(graph.values.size(), false);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const OpTraits& traits = TraitsOf(node->op);
    for (size_t i = 0; i < node->operands.size(); ++i) {
      const bool moves = traits.grid == Grid::kOfOperand && i == 0;
      if (moves ? read[node->result] : !traits.multiplies) read[node->operands[i]] = true;
    }
  }
  return read;
}

std::vector<std::string> Candidates(const Graph& graph, const Calibration& calibration) {
  const std::vector<Fusion> fusions = FuseActivations(graph);
  const std::vector<bool> wide = WideValues(graph, calibration), read = ReadByOthersThanProducts(graph);
  const std::vector<std::optional<QuantizedType>> pinned = PinnedGrids(graph);
  std::vector<std::string> names;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const ValueId value = fusions[n].output;
    if (fusions[n].absorbed || TraitsOf(node.op).grid != Grid::kCalibrated || wide[value] || !read[value] ||
        pinned[value].has_value() || graph.values[value].type.element != ElementType::kFloat32 ||
        ConstantOf(graph, value) != nullptr) {
      continue;
    }
    names.push_back(graph.values[value].name);
  }
  return names;
}

}  // namespace

absl::StatusOr<WideChoice> ChooseWideValues(const Graph& graph, const Calibration& calibration,
                                            const LowerOptions& options, double budget, int64_t num_samples,
                                            const SampleSource& samples, const Progress& progress) {
  const auto cost_of = [&](std::set<std::string> wide) -> absl::StatusOr<Cost> {
    Calibration with = calibration;
    with.wide = std::move(wide);
    ASSIGN_OR_RETURN(Module module, LowerToModule(graph, with, options));
    ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
    const int64_t gas = valid.gas();
    ASSIGN_OR_RETURN(const auto plan,
                     MakePlan("cpu", std::make_shared<const ValidModule>(std::move(valid)), {}));
    ASSIGN_OR_RETURN(const Accuracy accuracy,
                     MeasureAccuracy(graph, *plan, num_samples, samples, nullptr, options.inputs));
    return Cost{accuracy.worst_sqnr_db(), gas};
  };

  ASSIGN_OR_RETURN(const Cost without, cost_of({}));
  struct Tried {
    std::string name;
    double gain_for_gas;
  };
  const std::vector<std::string> candidates = Candidates(graph, calibration);
  std::vector<Tried> tried;
  int64_t done = 0;
  for (const std::string& name : candidates) {
    ASSIGN_OR_RETURN(const Cost with, cost_of({name}));
    const double gain = with.sqnr_db - without.sqnr_db;
    const int64_t gas = std::max<int64_t>(with.gas - without.gas, 1);
    tried.push_back({name, gain / static_cast<double>(gas)});
    if (progress) progress(++done, 2 * std::ssize(candidates));
  }
  std::ranges::stable_sort(tried, std::ranges::greater(), &Tried::gain_for_gas);

  const double most_gas = static_cast<double>(without.gas) * (1 + budget / 100);
  WideChoice choice = {.values = {},
                       .sqnr_before = without.sqnr_db,
                       .sqnr_after = without.sqnr_db,
                       .gas_before = without.gas,
                       .gas_after = without.gas};
  for (const Tried& candidate : tried) {
    std::set<std::string> values = choice.values;
    values.insert(candidate.name);
    ASSIGN_OR_RETURN(const Cost with, cost_of(values));
    if (static_cast<double>(with.gas) <= most_gas && with.sqnr_db >= choice.sqnr_after + kLeastGain) {
      choice.values = std::move(values);
      choice.sqnr_after = with.sqnr_db;
      choice.gas_after = with.gas;
    }
    if (progress) progress(++done, 2 * std::ssize(candidates));
  }
  return choice;
}

}  // namespace tally::quant
