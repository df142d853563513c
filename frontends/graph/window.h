// Windows of a convolution or a pool as files state them, and automatic padding resolved.
//
//   windows.PadAutomatically(AutoPad::kSameUpper, spatial_dims);
//
// Each list has one number for each spatial axis.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tally::frontend {

using Extents = std::vector<int64_t>;

// Pads that make as many windows as strides fit the axis; of an odd number the larger half is at the end
// (upper), or at the beginning.
enum class AutoPad { kNone, kSameUpper, kSameLower };

struct LayerWindows {
  Extents kernel, stride, dilation, pad_begin, pad_end;
  bool ceil_mode = false;       // pools only; the pads are without what it adds
  Extents output_padding = {};  // transposed convolutions only; their pads cut the result

  bool has_pads() const;

  // The pads for inputs of `dims`.
  void PadAutomatically(AutoPad how, std::span<const int64_t> dims);
  // The pads with which a transposed convolution of `dims` yields `results`. From an odd number to cut, the
  // smaller half comes first with kSameUpper, else the larger. What no pad can add becomes output padding.
  void CutTo(std::span<const int64_t> results, AutoPad how, std::span<const int64_t> dims);
  // How much longer the end of `axis`, of `length` elements, has to be for the last window of ceil_mode.
  int64_t CeilPadding(size_t axis, int64_t length) const;
  // The same with the window that ceil_mode drops, since it would begin after x and its pad.
  int64_t AllPadding(size_t axis, int64_t length) const;

  // The lists of an attribute struct of the linear or the pooling family.
  template <typename Attrs>
  void CopyTo(Attrs& attrs) const {
    attrs.stride = stride;
    attrs.dilation = dilation;
    attrs.pad_begin = pad_begin;
    attrs.pad_end = pad_end;
  }
};

}  // namespace tally::frontend
