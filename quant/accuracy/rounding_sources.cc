#include "quant/accuracy/rounding_sources.h"

#include <algorithm>
#include <variant>

#include "quant/lower/fusion.h"
#include "quant/lower/pinned_grids.h"
#include "quant/lower/wide_values.h"

namespace tally::quant {
namespace {

// docs/spec/gas.md: of a product, and of an element that is rescaled.
constexpr double kGasOfProduct = 20, kGasOfElement = 88, kTermsToFinishSum = 16;

bool FitsInBits(const std::optional<LoweredValue>& value, int bits) {
  return value.has_value() && value->type.interval.hi - value->type.interval.lo < int64_t{1} << bits;
}

bool HasScaledWeights(const Node& node) {
  return TraitsOf(node.op).multiplies || std::holds_alternative<DeformableConv>(node.op);
}

bool IsRecurrent(const Node& node) {
  return std::holds_alternative<Rnn>(node.op) || std::holds_alternative<Gru>(node.op) ||
         std::holds_alternative<Lstm>(node.op);
}

class Finder {
 public:
  Finder(const Graph& graph, const Calibration& calibration,
         const std::vector<std::optional<LoweredValue>>& lowered, const std::vector<InputFormat>& inputs)
      : graph_(graph), calibration_(calibration), lowered_(lowered) {
    std::vector<ValueId>& roots = found_.roots;
    roots.assign(graph.values.size(), kNoValue);
    const std::vector<std::optional<QuantizedType>> pinned = PinnedGrids(graph);
    const std::vector<bool> longs = LongValues(graph);
    const auto may_widen = [&](ValueId id) {
      const Value& value = graph.values[id];
      return value.type.element == ElementType::kFloat32 && !pinned[id].has_value() &&
             FitsInBits(lowered[id], longs[id] ? kWideBits : kActivationBits) &&
             calibration.values.contains(value.name);
    };
    for (const ValueId input : graph.inputs) {
      const bool has_format = std::ranges::count(inputs, graph.values[input].name, &InputFormat::name) > 0;
      if (!has_format && may_widen(input)) roots[input] = input;
    }
    const std::vector<Fusion> fusions = FuseActivations(graph);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      if (fusions[n].absorbed || std::holds_alternative<Constant>(node.op)) continue;
      const ValueId value = fusions[n].output;
      const Grid grid = TraitsOf(node.op).grid;
      const bool moves_constant = grid == Grid::kOfOperand && ConstantOf(graph, node.operands[0]) != nullptr;
      const bool is_float = graph.values[value].type.element == ElementType::kFloat32;
      if (grid == Grid::kOfOperand && !moves_constant) {
        // The places of the largest elements have no grid, though the elements themselves have one.
        if (is_float) roots[value] = roots[node.operands[0]];
      } else if ((grid == Grid::kCalibrated || moves_constant) && may_widen(value)) {
        roots[value] = value;
      }
    }
  }

  RoundingSources Run() && {
    std::vector<bool> read(graph_.values.size(), false);  // by root: by others than products
    for (const Node& node : graph_.nodes) {
      for (size_t i = 0; i < node.operands.size() && !TraitsOf(node.op).multiplies; ++i) {
        if (const ValueId root = found_.ReadOn(node, i); root != kNoValue) read[root] = true;
      }
    }
    const auto add_value = [&](ValueId value) {
      if (!read[value]) return;
      const double elements = static_cast<double>(NumElements(graph_.values[value].type.shape));
      found_.list.push_back({RoundingSource::Kind::kValue, value, kGasOfElement * elements});
    };
    for (const ValueId input : graph_.inputs) add_value(input);
    for (const Node& node : graph_.nodes) {
      AddProduct(node);
      add_value(node.result);
    }
    return std::move(found_);
  }

 private:
  void AddProduct(const Node& node) {
    if (!calibration_.values.contains(graph_.values[node.result].name)) return;
    bool rounds = false, has_weights = false;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      rounds |= found_.ReadOn(node, i) != kNoValue;
      has_weights |= AxisOfScales(graph_, node, i).has_value();
    }
    using Kind = RoundingSource::Kind;
    if (rounds && TraitsOf(node.op).multiplies)
      found_.list.push_back({Kind::kOperands, node.result, WorkOf(node)});
    if (has_weights) found_.list.push_back({Kind::kWeights, node.result, WorkOf(node)});
  }

  // Multiplications, as many as there are weights for each place of the result.
  double WorkOf(const Node& node) const {
    const double results = static_cast<double>(NumElements(graph_.values[node.result].type.shape));
    double terms = static_cast<double>(graph_.values[node.operands[0]].type.shape.back());
    if (TraitsOf(node.op).has_weights) {
      double weights = 0;
      for (size_t i = 1; i < node.operands.size(); ++i) {
        if (AxisOfScales(graph_, node, i).has_value())
          weights += static_cast<double>(NumElements(graph_.values[node.operands[i]].type.shape));
      }
      const Shape& shape = graph_.values[node.result].type.shape;
      const bool by_channel = shape.size() > 2 && !IsRecurrent(node);
      terms = weights / static_cast<double>(by_channel ? shape[1] : shape.back());
    }
    return kGasOfProduct * results * (terms + kTermsToFinishSum);
  }

  const Graph& graph_;
  const Calibration& calibration_;
  const std::vector<std::optional<LoweredValue>>& lowered_;
  RoundingSources found_;
};

}  // namespace

RoundingSources SourcesOf(const Graph& graph, const Calibration& calibration,
                          const std::vector<std::optional<LoweredValue>>& lowered,
                          const std::vector<InputFormat>& inputs) {
  return Finder(graph, calibration, lowered, inputs).Run();
}

ValueId RoundingSources::ReadOn(const Node& node, size_t index) const {
  const OpTraits& traits = TraitsOf(node.op);
  const ValueId root = roots[node.operands[index]];
  if (traits.has_weights && traits.multiplies && index > 0) return kNoValue;
  const bool moves = traits.grid == Grid::kOfOperand && index == 0 && roots[node.result] == root;
  return moves ? kNoValue : root;
}

void AddTo(const Graph& graph, const RoundingSources& sources, const RoundingSource& source, Widths& widths) {
  const std::string& name = graph.values[source.value].name;
  switch (source.kind) {
    case RoundingSource::Kind::kValue: widths.values.insert(name); break;
    case RoundingSource::Kind::kWeights: widths.weights.insert(name); break;
    case RoundingSource::Kind::kOperands:
      widths.products.insert(name);
      const Node& node = graph.nodes[graph.values[source.value].producer];
      for (size_t i = 0; i < node.operands.size(); ++i) {
        if (const ValueId root = sources.ReadOn(node, i); root != kNoValue)
          widths.values.insert(graph.values[root].name);
      }
      break;
  }
}

std::optional<int> AxisOfScales(const Graph& graph, const Node& node, size_t index) {
  if (!HasScaledWeights(node)) return std::nullopt;
  const Tensor* constant = ConstantOf(graph, node.operands[index]);
  const auto* floats = constant == nullptr ? nullptr : std::get_if<FloatTensor>(constant);
  if (floats == nullptr || CodesOf(graph, node.operands[index]) != nullptr) return std::nullopt;
  if (std::holds_alternative<MatMul>(node.op))
    return index == 1 && floats->shape.size() == 2 ? std::optional(1) : std::nullopt;
  if (std::holds_alternative<ConvTranspose>(node.op)) return index == 1 ? std::optional(1) : std::nullopt;
  if (IsRecurrent(node)) return index == 1 || index == 2 ? std::optional(1) : std::nullopt;
  return index == 1 ? std::optional(0) : std::nullopt;
}

}  // namespace tally::quant
