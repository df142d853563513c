// Windows that slide over the axes of a tensor: what convolutions and pooling share.
//
//   const Window w = {.size = 3, .stride = 2, .pad_begin = 1, .pad_end = 1};
//   CountWindows(w, 6, false);     // 3: they start at -1, 1 and 3
//   TapsInside(w, 0, 0, 6);        // {1, 3}: tap 0 of the first window is in the padding
//   SamePadding(w, 6, true);       // {0, 1}: what `same_upper` would pad instead
//
// All numbers of a Window come from attributes and dims below 2^31, so every product here fits int64_t.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "base/int_math.h"
#include "base/shape.h"
#include "ops/attributes.h"
#include "ops/indexing.h"

namespace tally {

// One axis.
struct Window {
  int64_t size = 1;  // taps
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_begin = 0;
  int64_t pad_end = 0;

  // Positions from the first tap to the last.
  constexpr int64_t extent() const { return dilation * (size - 1) + 1; }
  // Position of tap 0 of a window; negative in the padding.
  constexpr int64_t start(int64_t place) const { return place * stride - pad_begin; }
};

// By axis; axes that no window slides over keep the default, a window of one element.
using Windows = std::array<Window, kMaxRank>;

// The attributes of windows: one entry for each axis that they slide over, at most `axes`.
template <typename Attrs>
constexpr auto WindowFields(int64_t axes) {
  return std::tuple(ListField("stride", &Attrs::stride, 1, kMaxDim, 1, axes),
                    ListField("dilation", &Attrs::dilation, 1, kMaxDim, 1, axes),
                    ListField("pad_begin", &Attrs::pad_begin, 0, kMaxDim, 1, axes),
                    ListField("pad_end", &Attrs::pad_end, 0, kMaxDim, 1, axes));
}

// Whether the lists of `attrs` have `axes` entries each.
template <typename Attrs>
bool HasWindowsOf(const Attrs& attrs, size_t axes) {
  return attrs.stride.size() == axes && attrs.dilation.size() == axes && attrs.pad_begin.size() == axes &&
         attrs.pad_end.size() == axes;
}

// Windows of `sizes` over the last sizes.size() axes of `rank`.
template <typename Attrs>
Windows WindowsOf(const Attrs& attrs, std::span<const int64_t> sizes, int rank) {
  Windows windows = {};
  for (size_t i = 0; i < sizes.size(); ++i) {
    windows[rank - sizes.size() + i] = {.size = sizes[i],
                                        .stride = attrs.stride[i],
                                        .dilation = attrs.dilation[i],
                                        .pad_begin = attrs.pad_begin[i],
                                        .pad_end = attrs.pad_end[i]};
  }
  return windows;
}

inline bool IsPadded(const Windows& windows) {
  return std::ranges::any_of(windows, [](const Window& w) { return w.pad_begin > 0 || w.pad_end > 0; });
}

// Windows along an axis of `length` elements, or at most 0 when none fits. In ceil mode a last window may end
// past the padded axis when it starts inside the axis or the padding in front of it.
constexpr int64_t CountWindows(const Window& w, int64_t length, bool ceil_mode) {
  const int64_t slack = length + w.pad_begin + w.pad_end - w.extent();
  if (!ceil_mode) return FloorDiv(slack, w.stride) + 1;
  const int64_t last = CeilDiv(slack, w.stride);
  return w.start(last) >= length ? last : last + 1;
}

// A range of taps.
struct TapRange {
  int64_t first = 0;
  int64_t end = 0;
  constexpr int64_t count() const { return end - first; }
};

// The taps of the window at `place` whose positions are in [lo, hi).
constexpr TapRange TapsInside(const Window& w, int64_t place, int64_t lo, int64_t hi) {
  const auto taps_before = [&](int64_t position) {
    const int64_t distance = std::max<int64_t>(position - w.start(place), 0);
    return std::min(w.size, CeilDiv(distance, w.dilation));
  };
  const int64_t first = taps_before(lo);
  return {first, std::max(first, taps_before(hi))};
}

// Whether a tap of each of the `count` windows is inside the axis. A dilation longer than a padded axis
// could jump over it and is refused, although some such windows do not.
constexpr bool EveryWindowHasAnElement(const Window& w, int64_t length, int64_t count) {
  const bool first = w.pad_begin == 0 || (w.pad_begin < w.extent() && w.dilation <= length);
  return first && w.start(count - 1) < length;
}

// An upper bound of the taps of one window that are inside the axis.
constexpr int64_t MostTapsInside(const Window& w, int64_t length) {
  return std::min(w.size, CeilDiv(length, w.dilation));
}

struct Padding {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const Padding&, const Padding&) = default;
};

// The padding with which there are ceil(length / stride) windows: SAME of TensorFlow, OpenVINO, ONNX, Core ML
// and ncnn. An odd element goes to the end (`upper`) or to the front. What `w` says of padding is not read.
constexpr Padding SamePadding(const Window& w, int64_t length, bool upper) {
  const int64_t places = CeilDiv(length, w.stride);
  const int64_t total = std::max<int64_t>((places - 1) * w.stride + w.extent() - length, 0);
  return upper ? Padding{total / 2, total - total / 2} : Padding{total - total / 2, total / 2};
}

// Calls visit(tap, position, count) for each run of taps along the last axis of x, those of the window at
// `place` that are inside x: the first tap of the run, its position, and how many taps there are.
template <typename Visit>
void ForEachRunOfTaps(const Windows& windows, const Index& place, const Shape& x, Visit visit) {
  std::array<TapRange, kMaxRank> ranges;
  Index tap = {}, position = {};
  const auto enter = [&](int axis, int64_t k) {
    tap[axis] = k;
    position[axis] = windows[axis].start(place[axis]) + k * windows[axis].dilation;
  };
  for (int axis = 0; axis < x.rank(); ++axis) {
    ranges[axis] = TapsInside(windows[axis], place[axis], 0, x[axis]);
    if (ranges[axis].count() == 0) return;
    enter(axis, ranges[axis].first);
  }
  const int64_t count = x.rank() == 0 ? 1 : ranges[x.rank() - 1].count();
  for (;;) {
    visit(std::as_const(tap), std::as_const(position), count);
    int axis = x.rank() - 2;
    while (axis >= 0 && tap[axis] + 1 == ranges[axis].end) {
      enter(axis, ranges[axis].first);
      --axis;
    }
    if (axis < 0) return;
    enter(axis, tap[axis] + 1);
  }
}

// Calls visit(tap, position) for each tap of the window at `place` that is inside x, the last axis fastest.
template <typename Visit>
void ForEachTap(const Windows& windows, const Index& place, const Shape& x, Visit visit) {
  const int last = std::max(x.rank(), 1) - 1;
  ForEachRunOfTaps(windows, place, x, [&](Index tap, Index position, int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
      visit(std::as_const(tap), std::as_const(position));
      ++tap[last];
      position[last] += windows[last].dilation;
    }
  });
}

}  // namespace tally
