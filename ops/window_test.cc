#include "ops/window.h"

#include <gtest/gtest.h>

#include <vector>

namespace tally {
namespace {

// The positions of every tap of the window at `place`.
std::vector<int64_t> Positions(const Window& w, int64_t place) {
  std::vector<int64_t> positions;
  for (int64_t k = 0; k < w.size; ++k) positions.push_back(place * w.stride - w.pad_begin + k * w.dilation);
  return positions;
}

template <typename Check>
void ForManyWindows(Check check) {
  for (int64_t length = 1; length <= 6; ++length) {
    for (int64_t size = 1; size <= 4; ++size) {
      for (int64_t stride = 1; stride <= 4; ++stride) {
        for (int64_t dilation = 1; dilation <= 3; ++dilation) {
          for (int64_t begin = 0; begin <= 3; ++begin) {
            for (int64_t end = 0; end <= 3; ++end) {
              check(Window{size, stride, dilation, begin, end}, length);
            }
          }
        }
      }
    }
  }
}

TEST(Window, CountsThoseThatFitThePaddedAxis) {
  ForManyWindows([](const Window& w, int64_t length) {
    int64_t fit = 0;
    while (Positions(w, fit).back() < length + w.pad_end) ++fit;
    EXPECT_EQ(std::max<int64_t>(CountWindows(w, length, false), 0), fit);
  });
}

// PyTorch's and ONNX's rule, from its text: round up, then drop a window that starts after the axis.
TEST(Window, CeilModeAddsAnIncompleteWindowThatStartsInside) {
  ForManyWindows([](const Window& w, int64_t length) {
    const int64_t slack = length + w.pad_begin + w.pad_end - w.extent();
    if (slack < 0) return;
    int64_t count = slack / w.stride + (slack % w.stride > 0) + 1;
    if ((count - 1) * w.stride >= length + w.pad_begin) --count;
    EXPECT_EQ(CountWindows(w, length, true), count);
  });
  EXPECT_EQ(CountWindows({.size = 3, .stride = 2}, 2, true),
            1);  // shorter than the window by less than a stride
  EXPECT_LE(CountWindows({.size = 5, .stride = 2}, 2, true), 0);
}

TEST(Window, TapsInsideAreThoseOfARange) {
  ForManyWindows([](const Window& w, int64_t length) {
    for (int64_t place = 0; place < 5; ++place) {
      const TapRange taps = TapsInside(w, place, 0, length);
      const std::vector<int64_t> positions = Positions(w, place);
      int64_t inside = 0;
      for (int64_t k = 0; k < w.size; ++k) {
        const bool in = 0 <= positions[k] && positions[k] < length;
        EXPECT_EQ(in, taps.first <= k && k < taps.end);
        inside += in;
      }
      EXPECT_EQ(taps.count(), inside);
      EXPECT_LE(inside, MostTapsInside(w, length));
    }
  });
}

TEST(Window, EveryWindowHasAnElementUnlessOneIsEmpty) {
  ForManyWindows([](const Window& w, int64_t length) {
    const int64_t count = CountWindows(w, length, false);
    if (count < 1) return;
    bool all = true;
    for (int64_t place = 0; place < count; ++place) all &= TapsInside(w, place, 0, length).count() > 0;
    const bool said = EveryWindowHasAnElement(w, length, count);
    EXPECT_LE(said, all);
    if (w.dilation <= length || w.pad_begin == 0) {
      EXPECT_EQ(said, all);
    }
  });
}

TEST(Window, SamePaddingKeepsTheLengthDividedByTheStride) {
  ForManyWindows([](Window w, int64_t length) {
    for (const bool upper : {true, false}) {
      const Padding pads = SamePadding(w, length, upper);
      w.pad_begin = pads.begin, w.pad_end = pads.end;
      EXPECT_EQ(CountWindows(w, length, false), (length + w.stride - 1) / w.stride);
      EXPECT_EQ(upper ? pads.end - pads.begin : pads.begin - pads.end, (pads.begin + pads.end) % 2);
    }
  });
  EXPECT_EQ(SamePadding({.size = 2, .stride = 3}, 6, true), (Padding{0, 0}));  // gaps, not negative padding
}

TEST(Window, VisitsTheTapsInsideInRowMajorOrder) {
  const Shape x = *Shape::Create({2, 2, 3});
  const Windows windows = {Window{}, Window{.size = 2}, Window{.size = 3, .dilation = 2, .pad_begin = 2}};
  std::vector<Index> taps, positions;
  ForEachTap(windows, {1, 0, 1}, x, [&](const Index& tap, const Index& position) {
    taps.push_back(tap);
    positions.push_back(position);
  });
  EXPECT_EQ(taps, (std::vector<Index>{{0, 0, 1}, {0, 1, 1}}));
  EXPECT_EQ(positions, (std::vector<Index>{{1, 0, 1}, {1, 1, 1}}));
  ForEachTap({}, {}, Shape(), [&](const Index&, const Index&) { taps.clear(); });  // a scalar has one element
  EXPECT_TRUE(taps.empty());
}

}  // namespace
}  // namespace tally
