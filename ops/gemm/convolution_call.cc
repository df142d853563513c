#include "ops/gemm/convolution_call.h"

namespace tally {

ConvolutionCall::ConvolutionCall(Opcode op, const Attributes& attributes, const Shape& x, const Shape& w,
                                 const Shape& y) {
  const auto set = [&](const auto& attrs, const ConvolutionShape& of_sum) {
    shape = of_sum;
    zero_x = attrs.zero_x;
    zero_w = attrs.zero_w;
  };
  transposed = op == Opcode::kConvTranspose;
  if (transposed) {
    const auto attrs = Unpack<ConvTransposeAttrs>(attributes);
    set(attrs, ShapeOfConvTranspose(x, w, y, attrs));
  } else {
    const auto attrs = Unpack<ConvolutionAttrs>(attributes);
    set(attrs, ShapeOfConvolution(x, w, y, attrs));
  }
}

int64_t ConvolutionCall::weight_at(int64_t group, int64_t column, int64_t channel, int64_t tap) const {
  const int64_t channels = shape.group_channels(), columns = shape.group_out_channels(), taps = shape.taps();
  if (!transposed) return ((group * columns + column) * channels + channel) * taps + tap;
  return ((group * channels + channel) * columns + column) * taps + (taps - 1 - tap);
}

}  // namespace tally
