// The parts of integer code that the recurrent layers share.
//
// Gates, states and cells have 16 bits. States and cells are on grids whose steps are powers of two, 2^-15
// for a state within [-1, 1]; gates reach as far as their function is not flat. A gate is rounded once; each
// row of W and of R has a scale of its own, which the gate's multipliers take in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/table/recipe/recipe.h"
#include "quant/lower/lowering.h"
#include "quant/ops/recurrent/recurrent_ops.h"

namespace tally::quant::recurrent {

constexpr int kBits = 15;  // for states and for what tables give, below their point

// States that are within +-bound, and those between -1 and 1 but for initial ones, which are operand `first`,
// where it is there.
QuantizedType StateGrid(double bound);
QuantizedType BoundedStateGrid(const SeenRanges& seen, size_t first);

// The grid of an Lstm's cells, whose initial ones are operand `first`.
QuantizedType CellGrid(const SeenRanges& seen, size_t first);

// How many bits such a grid has below the point.
int BitsOf(const QuantizedType& grid);

// The step of a gate: to its ends, its activation, which has a bound, has come within half a step of where it
// goes.
RecipeScale GateStep(Activation activation);
double RealOf(const RecipeScale& scale);

// The activation of gates in steps of `in`, with `bits` below its point and within +-limit.
LoweredResult Table(Lowering& lowering, Activation activation, const RecipeScale& in, int bits,
                    int64_t limit);

// Further weights of gates, [D, n H] of n gates in turn: they multiply what is within +-reach and has this
// step.
struct Addends {
  const FloatTensor* weights;
  size_t first_gate;
  double step;
  double reach;
};

struct Layer {
  std::vector<tally::ValueId> operands;  // x, W, R, m_x, m_h, b
  int shift = 0;
  std::optional<tally::ValueId> addends;
};

// The integer form of the operands that all layers have, x, W, R and bias, for gates of these steps and a
// state of this scale, and of `addends`, where there are some. `free_bits` of the 63 of a gate before its
// shift stay free. Errors: lower_gain.
absl::StatusOr<Layer> LowerLayer(Lowering& lowering, const Node& node, const std::vector<double>& steps,
                                 double state_scale, const Addends* addends = nullptr, int free_bits = 0);

// Adds the initial states, which are the operands from `first` on, each on its grid, and the lengths.
absl::Status AddOptional(Lowering& lowering, const Node& node, const Sequences& sequences, size_t first,
                         const std::vector<QuantizedType>& grids, Layer& layer, RnnAttrs& attrs);

}  // namespace tally::quant::recurrent
