// FakeQuantize: the grids that a network was trained or calibrated for, which the quantizer keeps.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/openvino/operators.h"

namespace tally::openvino {
namespace {

using quant::FloatTensor;
using quant::Shape;

// A constant broadcast to `shape`.
absl::StatusOr<std::vector<float>> Spread(IrNode& node, size_t index, const Shape& shape) {
  ASSIGN_OR_RETURN(const FloatTensor* given, node.FloatConstant(index));
  const std::vector<float> data = given->data;
  const Shape from = given->shape;
  ASSIGN_OR_RETURN(const Shape both, quant::Broadcast(from, shape));
  if (both != shape)
    return MakeError(label::model_shape, absl::StrCat("input ", index, " does not broadcast to x"));
  RETURN_IF_ERROR(node.Charge(quant::NumElements(shape)));
  std::vector<float> spread;
  Shape at(shape.size(), 0);
  for (int64_t n = quant::NumElements(shape); n > 0; --n) {
    size_t place = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      const size_t axis = shape.size() - from.size() + i;
      place = place * static_cast<size_t>(from[i]) + static_cast<size_t>(from[i] == 1 ? 0 : at[axis]);
    }
    spread.push_back(data[place]);
    for (size_t i = at.size(); i-- > 0 && ++at[i] == shape[i];) at[i] = 0;
  }
  return spread;
}

// Its formula, on a constant.
absl::Status FinishConstant(IrNode& node, const FloatTensor& x, int64_t levels) {
  const FloatTensor copy = x;
  ASSIGN_OR_RETURN(const auto in_low, Spread(node, 1, copy.shape));
  ASSIGN_OR_RETURN(const auto in_high, Spread(node, 2, copy.shape));
  ASSIGN_OR_RETURN(const auto out_low, Spread(node, 3, copy.shape));
  ASSIGN_OR_RETURN(const auto out_high, Spread(node, 4, copy.shape));
  FloatTensor y{copy.shape, {}};
  const auto steps = static_cast<double>(levels - 1);
  for (size_t i = 0; i < copy.data.size(); ++i) {
    const double il = in_low[i], ih = in_high[i], ol = out_low[i], oh = out_high[i], v = copy.data[i];
    double result = v <= std::min(il, ih) ? ol : oh;
    if (v > std::min(il, ih) && v <= std::max(il, ih)) {
      result = std::nearbyint((v - il) / (ih - il) * steps) / steps * (oh - ol) + ol;
    }
    y.data.push_back(static_cast<float>(result));
  }
  return node.FinishAsConstant(std::move(y));
}

}  // namespace

// A value that is computed has one grid, which has 0.
absl::Status ImportFakeQuantize(IrNode& node) {
  RETURN_IF_ERROR(node.CheckInputCount(5, 5));
  ASSIGN_OR_RETURN(const Operand x, node.Input(0));
  ASSIGN_OR_RETURN(const int64_t levels, node.Int("levels"));
  RETURN_IF_ERROR(node.Word("auto_broadcast", "numpy").status());
  if (levels < 2 || levels > 65536) return Malformed("levels is out of range");
  if (x.is_constant()) {
    ASSIGN_OR_RETURN(const FloatTensor* constant, node.FloatConstant(0));
    return FinishConstant(node, *constant, levels);
  }
  double bounds[4];
  for (size_t i = 0; i < 4; ++i) {
    const auto number = node.NumberConstant(i + 1);
    if (!number.ok()) return Unsupported("a grid for each channel of what is computed");
    bounds[i] = *number;
  }
  if (bounds[0] != bounds[2] || bounds[1] != bounds[3])
    return Unsupported("a grid of other values than it reads");
  if (!(bounds[0] < bounds[1])) return Malformed("its range is empty");
  const float step = static_cast<float>((bounds[1] - bounds[0]) / static_cast<double>(levels - 1));
  const double zero = -bounds[0] / step;
  if (!(step > 0) || std::abs(zero - std::nearbyint(zero)) > 0.01 || zero < -0.01 ||
      zero > static_cast<double>(levels) - 0.99)
    return Unsupported("a grid that does not have 0");
  const int64_t half = levels / 2, point = static_cast<int64_t>(std::nearbyint(zero));
  const quant::QuantizedType grid = {step, point - half, {-half, levels - 1 - half}, Rounding::kHalfEven};
  return node.Finish(quant::FakeQuantize{grid}, {x});
}

}  // namespace tally::openvino
