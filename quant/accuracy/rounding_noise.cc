#include "quant/accuracy/rounding_noise.h"

#include <memory>
#include <utility>
#include <variant>

#include "base/status_macros.h"
#include "quant/accuracy/measure_accuracy.h"
#include "quant/accuracy/served_inputs.h"
#include "quant/graph/float_executor.h"
#include "quant/grid/quantized_tensor.h"
#include "quant/lower/quantize_weights.h"

namespace tally::quant {
namespace {

using Kind = RoundingSource::Kind;

// The graph with the weights of 8 bits that its products are lowered with.
Graph WithRoundedWeights(Graph graph) {
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const std::optional<int> axis = AxisOfScales(graph, node, i);
      if (!axis.has_value()) continue;
      auto& constant = std::get<Constant>(graph.nodes[graph.values[node.operands[i]].producer].op);
      constant.value =
          std::make_shared<const Tensor>(RoundedWeights(std::get<FloatTensor>(*constant.value), *axis));
    }
  }
  return graph;
}

double PowerOf(const Tensor& tensor) {
  return std::visit(
      [](const auto& t) {
        double power = 0;
        for (const auto x : t.data) power += static_cast<double>(x) * static_cast<double>(x);
        return power;
      },
      tensor);
}

double PowerOfDifference(const Tensor& a, const Tensor& b) {
  return std::visit(
      [&](const auto& x) {
        const auto& y = std::get<std::decay_t<decltype(x)>>(b);
        double power = 0;
        for (size_t i = 0; i < x.data.size(); ++i) {
          const double difference = static_cast<double>(x.data[i]) - static_cast<double>(y.data[i]);
          power += difference * difference;
        }
        return power;
      },
      a);
}

class Prober {
 public:
  Prober(const Graph& graph, const std::vector<std::optional<LoweredValue>>& lowered)
      : graph_(graph),
        lowered_(lowered),
        rounded_graph_(WithRoundedWeights(graph)),
        exact_(graph_),
        rounded_(rounded_graph_) {}

  absl::Status Open(std::span<const FloatTensor> sample) {
    ASSIGN_OR_RETURN(values_, exact_.RunKeeping(sample));
    return absl::OkStatus();
  }

  Tensor OutputOf(size_t output) const {
    const ValueId value = graph_.outputs[output].value;
    const Tensor* constant = ConstantOf(graph_, value);
    return constant != nullptr ? *constant : values_[value];
  }

  // The outputs with the roundings of `group` alone.
  std::vector<Tensor> With(const RoundingSources& sources, const std::vector<RoundingSource>& group) {
    std::vector<bool> values(graph_.values.size()), products(values), weights(values);
    for (const RoundingSource& source : group) {
      (source.kind == Kind::kValue      ? values
       : source.kind == Kind::kOperands ? products
                                        : weights)[source.value] = true;
    }
    const auto operand = [&](size_t n, size_t index, const Tensor& tensor) -> std::optional<Tensor> {
      const Node& node = graph_.nodes[n];
      if (weights[node.result] && AxisOfScales(graph_, node, index).has_value())
        return *ConstantOf(rounded_graph_, node.operands[index]);
      const ValueId root = sources.ReadOn(node, index);
      const bool multiplies = TraitsOf(node.op).multiplies;
      if (root == kNoValue || !(multiplies ? products[node.result] : values[root])) return std::nullopt;
      FloatTensor on_grid = std::get<FloatTensor>(tensor);
      RoundToGrid(lowered_[root]->type, on_grid);
      return on_grid;
    };
    const auto by = [&](size_t n) -> FloatExecutor* {
      return weights[graph_.nodes[n].result] ? &rounded_ : nullptr;
    };
    return exact_.Rerun(values_, {.operand = operand, .by = by});
  }

 private:
  const Graph& graph_;
  const std::vector<std::optional<LoweredValue>>& lowered_;
  const Graph rounded_graph_;
  FloatExecutor exact_, rounded_;
  std::vector<Tensor> values_;  // those of the open sample
};

}  // namespace

absl::StatusOr<std::vector<OutputNoise>> MeasureRoundingNoise(
    const Graph& graph, const std::vector<std::optional<LoweredValue>>& lowered,
    const RoundingSources& sources, std::span<const std::vector<RoundingSource>> groups, int64_t num_samples,
    const SampleSource& samples, const Progress& progress) {
  Prober prober(graph, lowered);
  std::vector<OutputNoise> noise(groups.size(), OutputNoise(graph.outputs.size()));
  std::vector<double> signal(graph.outputs.size());
  for (int64_t sample = 0; sample < num_samples; ++sample) {
    ASSIGN_OR_RETURN(const std::vector<FloatTensor> floats, samples(sample));
    for (const FloatTensor& input : floats) RETURN_IF_ERROR(CheckFinite(input.data, sample));
    RETURN_IF_ERROR(prober.Open(floats));
    std::vector<Tensor> expected;
    for (size_t o = 0; o < signal.size(); ++o) {
      expected.push_back(prober.OutputOf(o));
      signal[o] += PowerOf(expected[o]);
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      const std::vector<Tensor> actual = prober.With(sources, groups[g]);
      for (size_t o = 0; o < signal.size(); ++o) noise[g][o] += PowerOfDifference(expected[o], actual[o]);
      if (progress)
        progress(sample * std::ssize(groups) + static_cast<int64_t>(g) + 1, num_samples * std::ssize(groups));
    }
  }
  for (size_t o = 0; o < signal.size(); ++o) {
    if (IsChoice(graph, graph.outputs[o])) signal[o] = 0;
  }
  for (OutputNoise& of_group : noise) {
    for (size_t o = 0; o < signal.size(); ++o) {
      const double share = signal[o] > 0 ? of_group[o] / signal[o] : 0;
      of_group[o] = share < kMostNoise ? share : kMostNoise;  // also where it is not a number
    }
  }
  return noise;
}

}  // namespace tally::quant
