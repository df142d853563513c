// What one element of a sum of products reads.
#include "ops/linear/attrs.h"
#include "ops/linear/rules.h"
#include "ops/window.h"

namespace tally {
namespace {

// The taps of windows that are inside x, for the channels of the group of channel oc.
Region WindowOf(const Shape& x, const Shape& w, int64_t groups, const Windows& windows, const Index& place) {
  Region region = WholeOf(x);
  const int64_t channels = w[1], per_group = w[0] / groups;
  region.Set(0, place[0]);
  region.Set(1, place[1] / per_group * channels, channels);
  for (int axis = 2; axis < x.rank(); ++axis) {
    const Window& window = windows[axis];
    const TapRange taps = TapsInside(window, place[axis], 0, x[axis]);
    region.Set(axis, window.start(place[axis]) + taps.first * window.dilation, taps.count(), window.dilation);
  }
  return region;
}

// The part of an operand that belongs to the coordinate of the result on `axis`, which is its own axis `own`.
Region PartOf(const ReadContext& c, int operand, int axis, int own) {
  Region region = WholeOf(c.shape(operand));
  region.Set(own, c.place()[axis]);
  return region;
}

}  // namespace

Region WindowOfConv2d(const ReadContext& c, int) {
  const auto attrs = c.attrs<Conv2dAttrs>();
  const Shape& w = c.shape(1);
  Windows windows = {};
  for (int i = 0; i < 2; ++i) {
    windows[2 + i] = {.size = w[2 + i],
                      .stride = attrs.stride[i],
                      .dilation = attrs.dilation[i],
                      .pad_begin = attrs.padding[i]};
  }
  return WindowOf(c.shape(0), w, attrs.groups, windows, c.place());
}

Region WindowOfConvolution(const ReadContext& c, int) {
  const auto attrs = c.attrs<ConvolutionAttrs>();
  const Windows windows = WindowsOf(attrs, c.shape(1).dims().subspan(2), c.shape(0).rank());
  return WindowOf(c.shape(0), c.shape(1), attrs.groups, windows, c.place());
}

Region WeightsOfChannel(const ReadContext& c, int operand) { return PartOf(c, operand, 1, 0); }
Region RowOfDense(const ReadContext& c, int operand) { return PartOf(c, operand, 0, 0); }

Region RowOfMatmul(const ReadContext& c, int operand) {
  const auto attrs = c.attrs<MatmulAttrs>();
  const Shape& x = c.shape(operand);
  const bool left = operand == 0, transposed = left ? attrs.transpose_a : attrs.transpose_b;
  const Index d = c.place();
  const int rank = c.results[0].shape.rank(), missing = rank - x.rank();
  Region region = WholeOf(x);
  for (int axis = 0; axis < x.rank() - 2; ++axis) region.Set(axis, x[axis] == 1 ? 0 : d[missing + axis]);
  // The axis of the row of a, or of the column of b.
  const int own = left != transposed ? x.rank() - 2 : x.rank() - 1;
  region.Set(own, d[left ? rank - 2 : rank - 1]);
  return region;
}

Region PixelsOfTranspose(const ReadContext& c, int) {
  const auto attrs = c.attrs<ConvTransposeAttrs>();
  const int64_t channels = c.shape(0)[1] / attrs.groups;
  Region region = WholeOf(c.shape(0));
  region.Set(0, c.place()[0]);
  region.Set(1, c.place()[1] / c.shape(1)[1] * channels, channels);
  return region;
}

Region WeightsOfTranspose(const ReadContext& c, int) {
  const auto attrs = c.attrs<ConvTransposeAttrs>();
  const int64_t channels = c.shape(0)[1] / attrs.groups, oc = c.place()[1], per_group = c.shape(1)[1];
  Region region = WholeOf(c.shape(1));
  region.Set(0, oc / per_group * channels, channels);
  region.Set(1, oc % per_group);
  return region;
}

Region PlanesOfDeformable(const ReadContext& c, int) {
  const auto attrs = c.attrs<DeformableConv2dAttrs>();
  const int64_t channels = c.shape(1)[1], per_group = c.shape(1)[0] / attrs.groups;
  Region region = WholeOf(c.shape(0));
  region.Set(0, c.place()[0]);
  region.Set(1, c.place()[1] / per_group * channels, channels);
  return region;
}

Region OffsetsOfPlace(const ReadContext& c, int operand) {
  const Index d = c.place();
  Region region = WholeOf(c.shape(operand));
  region.Set(0, d[0]);
  for (const int axis : {2, 3}) region.Set(axis, d[axis]);
  return region;
}

}  // namespace tally
