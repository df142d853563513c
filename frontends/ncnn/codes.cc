#include "frontends/ncnn/codes.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/labels.h"

namespace tally::ncnn {

absl::StatusOr<CodeScales> ReadScales(NcnnLayer& layer, int64_t term, int64_t count) {
  CodeScales scales;
  ASSIGN_OR_RETURN(scales.weights, layer.weights().Raw(count));
  ASSIGN_OR_RETURN(const std::vector<float> input, layer.weights().Raw(1));
  scales.input = input[0];
  if (term > 100) {
    ASSIGN_OR_RETURN(const std::vector<float> output, layer.weights().Raw(1));
    scales.output = output[0];
  }
  for (const float scale : scales.weights) {
    if (!(scale >= 0)) return MakeError(label::model_malformed, "a scale of weights is negative");
  }
  return scales;
}

absl::StatusOr<Operand> CodedWeight(NcnnLayer& layer, const Weights& weights, const quant::Shape& shape,
                                    const std::vector<float>& scales) {
  const int64_t channels = shape[0], of_channel = quant::NumElements(shape) / channels;
  quant::ConstantCodes codes = {.axis = 0};
  quant::FloatTensor reals{shape, {}};
  for (int64_t c = 0; c < channels; ++c) {
    const float scale = scales[static_cast<size_t>(c * std::ssize(scales) / channels)];
    const double step = scale > 0 ? 1.0f / scale : 1.0f;
    codes.scales.push_back(step);
    for (int64_t i = c * of_channel; i < (c + 1) * of_channel; ++i) {
      const int64_t code =
          weights.codes.empty()
              ? std::llround(
                    std::clamp(std::round(static_cast<double>(weights.floats[i]) * scale), -127.0, 127.0))
              : weights.codes[i];
      codes.codes.push_back(code);
      reals.data.push_back(static_cast<float>(static_cast<double>(code) * step));
    }
  }
  ASSIGN_OR_RETURN(Operand weight, layer.NewConstant(std::move(reals), "weight"));
  weight.constant_codes = std::make_shared<const quant::ConstantCodes>(std::move(codes));
  return weight;
}

absl::StatusOr<Operand> ScaledWeight(NcnnLayer& layer, const Weights& weights, const quant::Shape& shape,
                                     int64_t term, int64_t count) {
  if (term == 0) {
    if (!weights.codes.empty()) return Malformed("its weights are codes without scales");
    return layer.NewConstant(quant::FloatTensor{shape, weights.floats}, "weight");
  }
  ASSIGN_OR_RETURN(const std::vector<float> scales, layer.weights().Raw(count));
  if (std::ranges::any_of(scales, [](float scale) { return !(scale >= 0); }))
    return Malformed("a scale of weights is negative");
  return CodedWeight(layer, weights, shape, scales);
}

absl::StatusOr<Operand> OnCodes(NcnnLayer& layer, const Operand& x, float scale, std::string_view step) {
  if (!(scale > 0)) return MakeError(label::model_malformed, "a scale of codes is not positive");
  const quant::QuantizedType grid = {static_cast<double>(1.0f / scale), 0, {-127, 127}, Rounding::kHalfAway};
  return layer.Emit(quant::FakeQuantize{grid}, {x}, step);
}

}  // namespace tally::ncnn
