// A convolution or a transposed one, as all engines sum it.
#pragma once

#include <cstdint>

#include "ops/gemm/convolution_shape.h"
#include "ops/op_table.h"

namespace tally {

struct ConvolutionCall {
  ConvolutionShape shape;
  int64_t zero_x = 0, zero_w = 0;
  bool transposed = false;

  // x [N, C, spatial..] and y [N, OC, spatial..] of a valid convolution or conv_transpose with weights of
  // shape w.
  ConvolutionCall(Opcode op, const Attributes& attributes, const Shape& x, const Shape& w, const Shape& y);

  // The element of w that multiplies channel `channel` of a group at tap `tap` of `shape`. Linear in all of
  // them.
  int64_t weight_at(int64_t group, int64_t column, int64_t channel, int64_t tap) const;
};

}  // namespace tally
