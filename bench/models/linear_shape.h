// The sizes of one convolution or matrix product: what a peer that has only these needs to know of a network.
#pragma once

#include <cstdint>

namespace tally::bench {

// x [N, C, H, W], square kernels.
struct ConvShape {
  int64_t batch = 1;
  int64_t in_channels = 1, out_channels = 1;
  int64_t height = 1, width = 1;
  int64_t kernel = 1, stride = 1, pad = 0;
  int64_t groups = 1;

  int64_t out_height() const { return (height + 2 * pad - kernel) / stride + 1; }
  int64_t out_width() const { return (width + 2 * pad - kernel) / stride + 1; }
  int64_t in_channels_of_group() const { return in_channels / groups; }
  int64_t taps() const { return in_channels_of_group() * kernel * kernel; }  // one output's
  int64_t multiply_accumulates() const { return batch * out_channels * out_height() * out_width() * taps(); }

  friend bool operator==(const ConvShape&, const ConvShape&) = default;
};

// a [batch, M, K] times b [batch, K, N].
struct MatmulShape {
  int64_t batch = 1, m = 1, k = 1, n = 1;
  bool constant_b = true;  // weights, packed beforehand

  int64_t multiply_accumulates() const { return batch * m * k * n; }
};

}  // namespace tally::bench
