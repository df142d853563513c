#include "bench/models/lstm.h"

#include <array>
#include <cmath>

#include "bench/models/layer_writer.h"
#include "bench/models/moments.h"
#include "ops/recurrent/attrs.h"

namespace tally::bench {
namespace {

constexpr int kGateBits = 12;         // gates in Q3.12
constexpr int kShift = 34;            // leaves multipliers of x 31 bits
constexpr double kGateDeviation = 1;  // for the sum of both parts
constexpr double kStateRms = 0.3 * kState;

// 65,536 entries in Q0.15, one for every gate.
Recipe GateTable(RecipeFunction function, int64_t lo) {
  Recipe recipe{.function = function, .first = -kState, .count = 2 * kState, .lo = lo, .hi = kState - 1};
  recipe.in = {.multiplier = 1, .shift = kGateBits};
  recipe.out = {.multiplier = 1, .shift = 15};
  return recipe;
}

// The multipliers that give sums over `terms` products half of a gate's variance.
std::vector<int64_t> Multipliers(int64_t count, int64_t terms, double rms, RandomSource& random) {
  const double spread = kWeightDeviation * rms * std::sqrt(static_cast<double>(terms));
  const double gain = kGateDeviation * std::sqrt(0.5) * (1 << kGateBits) / spread;
  std::vector<int64_t> multipliers;
  for (int64_t i = 0; i < count; ++i) {
    const double limit = std::ldexp(1.0, 31) - 1;
    multipliers.push_back(std::llround(std::min(std::ldexp(gain * Spread(random), kShift), limit)));
  }
  return multipliers;
}

}  // namespace

LstmLayer BuildLstm(const ModelOptions& options) {
  const int64_t steps = options.Scaled(32, 3), inputs = options.Scaled(256, 4),
                units = options.Scaled(512, 4), gates = 4 * units;
  RandomSource random(512);
  ModuleBuilder b(Profile::kCore);
  const auto row = [&](const std::vector<int64_t>& values) {
    return b.Constant(Tensor::FromValues(Shape::Create({1, gates}).value(), values).value());
  };
  const ValueId x = b.Param("x", TypeOf({steps, options.batch, inputs}, {-128, 127}));
  const ValueId w = WriteWeights(b, std::array<int64_t, 3>{1, gates, inputs}, random.Weights(gates * inputs));
  const ValueId r = WriteWeights(b, std::array<int64_t, 3>{1, gates, units}, random.Weights(gates * units));
  const ValueId m_x = row(Multipliers(gates, inputs, kInputRms, random));
  const ValueId m_h = row(Multipliers(gates, units, kStateRms, random));
  std::vector<int64_t> biases(static_cast<size_t>(gates), 0);
  for (int64_t j = 2 * units; j < 3 * units; ++j) {  // cells remember unless told otherwise
    biases[static_cast<size_t>(j)] = int64_t{1} << (kGateBits + kShift);
  }
  const ValueId sigmoid = b.Constant(GateTable(RecipeFunction::kSigmoid, 0)).value();
  const ValueId tanh = b.Constant(GateTable(RecipeFunction::kTanh, 1 - kState)).value();
  LstmAttrs attrs;
  attrs.shift = kShift;
  attrs.cell_bits = kGateBits;
  const ValueId y = b.Op(Opcode::kLstm, {x, w, r, m_x, m_h, row(biases), sigmoid, tanh, tanh}, attrs);
  b.Result("y", y);
  b.Result("h", y + 1);
  b.Result("c", y + 2);
  return {std::move(b).Build(), steps * options.batch * gates * (inputs + units)};
}

}  // namespace tally::bench
