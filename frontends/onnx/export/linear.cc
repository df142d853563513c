#include "frontends/onnx/export/operators.h"
#include "frontends/onnx/export/products.h"
#include "ops/linear/attrs.h"

namespace tally::onnx {
namespace {

// A bias has an element for each channel, the axis after the first.
Wire WithBias(ExportContext& c, const Wire& sums) {
  if (c.num_operands() < 3) return sums;
  std::vector<int64_t> dims(sums.shape.rank() - 1, 1);
  dims[0] = c.shape(2).num_elements();
  return c.g.Add(sums, c.g.Reshape(c.x(2), ShapeOfDims(dims)));
}

// [.., A, B] as [.., B, A].
Wire Transposed(GraphWriter& g, const Wire& x) {
  std::vector<int64_t> axes;
  for (int axis = 0; axis < x.shape.rank(); ++axis) axes.push_back(axis);
  std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
  return g.Transpose(x, axes);
}

Wires Convolved(ExportContext& c, const ConvolutionAttrs& attrs) {
  return {WithBias(c, Convolve(c.g, {.x = c.Narrow(0),
                                     .w = c.Narrow(1),
                                     .stride = attrs.stride,
                                     .dilation = attrs.dilation,
                                     .pad_begin = attrs.pad_begin,
                                     .pad_end = attrs.pad_end,
                                     .groups = attrs.groups,
                                     .zero_x = attrs.zero_x,
                                     .zero_w = attrs.zero_w,
                                     .sums = c.accumulator}))};
}

}  // namespace

Wires ExportConv2d(ExportContext& c) {
  const auto attrs = c.attrs<Conv2dAttrs>();
  return Convolved(c, {.stride = attrs.stride,
                       .dilation = attrs.dilation,
                       .pad_begin = attrs.padding,
                       .pad_end = attrs.padding,
                       .groups = attrs.groups});
}

Wires ExportConvolution(ExportContext& c) { return Convolved(c, c.attrs<ConvolutionAttrs>()); }

// ONNX has it in floats alone.
Wires ExportConvTranspose(ExportContext& c) {
  const auto attrs = c.attrs<ConvTransposeAttrs>();
  const Wire x = c.g.Offset(c.Narrow(0), -attrs.zero_x), w = c.g.Offset(c.Narrow(1), -attrs.zero_w);
  for (const Interval& interval : {x.interval, w.interval, c.accumulator}) {
    if (!IsExactInFloat(interval)) return c.Refuse("its sums leave the integers of float32");
  }
  // More output_padding than a stride is beyond what ONNX Runtime takes. It gives back what pad_end cuts off;
  // no tap reaches the rest.
  std::vector<int64_t> pads = attrs.pad_begin, dims = DimsOf(c.results[0].shape), none(dims.size(), 0);
  std::vector<int64_t> room = none;
  for (size_t i = 0; i < attrs.pad_end.size(); ++i) {
    room[i + 2] = std::max<int64_t>(attrs.output_padding[i] - attrs.pad_end[i], 0);
    dims[i + 2] -= room[i + 2];
    pads.push_back(std::max<int64_t>(attrs.pad_end[i] - attrs.output_padding[i], 0));
  }
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 1; }))
    return c.Refuse("no tap reaches its result");
  const int type = ::onnx::TensorProto::FLOAT;
  const Wire sums = c.g.Node(
      "ConvTranspose", {c.g.Cast(x, type), c.g.Cast(w, type)}, {type, ShapeOfDims(dims), c.accumulator},
      {{"strides", attrs.stride}, {"dilations", attrs.dilation}, {"pads", pads}, {"group", attrs.groups}});
  return {WithBias(c, c.g.Pad(c.g.Int64(sums), none, room, 0))};
}

Wires ExportDense(ExportContext& c) {
  const Wire w = Transposed(c.g, c.Narrow(1));
  return {WithBias(c, Multiply(c.g, {.a = c.Narrow(0), .b = w, .sums = c.accumulator}))};
}

Wires ExportMatmul(ExportContext& c) {
  const auto attrs = c.attrs<MatmulAttrs>();
  const Wire a = c.Narrow(0), b = c.Narrow(1);
  return {Multiply(c.g, {.a = attrs.transpose_a ? Transposed(c.g, a) : a,
                         .b = attrs.transpose_b ? Transposed(c.g, b) : b,
                         .zero_a = attrs.zero_a,
                         .zero_b = attrs.zero_b,
                         .sums = c.accumulator})};
}

}  // namespace tally::onnx
