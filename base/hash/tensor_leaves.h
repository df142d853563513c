// How the elements of a tensor are cut into the leaves of its Merkle tree (docs/spec/commitment.md#leaves).
//
//   const TensorLeaves leaves(view.storage, view.shape, CommittedLayout(view.shape));
//   const auto [leaf, offset] = leaves.PlaceOf(element);
//
// A fiber is a run along the innermost axis of the layout. A leaf is at most 1 KiB and follows fibers: either
// several whole fibers, or a part of one. So the row of weights that makes one output is a range of leaves of
// its own, and so are the channels of a pixel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/hash/digest.h"
#include "base/hash/leaf_layout.h"
#include "base/layout.h"
#include "base/tensor.h"

namespace tally {

// As many heads as an attention may have before its values count as images. A 3 x 3 window over as many
// channels, row-major, is in at most 48 leaves.
inline constexpr int64_t kMostRowMajorChannels = 16;

// The layout in which a value of a run is committed to: channels last for an image or a volume
// [N, C > 16, spatial..], row-major for everything else. Constants are row-major whatever their shape.
Layout CommittedLayout(const Shape& shape);

class TensorLeaves {
 public:
  TensorLeaves(Storage storage, const Shape& shape, Layout layout = Layout::kRowMajor);

  int64_t count() const { return count_; }
  const LeafLayout& cuts() const { return cuts_; }

  // Where all bytes of an element are: the leaf, and the first byte in it.
  struct Place {
    int64_t leaf, offset;
  };
  Place PlaceOf(int64_t element) const;  // row-major index
  // The element that is there; `offset` is below the size of the leaf, and in the element's first byte.
  int64_t ElementAt(const Place& place) const;

 private:
  int64_t InLayout(int64_t element) const;

  int64_t element_bytes_;
  int64_t channels_ = 1, positions_ = 1;  // those of a value that is channels last
  LeafLayout cuts_;
  int64_t count_;
};

// The bytes of `tensor`, which are row-major, in the order in which its leaves cut them.
std::vector<uint8_t> BytesOfLeaves(const TensorView& tensor, Layout layout);

// The root of the tree over the leaves. The bytes of `tensor` are row-major, whatever the layout of leaves.
Digest TensorRoot(const TensorView& tensor, Layout layout = Layout::kRowMajor);

// The same for a value of a run, in its CommittedLayout.
Digest ValueRoot(const TensorView& value);

// Runs part(0), .. part(parts - 1), possibly at the same time.
using RunParts = std::function<void(int parts, const std::function<void(int)>& part)>;

// TensorRoot(tensor) by so many threads.
Digest TensorRootInParts(const TensorView& tensor, int threads, const RunParts& run);

}  // namespace tally
