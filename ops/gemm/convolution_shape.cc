#include "ops/gemm/convolution_shape.h"

#include <vector>

namespace tally {

ConvolutionShape ShapeOfConvolution(const Shape& x, const Shape& w, const Shape& y,
                                    const ConvolutionAttrs& attrs) {
  ConvolutionShape s;
  s.batch = x[0];
  s.channels = x[1];
  s.out_channels = y[1];
  s.groups = attrs.groups;
  const int axes = x.rank() - 2;
  for (int i = 0; i < axes; ++i) {
    const int to = 3 - axes + i;
    s.size[to] = x[2 + i];
    s.kernel[to] = w[2 + i];
    s.stride[to] = attrs.stride[i];
    s.dilation[to] = attrs.dilation[i];
    s.pad_begin[to] = attrs.pad_begin[i];
    s.out[to] = y[2 + i];
  }
  return s;
}

ConvolutionShape ShapeOfConvTranspose(const Shape& x, const Shape& w, const Shape& y,
                                      const ConvTransposeAttrs& attrs) {
  const int64_t axes = x.rank() - 2;
  const std::vector<int64_t> ones(axes, 1);
  ConvolutionShape s = ShapeOfConvolution(x, w, y,
                                          {.stride = ones,
                                           .dilation = attrs.dilation,
                                           .pad_begin = attrs.pad_begin,
                                           .pad_end = attrs.pad_end,
                                           .groups = attrs.groups});
  for (int64_t i = 0; i < axes; ++i) {
    const int64_t to = 3 - axes + i;
    s.input_dilation[to] = attrs.stride[i];
    s.pad_begin[to] = s.dilation[to] * (s.kernel[to] - 1) - attrs.pad_begin[i];
  }
  return s;
}

}  // namespace tally
