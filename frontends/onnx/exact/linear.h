// Shared by the plain and the quantized forms of convolutions and products.
#pragma once

#include <limits>

#include "absl/status/statusor.h"
#include "frontends/onnx/exact/node.h"

namespace tally::onnx {

// Which inputs of a node take which part; one that the node has not is 0.
struct ProductInputs {
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  size_t a = 0;
  size_t b = 1;  // the weights of a convolution
  size_t zero_a = kNone;
  size_t zero_b = kNone;
  size_t bias = kNone;
};

// The convolution of the node, in the scale of the products and of the type of a.
absl::StatusOr<ExactValue> Convolve(ExactNode& node, const ProductInputs& inputs);

// The product of matrices of integers.
absl::StatusOr<ExactValue> MultiplyIntegers(ExactNode& node, const ProductInputs& inputs);

}  // namespace tally::onnx
