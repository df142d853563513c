// Sums of products: the ONNX operators that compute them exactly, the fastest first.
#pragma once

#include <vector>

#include "frontends/onnx/export/graph_writer.h"

namespace tally::onnx {

// Whether all of `interval` is below 2^24, where float32 has every integer.
constexpr bool IsExactInFloat(const Interval& interval) { return interval.Magnitude() < uint64_t{1} << 24; }

// x [N, C, ..] by w [OC, C / groups, ..], their zero points taken off; what is in the padding is 0. Lists
// have an entry for each spatial axis.
struct ConvolutionForm {
  Wire x, w;
  std::vector<int64_t> stride, dilation, pad_begin, pad_end;
  int64_t groups = 1;
  int64_t zero_x = 0, zero_w = 0;
  Interval sums;  // bounds all partial sums, in any order
};

// ConvInteger where both fit bytes, Conv in float32 where no partial sum reaches 2^24, else a MatMul in
// int64 of gathered windows.
Wire Convolve(GraphWriter& g, const ConvolutionForm& form);

// a [.., M, K] by b [.., K, N]: MatMulInteger where both fit bytes, else MatMul in int64.
struct ProductForm {
  Wire a, b;
  int64_t zero_a = 0, zero_b = 0;
  Interval sums;
};
Wire Multiply(GraphWriter& g, const ProductForm& form);

}  // namespace tally::onnx
