// Bounds of sums of products, shared by conv2d, dense and matmul.
//
//   // y[m, n] = sum over k of x[m, k] * w[k, n]
//   return AddLinearResult(c, shape, {.x = c.interval(0), .channels = N, .terms = K, .term_stride = N}, out);
//
// Behind a constant w the bounds are exact: some x inside its interval reaches each end.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "ops/infer.h"

namespace tally {

// The layout of the weights, operand 1: `matrices` blocks of channels * terms elements. Strides are in
// elements; one of the two is 1.
struct LinearSums {
  Interval x;  // of each factor of w; holds 0 where padding drops terms
  int64_t matrices = 1;
  int64_t channels = 1;  // sums that differ in their weights
  int64_t terms = 1;     // products of one sum
  int64_t channel_stride = 1;
  int64_t term_stride = 1;
  int bias = -1;  // operand of shape [channels], or -1
};

// The sums of conv2d and dense: w is [channels, ...], each sum reads one w[channel], operand 2 is the bias.
LinearSums WeightedSums(const InferContext& c, const Interval& x);

// Sets the accumulator and appends the result of `sums`. O(elements of w) when w is constant, else O(1).
absl::Status AddLinearResult(const InferContext& c, const Shape& shape, const LinearSums& sums,
                             Inferred* out);

// In profile cvm: x and w, operands 0 and 1, have published precisions of at most 8; error `label` otherwise.
absl::Status CheckCvmFactors(const InferContext& c, std::string_view label);

}  // namespace tally
