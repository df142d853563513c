// Where a network loses accuracy to 8 bits that 16 would keep, or to 16 that 31 would, one place at a time.
//
//   const RoundingSources sources = SourcesOf(graph, calibration, lowered.values, options.inputs);
//   sources.list[3];                                                // the weights of 'conv2'
//   AddTo(graph, sources, sources.list[3], calibration.widths);     // and their rounding is gone
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/calibrate/calibration.h"
#include "quant/graph/graph.h"
#include "quant/lower/lower.h"
#include "quant/lower/wide_values.h"

namespace tally::quant {

struct RoundingSource {
  enum class Kind {
    kValue,     // a value's grid, as all but products read it
    kOperands,  // the grids on which the product with result `value` reads what it multiplies
    kWeights,   // the grid of that product's weights
  };
  Kind kind;
  ValueId value;
  // The extra computation with more bits, in units of gas: roughly the time that 16 bits take on top.
  double work;
};

struct RoundingSources {
  std::vector<RoundingSource> list;  // in the order of the graph
  // By value of the graph: the value whose codes it has, as it is that or merely moved out of it; kNoValue
  // where it is on no grid that can be wider.
  std::vector<ValueId> roots;

  // The grid on which a node other than a product (kValue), or a product (kOperands), reads an operand.
  ValueId ReadOn(const Node& node, size_t index) const;
};

// `lowered`: by value of the graph, as LowerGraph has made them of `calibration`.
RoundingSources SourcesOf(const Graph& graph, const Calibration& calibration,
                          const std::vector<std::optional<LoweredValue>>& lowered,
                          const std::vector<InputFormat>& inputs);

// Lets what `source` names take 16 bits.
void AddTo(const Graph& graph, const RoundingSources& sources, const RoundingSource& source, Widths& widths);

// The axis of the scales of a weight that is rounded when it is lowered, which operand `index` of `node` is;
// nothing of others.
std::optional<int> AxisOfScales(const Graph& graph, const Node& node, size_t index);

}  // namespace tally::quant
