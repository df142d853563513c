// Lists of sizes that a layer computes of the shapes of its inputs, as pnnx writes them.
//
//   ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, EvaluateSizes("*(0w,2),0h,-1", blobs));
//
// Names come before what they apply to: 0w is the width of input 0, 1c the channels of input 1. Numbers are
// integers, or where a point, a quotient or a function makes them so, floats; sizes are their whole parts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/tensor/tensor.h"

namespace tally::ncnn {

// `blobs` are the dimensions of the inputs, the innermost last. Errors: model_malformed; functions beside the
// arithmetic of sizes are refused by name, model_unsupported_attribute.
absl::StatusOr<std::vector<int64_t>> EvaluateSizes(std::string_view text,
                                                   const std::vector<quant::Shape>& blobs);

}  // namespace tally::ncnn
