#include "frontends/graph/window.h"

#include <algorithm>

#include "ops/window.h"

namespace tally::frontend {
namespace {

Window WindowOf(const LayerWindows& windows, size_t axis) {
  return {.size = windows.kernel[axis],
          .stride = windows.stride[axis],
          .dilation = windows.dilation[axis],
          .pad_begin = windows.pad_begin[axis],
          .pad_end = windows.pad_end[axis]};
}

}  // namespace

bool LayerWindows::has_pads() const {
  const auto is_pad = [](int64_t pad) { return pad != 0; };
  return std::ranges::any_of(pad_begin, is_pad) || std::ranges::any_of(pad_end, is_pad);
}

void LayerWindows::PadAutomatically(AutoPad how, std::span<const int64_t> dims) {
  for (size_t i = 0; i < dims.size() && how != AutoPad::kNone; ++i) {
    const Padding same = SamePadding(WindowOf(*this, i), dims[i], how == AutoPad::kSameUpper);
    pad_begin[i] = same.begin;
    pad_end[i] = same.end;
  }
}

void LayerWindows::CutTo(std::span<const int64_t> results, AutoPad how, std::span<const int64_t> dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t whole = (dims[i] - 1) * stride[i] + WindowOf(*this, i).extent() + output_padding[i];
    const int64_t cut = std::max<int64_t>(whole - results[i], 0), smaller = cut / 2;
    output_padding[i] += std::max<int64_t>(results[i] - whole, 0);
    pad_begin[i] = how == AutoPad::kSameUpper ? smaller : cut - smaller;
    pad_end[i] = cut - pad_begin[i];
  }
}

int64_t LayerWindows::CeilPadding(size_t axis, int64_t length) const {
  const Window window = WindowOf(*this, axis);
  const int64_t padded = window.pad_begin + length + window.pad_end;
  if (padded < window.extent()) return 0;  // the graph's own rule refuses this window
  const int64_t last = CountWindows(window, length, true) - 1;
  return std::max<int64_t>(last * window.stride + window.extent() - padded, 0);
}

int64_t LayerWindows::AllPadding(size_t axis, int64_t length) const {
  const Window window = WindowOf(*this, axis);
  const int64_t beyond = window.pad_begin + length + window.pad_end - window.extent();
  if (beyond < 0) return 0;
  const int64_t rest = beyond % window.stride;
  return rest == 0 ? 0 : window.stride - rest;
}

}  // namespace tally::frontend
