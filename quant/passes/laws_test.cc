// Every pass keeps, on drawn graphs, the names, types and order of the outputs, and their elements up to what
// the rounding of floats makes of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "quant/graph/float_executor.h"
#include "quant/graph/testing/ops_of.h"
#include "quant/passes/fold_inputs.h"
#include "quant/passes/passes.h"
#include "quant/passes/replace_nodes.h"
#include "quant/passes/testing/drawn_graph.h"

namespace tally::quant {
namespace {

constexpr uint32_t kGraphs = 6000;

// The elements of any tensor.
std::vector<double> Elements(const Tensor& tensor) {
  return std::visit([](const auto& t) { return std::vector<double>(t.data.begin(), t.data.end()); }, tensor);
}

// A graph with its outputs, and by how much they move if each value is off by some units of its last places.
class Expected {
 public:
  Expected(const Graph& graph, const std::vector<FloatTensor>& inputs) : graph_(graph) {
    FloatExecutor executor(graph);
    outputs_ = *executor.Run(inputs);
    for (const Tensor& output : outputs_) {
      double most = 0;
      for (const double v : Elements(output)) most = std::max(most, std::abs(v));
      tolerance_.emplace_back(Elements(output).size(), 1e-6 + 1e-5 * most);
    }
    for (const int turn : {0, 1, 2, 3}) {
      int at = turn;
      const auto rounds = [&](ValueId, FloatTensor& tensor) {
        for (float& v : tensor.data) v *= 1 + static_cast<float>((++at * 7 + turn) % 5 - 2) * 2e-6f;
      };
      const auto moved = *executor.Run(inputs, {.adjust = rounds});
      for (size_t i = 0; i < moved.size(); ++i) {
        const auto a = Elements(outputs_[i]), b = Elements(moved[i]);
        for (size_t j = 0; j < a.size(); ++j) tolerance_[i][j] += 4 * std::abs(a[j] - b[j]);
      }
    }
  }

  // The difference, as text; empty if there is no difference.
  std::string Differs(const absl::StatusOr<Graph>& graph, const std::vector<FloatTensor>& inputs) const {
    if (!graph.ok()) return std::string(graph.status().message());
    if (const auto ok = Verify(*graph); !ok.ok()) return std::string(ok.message());
    if (graph->outputs.size() != graph_.outputs.size()) return "another number of outputs";
    const auto outputs = RunGraph(*graph, inputs);
    if (!outputs.ok()) return std::string(outputs.status().message());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const std::string name = "output '" + graph_.outputs[i].name + "': ";
      if (graph->outputs[i].name != graph_.outputs[i].name) return name + "another name";
      if (TypeOf((*outputs)[i]) != TypeOf(outputs_[i])) return name + "another type";
      const auto a = Elements(outputs_[i]), b = Elements((*outputs)[i]);
      for (size_t j = 0; j < a.size(); ++j) {
        const bool same = a[j] == b[j] || (std::isnan(a[j]) && std::isnan(b[j]));
        if (!same && std::isfinite(a[j]) && !(std::abs(a[j] - b[j]) <= tolerance_[i][j]))
          return name + std::to_string(a[j]) + " became " + std::to_string(b[j]);
      }
    }
    return "";
  }

 private:
  const Graph& graph_;
  std::vector<Tensor> outputs_;
  std::vector<std::vector<double>> tolerance_;  // by output and element
};

// Whether masks are not what RecognizeMasks takes them for: they hide a row entirely, which gives each of its
// elements the same probability, or scores are large enough to undo what hides them.
bool UnmasksScores(const Graph& graph, const std::vector<FloatTensor>& inputs) {
  constexpr float kLarge = 500;
  FloatExecutor executor(graph);
  const auto values = *executor.RunKeeping(inputs);
  bool has_softmax = false, has_large = false;
  for (const Node& node : graph.nodes) {
    if (const auto* floats = std::get_if<FloatTensor>(&values[node.result]))
      has_large |= std::ranges::any_of(floats->data, [](float v) { return v > kLarge; });
    const auto* softmax = std::get_if<Softmax>(&node.op);
    if (softmax == nullptr) continue;
    has_softmax = true;
    const Tensor* const scores[] = {&values[node.operands[0]]};
    Shape shape = graph.values[node.result].type.shape;
    shape[static_cast<size_t>(softmax->axis)] = 1;
    const auto largest = std::get<FloatTensor>(
        EvaluateNode(ReduceExtreme{.axes = {softmax->axis}}, scores, {ElementType::kFloat32, shape}));
    if (std::ranges::any_of(largest.data, [](float v) { return v < -kLarge; })) return true;
  }
  return has_softmax && has_large;
}

std::string Describe(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    text += "\n  %" + std::to_string(node.result) + " = " + std::string(OpName(node.op));
    for (const ValueId operand : node.operands) text += " %" + std::to_string(operand);
    text += " " + ToString(graph.values[node.result].type);
  }
  for (const Output& output : graph.outputs) text += "\n  output %" + std::to_string(output.value);
  return text;
}

TEST(PassLaws, KeepWhatDrawnGraphsCompute) {
  std::vector<int> changed(AllPasses().size());
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    const Graph graph = DrawnGraph(seed);
    // Passes may learn what integers are served; the law holds of those.
    const auto all = RunPasses(graph, {});
    ASSERT_TRUE(all.ok()) << all.status() << ", seed " << seed << Describe(graph);
    const auto inputs = DrawnInputs(*all, seed);
    const Graph needed = *ReplaceNodes(graph, {});
    if (UnmasksScores(graph, inputs)) continue;
    const Expected expected(graph, inputs);
    for (size_t p = 0; p < AllPasses().size(); ++p) {
      const auto after = AllPasses()[p].run(graph);
      ASSERT_EQ(expected.Differs(after, inputs), "")
          << AllPasses()[p].name << ", seed " << seed << Describe(graph);
      changed[p] += OpsOf(*ReplaceNodes(*after, {})) != OpsOf(needed);
    }
    ASSERT_EQ(expected.Differs(all, inputs), "") << "all, seed " << seed << Describe(graph);
  }
  for (size_t p = 0; p < changed.size(); ++p) {
    RecordProperty(std::string(AllPasses()[p].name), changed[p]);
    if (AllPasses()[p].name == "bound_inputs") continue;  // changes what is known of inputs alone
    EXPECT_GE(changed[p], 20) << AllPasses()[p].name << " has had nothing to do";
  }
}

// The folded network computes of x what the network computes of (scale (x - zero_point) - mean) / std.
// The folded graph reads x less the format's zero point.
TEST(PassLaws, FoldedInputsMeanTheSame) {
  std::map<FoldedInto, int> folded_into;
  for (uint32_t seed = 0; seed < kGraphs / 4; ++seed) {
    const Graph graph = DrawnGraph(seed);
    std::vector<InputMeaning> meanings;
    auto reals = DrawnInputs(graph, seed), integers = reals;
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const Value& value = graph.values[graph.inputs[i]];
      if (value.type.element != ElementType::kFloat32) continue;
      InputMeaning meaning = {.name = value.name, .scale = {1, seed % 3 == 0 ? 3 : 64}, .interval = {0, 255}};
      if (seed % 2 == 0) meaning.mean = {{1, 3}};
      if (seed % 5 == 0) meaning.std = {{5, 4}};
      for (size_t j = 0; j < reals[i].data.size(); ++j) {
        const double x = std::floor(std::abs(reals[i].data[j]) * 100);
        const double mean = meaning.mean.empty() ? 0 : 1.0 / 3, std = meaning.std.empty() ? 1 : 1.25;
        integers[i].data[j] = static_cast<float>(x);
        reals[i].data[j] =
            static_cast<float>((x / static_cast<double>(meaning.scale.denominator) - mean) / std);
      }
      meanings.push_back(std::move(meaning));
    }
    if (UnmasksScores(graph, reals)) continue;
    const auto folded = FoldInputs(graph, meanings);
    ASSERT_TRUE(folded.ok()) << folded.status() << ", seed " << seed;
    for (size_t i = 0, m = 0; i < graph.inputs.size(); ++i) {
      if (graph.values[graph.inputs[i]].type.element != ElementType::kFloat32) continue;
      const FoldedInput& input = folded->inputs[m++];
      ++folded_into[input.into];
      for (float& x : integers[i].data) {
        x = static_cast<float>(input.format.type.scale *
                               (x - static_cast<double>(input.format.type.zero_point)));
      }
    }
    ASSERT_EQ(Expected(graph, reals).Differs(folded->graph, integers), "")
        << "seed " << seed << Describe(graph);
  }
  for (const FoldedInto into : {FoldedInto::kGrid, FoldedInto::kLayers, FoldedInto::kOwnLayer})
    EXPECT_GE(folded_into[into], 20);
}

}  // namespace
}  // namespace tally::quant
