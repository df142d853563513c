// Windows over the last three axes of planes, and the rows of x that meet in a row of y.
//
// Row-major, a row runs along the last axis and its windows are taken column by column afterwards.
// Channels-last, a row is the channels of one position, and all taps of its window are rows.
#pragma once

#include <algorithm>
#include <array>

#include "ops/cpu/map_chunks.h"
#include "ops/pooling/cpu/pooling_loops.h"
#include "ops/window.h"

namespace tally {

inline constexpr int kPlaneAxes = 3;
inline constexpr int kMaxRows = 64;  // that a loop takes at once

struct Planes {
  int64_t count = 1;                              // planes, each of x[0] * x[1] * x[2] positions
  int64_t channels = 1;                           // at each position, in channels-last
  std::array<int64_t, kPlaneAxes> x = {1, 1, 1};  // dims
  std::array<int64_t, kPlaneAxes> y = {1, 1, 1};
  std::array<Window, kPlaneAxes> windows = {};

  Planes(const Shape& x_shape, const Shape& y_shape, Layout layout, int axes) {
    const int rank = x_shape.rank();
    for (int i = 0; i < axes; ++i) {
      x[kPlaneAxes - axes + i] = x_shape[rank - axes + i];
      y[kPlaneAxes - axes + i] = y_shape[rank - axes + i];
    }
    for (int i = 0; i < rank - axes; ++i) count *= x_shape[i];
    if (layout == Layout::kChannelsLast) {
      channels = x_shape[1];
      count /= channels;
    }
  }
  Window& window(int axes, int i) { return windows[kPlaneAxes - axes + i]; }
  int64_t positions() const { return x[0] * x[1] * x[2]; }
  int64_t places() const { return y[0] * y[1] * y[2]; }

  // Taps of the largest window that are inside x.
  int64_t MostTaps() const {
    int64_t taps = 1;
    for (int axis = 0; axis < kPlaneAxes; ++axis) taps *= MostTapsInside(windows[axis], x[axis]);
    return taps;
  }
  // Taps of the windows at a place along an axis that are inside x, or inside the padded axis.
  TapRange Inside(int axis, int64_t place) const {
    const Window& w = windows[axis];
    if (w.dilation != 1) return TapsInside(w, place, 0, x[axis]);
    // Without the divisions, which cost more than a small window.
    const int64_t start = w.start(place), first = std::clamp<int64_t>(-start, 0, w.size);
    return {first, std::clamp<int64_t>(x[axis] - start, first, w.size)};
  }
  // The places along the last axis whose windows are inside x.
  Share FullPlaces() const {
    const Window& w = windows[2];
    const int64_t last = x[2] - w.extent() + w.pad_begin;
    const int64_t begin = std::min(y[2], CeilDiv(w.pad_begin, w.stride));
    return {begin, last < 0 ? begin : std::clamp(last / w.stride + 1, begin, y[2])};
  }
  int64_t CountPadded(int axis, int64_t place) const {
    const Window& w = windows[axis];
    return TapsInside(w, place, -w.pad_begin, x[axis] + w.pad_end).count();
  }
};

// Calls combine(rows, count, first) until all rows of the taps in the ranges have been seen. A row starts at
// element position * `elements` of the plane, `last_axis` telling whether windows along the last axis count
// as rows.
template <typename Combine>
void ForEachRow(const Planes& planes, const std::array<TapRange, kPlaneAxes>& ranges,
                const std::array<int64_t, kPlaneAxes>& place, const uint8_t* plane, int64_t bytes_of_position,
                bool last_axis, Combine combine) {
  std::array<const void*, kMaxRows> rows;
  int count = 0;
  bool first = true;
  const auto at = [&](int axis, int64_t tap) {
    return planes.windows[axis].start(place[axis]) + tap * planes.windows[axis].dilation;
  };
  const TapRange columns = last_axis ? ranges[2] : TapRange{0, 1};
  for (int64_t i = ranges[0].first; i < ranges[0].end; ++i) {
    for (int64_t j = ranges[1].first; j < ranges[1].end; ++j) {
      const int64_t row = (at(0, i) * planes.x[1] + at(1, j)) * planes.x[2];
      for (int64_t k = columns.first; k < columns.end; ++k) {
        rows[count++] = plane + (row + (last_axis ? at(2, k) : 0)) * bytes_of_position;
        if (count < kMaxRows) continue;
        combine(rows.data(), count, first);
        first = false;
        count = 0;
      }
    }
  }
  if (count > 0) combine(rows.data(), count, first);
}

// Calls combine(tap, first place, places) for each tap along the last axis and the places whose tap is
// inside.
template <typename Combine>
void ForEachColumn(const Planes& planes, Combine combine) {
  const Window& w = planes.windows[2];
  for (int64_t tap = 0; tap < w.size; ++tap) {
    const int64_t start = tap * w.dilation - w.pad_begin;  // place 0's
    const int64_t first = start < 0 ? CeilDiv(-start, w.stride) : 0;
    const int64_t end =
        std::min(planes.y[2], start >= planes.x[2] ? 0 : (planes.x[2] - 1 - start) / w.stride + 1);
    if (first < end) combine(start + first * w.stride, first, end - first);
  }
}

// Whether a pool of planes takes a call: its operand is in the layout, and has channels there.
inline bool HasPlanes(const KernelFacts& facts) {
  return facts.layout == Layout::kRowMajor ||
         (facts.constants[0] == nullptr && HasChannels(facts.operands[0].shape));
}

// The windows of attributes that have lists of them: max_pool, average_pool, window_sum. The last of `kernel`
// are the axes'.
template <typename Attrs>
Planes PlanesOf(const KernelFacts& facts, const Attrs& attrs) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const int rank = x.rank();
  const int spatial = facts.layout == Layout::kChannelsLast ? rank - 2 : std::min(kPlaneAxes, rank);
  const int axes = std::min(spatial, static_cast<int>(attrs.kernel.size()));
  Planes planes(x, y, facts.layout, axes);
  const Windows windows = WindowsOf(attrs, attrs.kernel, rank);
  for (int i = 0; i < axes; ++i) planes.window(axes, i) = windows[rank - axes + i];
  return planes;
}

}  // namespace tally
