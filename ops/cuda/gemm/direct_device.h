// GEMM of operands of any storage, one thread for each result, in 64 bits.
#pragma once

#include "ops/cuda/gemm/epilogue_device.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

// Positions of three spatial axes, as ConvolutionShape has them (ops/gemm/convolution_shape.h).
struct ConvolutionGeometry {
  int size[3], kernel[3], stride[3], dilation[3], pad[3], out[3], input_dilation[3];
  int64_t x_image, x_axis[3];  // elements between neighbours
};

// Where position `dilated` of an axis is in x, or -1.
TALLY_DEVICE int PositionIn(const ConvolutionGeometry& g, int axis, int dilated) {
  if (dilated < 0) return -1;
  int position = dilated;
  if (g.input_dilation[axis] != 1) {
    position = dilated / g.input_dilation[axis];
    if (position * g.input_dilation[axis] != dilated) return -1;
  }
  return position < g.size[axis] ? position : -1;
}

struct DirectConvolutionParams {
  ConvolutionGeometry geometry;
  int64_t count;                 // elements of y
  int64_t out_channels, pixels;  // y's
  bool channels_last;            // y; else [images, channels, pixels]
  int64_t group_channels, group_out_channels;
  int64_t x_channel;
  int64_t w_column, w_group, w_channel, w_tap;  // w_tap may be negative; then w_first is that of tap 0
  int64_t w_first;
  int64_t zero_x, zero_w;
  Storage x, w;
  bool has_init;  // in GemmMemory::kInit, besides that of the columns
  Storage init_storage;
  Epilogue epilogue;
};

TALLY_DEVICE void DirectConvolution(const Thread& t, const Memory& m, const DirectConvolutionParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t inner = i % (p.channels_last ? p.out_channels : p.pixels);
  const int64_t outer = i / (p.channels_last ? p.out_channels : p.pixels);
  const int64_t column = p.channels_last ? inner : outer % p.out_channels;
  const int64_t pixel = p.channels_last ? outer % p.pixels : inner;
  const int64_t image = outer / (p.channels_last ? p.pixels : p.out_channels);
  const ConvolutionGeometry& g = p.geometry;
  const int64_t group = column / p.group_out_channels;
  const int ox = static_cast<int>(pixel % g.out[2]), oy = static_cast<int>(pixel / g.out[2] % g.out[1]),
            oz = static_cast<int>(pixel / g.out[2] / g.out[1]);
  const int64_t first_x = image * g.x_image + group * p.group_channels * p.x_channel;
  const int64_t first_w = p.w_first + group * p.w_group + column % p.group_out_channels * p.w_column;
  int64_t sum = m.as<Column>(GemmMemory::kColumns)[column].init;
  if (p.has_init) sum = WrapAdd(sum, Load(p.init_storage, m.at[GemmMemory::kInit], column));
  int64_t tap = 0;
  for (int kz = 0; kz < g.kernel[0]; ++kz) {
    const int z = PositionIn(g, 0, oz * g.stride[0] - g.pad[0] + kz * g.dilation[0]);
    for (int ky = 0; ky < g.kernel[1]; ++ky) {
      const int y = PositionIn(g, 1, oy * g.stride[1] - g.pad[1] + ky * g.dilation[1]);
      for (int kx = 0; kx < g.kernel[2]; ++kx, ++tap) {
        const int x = PositionIn(g, 2, ox * g.stride[2] - g.pad[2] + kx * g.dilation[2]);
        if (z < 0 || y < 0 || x < 0) continue;
        const int64_t at_x = first_x + z * g.x_axis[0] + y * g.x_axis[1] + x * g.x_axis[2];
        const int64_t at_w = first_w + tap * p.w_tap;
        for (int64_t c = 0; c < p.group_channels; ++c) {
          const int64_t a = Load(p.x, m.at[GemmMemory::kX], at_x + c * p.x_channel) - p.zero_x;
          const int64_t b = Load(p.w, m.at[GemmMemory::kWeights], at_w + c * p.w_channel) - p.zero_w;
          sum = WrapAdd(sum, WrapMul(a, b));
        }
      }
    }
  }
  ApplyEpilogue(p.epilogue, m, m.as<Column>(GemmMemory::kColumns)[column], sum, i);
}

struct DirectProductParams {
  Loops<2> loops;  // over y; tensors a and b at k = 0
  int64_t depth, a_step, b_step, columns;
  int64_t zero_a, zero_b;
  Storage a, b;
  Epilogue epilogue;
};

TALLY_DEVICE void DirectProduct(const Thread& t, const Memory& m, const DirectProductParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.loops.count) return;
  int64_t offsets[2];
  p.loops.OffsetsOf(i, offsets);
  const Column& column = m.as<Column>(GemmMemory::kColumns)[i % p.columns];
  int64_t sum = column.init;
  for (int64_t k = 0; k < p.depth; ++k) {
    const int64_t a = Load(p.a, m.at[GemmMemory::kX], offsets[0] + k * p.a_step) - p.zero_a;
    const int64_t b = Load(p.b, m.at[GemmMemory::kWeights], offsets[1] + k * p.b_step) - p.zero_b;
    sum = WrapAdd(sum, WrapMul(a, b));
  }
  ApplyEpilogue(p.epilogue, m, column, sum, i);
}

}  // namespace tally::cuda
