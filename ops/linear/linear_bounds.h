// Bounds of sums of products, shared by the operators of the family.
//
//   // y[m, n] = sum over k of x[m, k] * w[k, n]
//   return AddLinearResult(c, shape, {.x = c.interval(0), .channels = N, .terms = K, .term_stride = N}, out);
//
// Behind a constant w the bounds are exact: some x inside its interval reaches each end.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "base/error.h"
#include "base/tensor.h"
#include "ops/infer.h"

namespace tally {

// The layout of the weights: `matrices` blocks of channels * terms elements. Strides are in elements; one of
// the two is 1.
struct LinearTerms {
  WideInterval x;    // per factor of w; holds 0 where padding drops terms
  int weights = 1;   // the operand w
  int64_t zero = 0;  // subtracted from each w
  int64_t matrices = 1;
  int64_t channels = 1;  // sums that differ in their weights
  int64_t terms = 1;     // products of one sum
  int64_t channel_stride = 1;
  int64_t term_stride = 1;
  int bias = -1;  // operand of shape [channels], or -1
};

// The sums of conv2d, dense and convolution: w is [channels, ...], each sum reads one w[channel], operand 2
// is the bias.
LinearTerms WeightedSums(const InferContext& c, const WideInterval& x);

// Sets the accumulator and appends the result of `sums`. O(elements of w) when w is constant, else O(1).
absl::Status AddLinearResult(const InferContext& c, const Shape& shape, const LinearTerms& sums,
                             Inferred* out);

// The sums of the positive and of the negative weights of a channel, and the bounds of what x makes of them.
struct SignedSum {
  Int128 positive = 0;
  Int128 negative = 0;

  void Add(Int128 weight) { (weight > 0 ? positive : negative) += weight; }
  WideInterval Times(const WideInterval& x) const;
};

// The hull of channels, of their results and of every partial sum in any order.
class ChannelHull {
 public:
  // Operand `bias` has an element for each channel; -1 for none.
  ChannelHull(const InferContext& c, int bias);

  // `products` bounds the complete sum of products of a channel and `partial` each part of it; both exclude
  // the bias.
  void Add(int64_t channel, const WideInterval& products, const WideInterval& partial);

  // The same for all channels.
  void AddAll(const WideInterval& products, const WideInterval& partial);

  // Sets the accumulator and appends the result.
  absl::Status Finish(const InferContext& c, const Shape& shape, Inferred* out) const;

 private:
  void Include(const WideInterval& products, const WideInterval& partial, const WideInterval& bias);

  const TensorView* bias_values_ = nullptr;
  WideInterval bias_interval_;
  WideInterval result_, accumulator_;
  bool empty_ = true;
};

// In profile cvm: x and w, operands 0 and 1, have published precisions of at most 8; error `label` otherwise.
absl::Status CheckCvmFactors(const InferContext& c, Label label);

// Error `label` when an element of operand i less `zero` leaves int64_t, which only a constant can.
absl::Status CheckZero(const InferContext& c, int i, int64_t zero, Label label);

}  // namespace tally
