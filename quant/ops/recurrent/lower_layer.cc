#include "quant/ops/recurrent/lower_layer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "quant/labels.h"

namespace tally::quant::recurrent {
namespace {

constexpr int64_t kEntries = 2 * kState;  // a table's: every value of 16 bits

// How many bits below the point leave room for |x| <= bound in 16 bits.
int PointBits(double bound) {
  int exponent = 0;
  const double mantissa = std::frexp(std::max(bound, 0x1p-20), &exponent);
  return kBits - (mantissa == 0.5 ? exponent - 1 : exponent);
}

double MagnitudeOf(const Bounds& bounds) { return std::max(std::abs(bounds.low), std::abs(bounds.high)); }

double Largest(const std::vector<double>& list) {
  double most = 0;
  for (const double v : list) most = std::max(most, std::abs(v));
  return most;
}

// The larger of `bound` and the magnitude of operand `index`, where it is there.
double WithOperand(double bound, const SeenRanges& seen, size_t index) {
  return index < seen.operands.size() ? std::max(bound, MagnitudeOf(seen.operands[index])) : bound;
}

}  // namespace

// 2^15 is not a value of 16 bits, so that 1 becomes 1 - 2^-15.
QuantizedType StateGrid(double bound) {
  return {std::ldexp(1.0, -std::clamp(PointBits(bound), 0, 2 * kBits)), 0, {-kState + 1, kState - 1}};
}

QuantizedType BoundedStateGrid(const SeenRanges& seen, size_t first) {
  return StateGrid(WithOperand(1, seen, first));
}

// They are sums along sequences: twice what calibration saw has room.
QuantizedType CellGrid(const SeenRanges& seen, size_t first) {
  const double bound = WithOperand(2 * MagnitudeOf(seen.inner), seen, first);
  return {std::ldexp(1.0, -std::clamp(PointBits(bound), 0, kBits)), 0, {-kState, kState - 1}};
}

int BitsOf(const QuantizedType& grid) { return -std::ilogb(grid.scale); }

RecipeScale GateStep(Activation activation) {
  switch (activation) {
    case Activation::kSigmoid: return {3, 13};      // to 12
    case Activation::kTanh: return {3, 14};         // to 6
    case Activation::kHardSigmoid: return {3, 15};  // to 3; it ends at 2.5
    case Activation::kRelu: break;                  // has no bound
  }
  return {1, 0};
}

double RealOf(const RecipeScale& scale) {
  return std::ldexp(static_cast<double>(scale.multiplier), static_cast<int>(-scale.shift));
}

LoweredResult Table(Lowering& lowering, Activation activation, const RecipeScale& in, int bits,
                    int64_t limit) {
  Recipe recipe{.in = in, .out = {1, bits}, .first = -kState, .count = kEntries, .lo = -limit, .hi = limit};
  switch (activation) {
    case Activation::kSigmoid: recipe.function = RecipeFunction::kSigmoid; break;
    case Activation::kTanh: recipe.function = RecipeFunction::kTanh; break;
    case Activation::kHardSigmoid:
      recipe.function = RecipeFunction::kHardSigmoid;
      recipe.alpha = {1, 5};
      recipe.beta = {1, 2};
      break;
    case Activation::kRelu: recipe.function = RecipeFunction::kThreshold; break;
  }
  return lowering.builder().Constant(recipe);
}

absl::StatusOr<Layer> LowerLayer(Lowering& lowering, const Node& node, const std::vector<double>& steps,
                                 double state_scale, const Addends* addends, int free_bits) {
  ASSIGN_OR_RETURN(const Lowered x, lowering.Operand(node, 0));
  const FloatTensor &w = lowering.WeightOperand(node, 1), &r = lowering.WeightOperand(node, 2),
                    &bias = lowering.WeightOperand(node, 3);
  const size_t rows = static_cast<size_t>(w.shape[0] * w.shape[1]), units = static_cast<size_t>(r.shape[2]);
  // Its sums have 64 bits in any case.
  const int bits = lowering.WeightBits(node, w, 1, 1);
  const double largest_code = static_cast<double>(ChooseSymmetric(0, bits).interval.hi);
  const QuantizedWeights wx = QuantizeWeights({{w.shape[0] * w.shape[1], w.shape[2]}, w.data}, 0, {}, bits);
  const QuantizedWeights rh = QuantizeWeights({{r.shape[0] * r.shape[1], r.shape[2]}, r.data}, 0, {}, bits);
  std::vector<double> m_x, m_h, b, more;
  for (size_t row = 0; row < rows; ++row) {
    const double step = steps[row / units % steps.size()];
    m_x.push_back(wx.scales[row] * x.type.scale / step);
    m_h.push_back(rh.scales[row] * state_scale / step);
    b.push_back(bias.data[row] / step);
  }
  for (size_t i = 0; addends != nullptr && i < addends->weights->data.size(); ++i) {
    const size_t gates = static_cast<size_t>(addends->weights->shape[1]) / units;
    const double step = steps[addends->first_gate + i / units % gates];
    more.push_back(addends->weights->data[i] * addends->step / step);
  }

  // The largest shift for which a gate can be rounded, with a bit to spare: its sums, of which that of x has
  // the zero point in the bias.
  const double reach = static_cast<double>(
      std::max(x.type.interval.Magnitude(), Minus(x.type.interval, x.type.zero_point).Magnitude()));
  const double wx_sum = 3 * static_cast<double>(w.shape[2]) * largest_code * reach;
  const double rh_sum = static_cast<double>(units) * largest_code * kState;
  const double gate = wx_sum * Largest(m_x) + rh_sum * Largest(m_h) + Largest(b) +
                      (addends == nullptr ? 0 : addends->reach * Largest(more));
  Layer layer;
  layer.shift = 60 - free_bits;
  while (layer.shift >= 0 && !(std::ldexp(gate, layer.shift + free_bits) < 0x1p61)) --layer.shift;
  if (layer.shift < 0 || wx_sum + rh_sum >= std::ldexp(1, 60 - free_bits)) {
    return MakeError(label::lower_gain, "its weights or its operand are too large for its gates");
  }

  const auto integers = [&](const std::vector<double>& list) {
    std::vector<int64_t> codes;
    for (const double v : list) codes.push_back(std::llround(std::ldexp(v, layer.shift)));
    return codes;
  };
  const std::vector<int64_t> multipliers = integers(m_x);
  std::vector<int64_t> biases = integers(b);
  for (size_t row = 0; row < rows; ++row) {
    biases[row] -= x.type.zero_point * wx.code_sums[row] * multipliers[row];
  }
  const Shape of_rows = {w.shape[0], w.shape[1]};
  layer.operands = {x.id};
  const std::pair<Shape, std::vector<int64_t>> constants[] = {{w.shape, wx.codes},
                                                              {r.shape, rh.codes},
                                                              {of_rows, multipliers},
                                                              {of_rows, integers(m_h)},
                                                              {of_rows, biases}};
  for (const auto& [shape, codes] : constants) {
    ASSIGN_OR_RETURN(const tally::ValueId id, lowering.IntegerConstant(shape, codes));
    layer.operands.push_back(id);
  }
  if (addends != nullptr) {
    ASSIGN_OR_RETURN(layer.addends, lowering.IntegerConstant(addends->weights->shape, integers(more)));
  }
  return layer;
}

absl::Status AddOptional(Lowering& lowering, const Node& node, const Sequences& sequences, size_t first,
                         const std::vector<QuantizedType>& grids, Layer& layer, RnnAttrs& attrs) {
  attrs.direction = sequences.direction;
  attrs.shift = layer.shift;
  attrs.initial_state = node.operands.size() > first;
  attrs.lengths = !sequences.lengths.empty();
  for (size_t i = 0; attrs.initial_state && i < grids.size(); ++i) {
    ASSIGN_OR_RETURN(const Lowered state, lowering.Operand(node, first + i));
    ASSIGN_OR_RETURN(const tally::ValueId id, lowering.OnGrid(state, grids[i]));
    layer.operands.push_back(id);
  }
  if (attrs.lengths) {
    ASSIGN_OR_RETURN(const tally::ValueId lengths, lowering.VectorConstant(sequences.lengths));
    layer.operands.push_back(lengths);
  }
  return absl::OkStatus();
}

}  // namespace tally::quant::recurrent
