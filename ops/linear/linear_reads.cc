// The elements that one element of a sum of products reads.
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

// The weights of those taps, in the same order.
Region WeightsOf(const Shape& x, const Shape& w, const Windows& windows, const Index& place) {
  Region region = WholeOf(w);
  region.Set(0, place[1]);
  for (int axis = 2; axis < x.rank(); ++axis) {
    const TapRange taps = TapsInside(windows[axis], place[axis], 0, x[axis]);
    region.Set(axis, taps.first, taps.count());
  }
  return region;
}

Windows WindowsOfConv2d(const ReadContext& c) {
  const auto attrs = c.attrs<Conv2dAttrs>();
  Windows windows = {};
  for (int i = 0; i < 2; ++i) {
    windows[2 + i] = {.size = c.shape(1)[2 + i],
                      .stride = attrs.stride[i],
                      .dilation = attrs.dilation[i],
                      .pad_begin = attrs.padding[i]};
  }
  return windows;
}

Windows WindowsOfConvolution(const ReadContext& c) {
  return WindowsOf(c.attrs<ConvolutionAttrs>(), c.shape(1).dims().subspan(2), c.shape(0).rank());
}

// The taps by which positions of x reach a position of the result of a transposed convolution, and these
// positions: both are evenly apart.
struct Reaching {
  int64_t tap = 0, position = 0;  // the first
  int64_t count = 0;
  int64_t taps_apart = 1, positions_apart = 1;
};

Reaching ReachingOf(const Window& window, int64_t result, int64_t length) {
  Reaching reaching;
  int64_t last_tap = 0, last_position = 0;
  for (int64_t tap = 0; tap < window.size; ++tap) {
    const int64_t scaled = result + window.pad_begin - tap * window.dilation;
    if (scaled < 0) break;
    const int64_t position = scaled / window.stride;
    if (scaled % window.stride != 0 || position >= length) continue;
    if (reaching.count == 0) {
      reaching.tap = tap;
      reaching.position = position;
    } else {
      reaching.taps_apart = tap - last_tap;
      reaching.positions_apart = position - last_position;
    }
    ++reaching.count;
    last_tap = tap;
    last_position = position;
  }
  return reaching;
}

// The part of an operand that belongs to the coordinate of the result on `axis`, which is its own axis `own`.
Region PartOf(const ReadContext& c, int operand, int axis, int own) {
  Region region = WholeOf(c.shape(operand));
  region.Set(own, c.place()[axis]);
  return region;
}

}  // namespace

Region WindowOfConv2d(const ReadContext& c, int) {
  return WindowOf(c.shape(0), c.shape(1), c.attrs<Conv2dAttrs>().groups, WindowsOfConv2d(c), c.place());
}

Region WeightsOfConv2d(const ReadContext& c, int) {
  return WeightsOf(c.shape(0), c.shape(1), WindowsOfConv2d(c), c.place());
}

Region WindowOfConvolution(const ReadContext& c, int) {
  return WindowOf(c.shape(0), c.shape(1), c.attrs<ConvolutionAttrs>().groups, WindowsOfConvolution(c),
                  c.place());
}

Region WeightsOfConvolution(const ReadContext& c, int) {
  return WeightsOf(c.shape(0), c.shape(1), WindowsOfConvolution(c), c.place());
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

// The channels of the group are the first axis after the batch in x, and the first in w.
Region PixelsOfTranspose(const ReadContext& c, int) {
  const auto attrs = c.attrs<ConvTransposeAttrs>();
  const Shape& x = c.shape(0);
  const Windows windows = WindowsOf(attrs, c.shape(1).dims().subspan(2), x.rank());
  const int64_t channels = x[1] / attrs.groups;
  const Index d = c.place();
  Region region = WholeOf(x);
  region.Set(0, d[0]);
  region.Set(1, d[1] / c.shape(1)[1] * channels, channels);
  for (int axis = 2; axis < x.rank(); ++axis) {
    const Reaching reaching = ReachingOf(windows[axis], d[axis], x[axis]);
    region.Set(axis, reaching.position, reaching.count, reaching.positions_apart);
  }
  return region;
}

Region WeightsOfTranspose(const ReadContext& c, int) {
  const auto attrs = c.attrs<ConvTransposeAttrs>();
  const Shape &x = c.shape(0), &w = c.shape(1);
  const Windows windows = WindowsOf(attrs, w.dims().subspan(2), x.rank());
  const int64_t channels = x[1] / attrs.groups, per_group = w[1];
  const Index d = c.place();
  Region region = WholeOf(w);
  region.Set(0, d[1] / per_group * channels, channels);
  region.Set(1, d[1] % per_group);
  for (int axis = 2; axis < x.rank(); ++axis) {
    const Reaching reaching = ReachingOf(windows[axis], d[axis], x[axis]);
    region.Set(axis, reaching.tap, reaching.count, reaching.taps_apart);
  }
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
