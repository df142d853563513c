// The elements that one element of a pooling operator reads.
#include "ops/pooling/attrs.h"
#include "ops/pooling/rules.h"
#include "ops/window.h"

namespace tally {
namespace {

// The positions of windows that are inside x.
Region InsideOf(const Shape& x, const Windows& windows, const Index& place) {
  Region region = {.rank = x.rank()};
  for (int axis = 0; axis < x.rank(); ++axis) {
    const Window& window = windows[axis];
    const TapRange taps = TapsInside(window, place[axis], 0, x[axis]);
    region.Set(axis, window.start(place[axis]) + taps.first * window.dilation, taps.count(), window.dilation);
  }
  return region;
}

// The image of the batch is named by data.
Region AllImages(const ReadContext& c, int64_t first_channel, int64_t channels) {
  Region region = WholeOf(c.shape(0));
  region.Set(1, first_channel, channels);
  return region;
}

}  // namespace

Region WindowOfMaxPool2d(const ReadContext& c, int) {
  const auto attrs = c.attrs<MaxPool2dAttrs>();
  Windows windows = {};
  for (int i = 0; i < 2; ++i) {
    windows[2 + i] = {
        .size = attrs.pool_size[i], .stride = attrs.strides[i], .pad_begin = attrs.padding_of(i)};
  }
  return InsideOf(c.shape(0), windows, c.place());
}

template <typename Attrs>
Region WindowOfPool(const ReadContext& c, int) {
  const auto attrs = c.attrs<Attrs>();
  return InsideOf(c.shape(0), WindowsOf(attrs, attrs.kernel, c.shape(0).rank()), c.place());
}
template Region WindowOfPool<PoolAttrs>(const ReadContext&, int);
template Region WindowOfPool<WindowSumAttrs>(const ReadContext&, int);
template Region WindowOfPool<AveragePoolAttrs>(const ReadContext&, int);

Region RowOfRegion(const ReadContext& c, int operand) {
  Region region = WholeOf(c.shape(operand));
  region.Set(0, c.place()[0]);
  return region;
}

Region PlanesOfRegion(const ReadContext& c, int) { return AllImages(c, c.place()[1], 1); }

Region PlanesOfPsroi(const ReadContext& c, int) {
  const auto attrs = c.attrs<PsroiPoolAttrs>();
  const Index d = c.place();
  if (attrs.mode == PsroiMode::kAverage) {
    return AllImages(c, (d[1] * attrs.pooled_size[0] + d[2]) * attrs.pooled_size[1] + d[3], 1);
  }
  const int64_t outputs = c.results[0].shape[1], parts = attrs.spatial_bins[0] * attrs.spatial_bins[1];
  Region region = AllImages(c, d[1], parts);
  region.Set(1, d[1], parts, outputs);
  return region;
}

Region PlanesOfMovedRegion(const ReadContext& c, int) {
  const auto attrs = c.attrs<DeformablePsroiPoolAttrs>();
  const Index d = c.place();
  return AllImages(c, (d[1] * attrs.pooled_size[0] + d[2]) * attrs.pooled_size[1] + d[3], 1);
}

}  // namespace tally
