// ncnn's codes of 8 bits between layers: what they stand for stays floats here, on the grid of the codes.
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/operators.h"

namespace tally::ncnn {

// code = round(x * scale), ties away from zero, within 127.
absl::Status ImportQuantize(NcnnLayer& layer) {
  ASSIGN_OR_RETURN(const Operand x, layer.OnlyInput());
  ASSIGN_OR_RETURN(const int64_t count, layer.Int(0, 1));
  ASSIGN_OR_RETURN(const std::vector<float> scales, layer.weights().Raw(count));
  if (std::ranges::any_of(scales, [&](float s) { return s != scales[0]; })) {
    return MakeError(label::model_unsupported_attribute, "a scale for each channel of what is computed");
  }
  if (scales.empty() || !(scales[0] > 0)) return MakeError(label::model_malformed, "a scale is not positive");
  const quant::QuantizedType grid = {static_cast<double>(1 / scales[0]), 0, {-127, 127}, Rounding::kHalfAway};
  return layer.Finish(quant::FakeQuantize{grid}, {x});
}

namespace {

absl::Status RefuseSums() {
  return MakeError(
      label::model_unsupported_operator,
      "it reads sums of 32 bits, which ncnn's engine passes on within itself: save the model before ncnn "
      "optimizes it");
}

}  // namespace

absl::Status RefuseDequantize(NcnnLayer&) { return RefuseSums(); }
absl::Status RefuseRequantize(NcnnLayer&) { return RefuseSums(); }

}  // namespace tally::ncnn
