// ncnn's codes of 8 bits, which keep the grids of the file: weights by channel, activations within 127.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/ncnn/ncnn_layer.h"

namespace tally::ncnn {

// The scales by which codes are made of what they stand for: code = round(real * scale).
struct CodeScales {
  std::vector<float> weights;  // one for each group of channels
  std::optional<float> input, output;
};

// The next weights of the file: `count` scales of weights, that of the input, and where `term`
// (int8_scale_term) is above 100 that of the result. Errors: model_malformed.
absl::StatusOr<CodeScales> ReadScales(NcnnLayer& layer, int64_t term, int64_t count);

// Weights [channels, ..] as their codes; floats become codes first, as in ncnn. `scales` has one for each
// group of channels, and a scale of 0 is one of 1.
absl::StatusOr<Operand> CodedWeight(NcnnLayer& layer, const Weights& weights, const quant::Shape& shape,
                                    const std::vector<float>& scales);

// Weights [channels, ..] of a layer whose int8_scale_term is `term`: where it is not 0 the next `count`
// weights of the file are their scales, and weights are their codes, each for one input of its own grid.
absl::StatusOr<Operand> ScaledWeight(NcnnLayer& layer, const Weights& weights, const quant::Shape& shape,
                                     int64_t term, int64_t count);

// x on the grid of codes within 127 whose scale is `scale`, rounded half away from 0. Errors:
// model_malformed.
absl::StatusOr<Operand> OnCodes(NcnnLayer& layer, const Operand& x, float scale, std::string_view step);

}  // namespace tally::ncnn
