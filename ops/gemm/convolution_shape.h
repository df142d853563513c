// The shape of a convolution, or of a transposed one, in three spatial axes: the same for every engine.
#pragma once

#include <array>
#include <cstdint>

#include "ops/linear/attrs.h"
#include "ops/tensor_type.h"

namespace tally {

// A convolution in three spatial axes; missing ones, in front, have one position.
struct ConvolutionShape {
  int64_t batch = 1;
  int64_t channels = 1;      // x's
  int64_t out_channels = 1;  // y's
  int64_t groups = 1;
  std::array<int64_t, 3> size = {1, 1, 1};  // x's
  std::array<int64_t, 3> kernel = {1, 1, 1};
  std::array<int64_t, 3> stride = {1, 1, 1};
  std::array<int64_t, 3> dilation = {1, 1, 1};
  std::array<int64_t, 3> pad_begin = {0, 0, 0};  // negative where a transposed convolution cuts its result
  std::array<int64_t, 3> out = {1, 1, 1};        // y's
  // Elements of x are that far apart, with zero points between them: a transposed convolution is a
  // convolution over such an x, its kernel flipped.
  std::array<int64_t, 3> input_dilation = {1, 1, 1};

  int64_t group_channels() const { return channels / groups; }
  int64_t group_out_channels() const { return out_channels / groups; }
  int64_t rows() const { return batch * out[0] * out[1] * out[2]; }  // the pixels of y
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  // Positions of axis i that results read, padding included.
  int64_t padded_size(int i) const { return (out[i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1; }
};

// x [N, C, spatial..], w [OC, C / groups, kernel..], y [N, OC, spatial..] of a valid convolution.
ConvolutionShape ShapeOfConvolution(const Shape& x, const Shape& w, const Shape& y,
                                    const ConvolutionAttrs& attrs);

// x [N, C, spatial..], w [C, OC / groups, kernel..], y [N, OC, spatial..]. Tap t of the convolution is tap
// taps() - 1 - t of w.
ConvolutionShape ShapeOfConvTranspose(const Shape& x, const Shape& w, const Shape& y,
                                      const ConvTransposeAttrs& attrs);

}  // namespace tally
