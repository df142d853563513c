#include "quant/lower/pinned_grids.h"

#include <algorithm>

namespace tally::quant {
namespace {

// The requests of one value's readers.
struct Wish {
  bool is_open = true;  // nothing reads it yet
  std::optional<QuantizedType> grid;

  void Add(const std::optional<QuantizedType>& of_reader) {
    if (is_open) {
      grid = of_reader;
    } else if (grid != of_reader) {
      grid.reset();
    }
    is_open = false;
  }
};

// Whether rounding the operand onto the result's grid is rounding the result.
bool PassesGridOn(const Op& op, size_t operand) {
  if (std::holds_alternative<Concat>(op)) return true;
  return TraitsOf(op).grid == Grid::kOfOperand && operand == 0;
}

// Whether OwnGrid of `op` asks for what calibration saw.
bool AsksForRanges(const Op& op) {
  const SeenRanges none;
  return std::visit(
      [&](const auto& row) {
        return requires { row.OwnGrid(none); };
      },
      op);
}

}  // namespace

std::vector<std::optional<QuantizedType>> PinnedGrids(const Graph& graph) {
  std::vector<Wish> wishes(graph.values.size());
  for (const Output& output : graph.outputs) wishes[output.value].Add(std::nullopt);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto* quantize = std::get_if<FakeQuantize>(&node->op);
    for (size_t i = 0; i < node->operands.size(); ++i) {
      std::optional<QuantizedType> wish;
      if (quantize != nullptr) wish = quantize->grid;
      if (PassesGridOn(node->op, i)) wish = wishes[node->result].grid;
      wishes[node->operands[i]].Add(wish);
    }
  }
  std::vector<std::optional<QuantizedType>> grids;
  for (size_t id = 0; id < wishes.size(); ++id) {
    const bool is_float = graph.values[id].type.element == ElementType::kFloat32;
    grids.push_back(is_float ? wishes[id].grid : std::nullopt);
  }
  return grids;
}

std::optional<QuantizedType> GridOfCodes(const Graph& graph, ValueId constant) {
  const ConstantCodes* codes = CodesOf(graph, constant);
  if (codes == nullptr || codes->scales.size() != 1) return std::nullopt;
  const auto [lo, hi] = std::ranges::minmax(codes->codes);
  return QuantizedType{codes->scales[0], 0, {lo, hi}, Rounding::kHalfEven};
}

std::vector<ValueId> ValuesToCalibrate(const Graph& graph, const std::vector<InputFormat>& inputs) {
  const std::vector<std::optional<QuantizedType>> pinned = PinnedGrids(graph);
  const std::vector<Fusion> fusions = FuseActivations(graph);
  std::vector<bool> is_asked(graph.values.size(), false);
  const auto ask = [&](ValueId id) { is_asked[id] = ConstantOf(graph, id) == nullptr; };
  for (const ValueId id : graph.inputs) {
    const Value& input = graph.values[id];
    const bool has_format = std::ranges::find(inputs, input.name, &InputFormat::name) != inputs.end();
    if (!has_format && !input.interval.has_value() && !pinned[id].has_value()) ask(id);
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const ValueId output = fusions[n].output;
    if (fusions[n].absorbed || graph.values[output].type.element != ElementType::kFloat32) continue;
    if (TraitsOf(node.op).grid == Grid::kCalibrated && !pinned[output].has_value()) ask(output);
    if (!AsksForRanges(node.op)) continue;
    for (const ValueId operand : node.operands) ask(operand);
    ask(node.result);
  }
  std::vector<ValueId> asked;
  for (size_t id = 0; id < is_asked.size(); ++id) {
    if (is_asked[id]) asked.push_back(static_cast<ValueId>(id));
  }
  return asked;
}

}  // namespace tally::quant
