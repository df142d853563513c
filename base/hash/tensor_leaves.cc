#include "base/hash/tensor_leaves.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/hash/merkle.h"
#include "base/int_math.h"

namespace tally {
namespace {

// Bytes that are brought into another layout before they are hashed: several times those of a leaf.
constexpr int64_t kChunkBytes = 64 * kTensorLeafBytes;
// Fewer are hashed before another thread has begun.
constexpr int64_t kLeastLeavesOfPart = 32;

void AddLeaves(const TensorLeaves& leaves, int64_t first, int64_t end, const uint8_t* bytes,
               MerkleTree& tree) {
  tree.AddLeaves(static_cast<uint64_t>(end - first), [&](uint64_t i) {
    const auto [begin, size] = leaves.cuts().At(first + static_cast<int64_t>(i));
    return std::span(bytes + begin, static_cast<size_t>(size));
  });
}

void AddLeaves(const TensorLeaves& leaves, const uint8_t* bytes, MerkleTree& tree) {
  AddLeaves(leaves, 0, leaves.count(), bytes, tree);
}

// Positions [begin, end) of one image [C, positions], each with all its channels.
template <typename Word>
void GatherChannels(const uint8_t* image, int64_t channels, int64_t positions, int64_t begin, int64_t end,
                    uint8_t* to) {
  for (int64_t c = 0; c < channels; ++c) {
    const uint8_t* const row = image + (c * positions + begin) * static_cast<int64_t>(sizeof(Word));
    for (int64_t i = 0; i < end - begin; ++i) {
      std::memcpy(to + (i * channels + c) * static_cast<int64_t>(sizeof(Word)),
                  row + i * static_cast<int64_t>(sizeof(Word)), sizeof(Word));
    }
  }
}

void GatherChannels(Storage storage, const uint8_t* image, int64_t channels, int64_t positions, int64_t begin,
                    int64_t end, uint8_t* to) {
  switch (storage) {
    case Storage::kI8: return GatherChannels<int8_t>(image, channels, positions, begin, end, to);
    case Storage::kI16: return GatherChannels<int16_t>(image, channels, positions, begin, end, to);
    case Storage::kI32: return GatherChannels<int32_t>(image, channels, positions, begin, end, to);
    case Storage::kI64: return GatherChannels<int64_t>(image, channels, positions, begin, end, to);
  }
}

// Brings so many whole leaves at a time into the layout, and hashes them.
Digest ChannelsLastRoot(const TensorView& value) {
  const int64_t channels = value.shape[1], positions = value.shape.stride(1);
  const int64_t pixel_bytes = channels * SizeBytes(value.storage);
  const int64_t pixels = value.shape[0] * positions;
  const int64_t pixels_per_leaf = std::max<int64_t>(kTensorLeafBytes / pixel_bytes, 1);
  const int64_t leaves_per_chunk = std::max<int64_t>(kChunkBytes / (pixels_per_leaf * pixel_bytes), 1);
  const int64_t chunk = std::min(pixels_per_leaf * leaves_per_chunk, pixels);
  std::vector<uint8_t> bytes(static_cast<size_t>(chunk * pixel_bytes));
  MerkleTree tree;
  for (int64_t first = 0; first < pixels; first += chunk) {
    const int64_t count = std::min(chunk, pixels - first);
    for (int64_t done = 0; done < count;) {
      const int64_t image = (first + done) / positions, begin = (first + done) % positions;
      const int64_t end = std::min(begin + count - done, positions);
      GatherChannels(value.storage, value.bytes.data() + image * positions * pixel_bytes, channels, positions,
                     begin, end, bytes.data() + done * pixel_bytes);
      done += end - begin;
    }
    AddLeaves(TensorLeaves(value.storage, *Shape::Create({count, channels})), bytes.data(), tree);
  }
  return tree.Root();
}

}  // namespace

Layout CommittedLayout(const Shape& shape) {
  const bool is_image = shape.rank() >= 4 && HasChannels(shape);
  return is_image && shape[1] > kMostRowMajorChannels ? Layout::kChannelsLast : Layout::kRowMajor;
}

TensorLeaves::TensorLeaves(Storage storage, const Shape& shape, Layout layout)
    : element_bytes_(SizeBytes(storage)), cuts_{.total_bytes = shape.num_elements() * element_bytes_} {
  // A scalar is one fiber of one element.
  int64_t fiber_bytes = element_bytes_ * (shape.rank() == 0 ? 1 : shape[shape.rank() - 1]);
  if (layout == Layout::kChannelsLast && HasChannels(shape)) {
    channels_ = shape[1];
    positions_ = shape.stride(1);
    fiber_bytes = element_bytes_ * channels_;
  }
  if (fiber_bytes >= kTensorLeafBytes) {
    cuts_.group_bytes = fiber_bytes;
    cuts_.leaves_per_group = CeilDiv(fiber_bytes, kTensorLeafBytes);
  } else {
    cuts_.group_bytes = kTensorLeafBytes / fiber_bytes * fiber_bytes;
    cuts_.leaves_per_group = 1;
  }
  count_ = CeilDiv(cuts_.total_bytes, cuts_.group_bytes) * cuts_.leaves_per_group;
}

int64_t TensorLeaves::InLayout(int64_t element) const {
  const int64_t image = element / (channels_ * positions_), rest = element % (channels_ * positions_);
  return (image * positions_ + rest % positions_) * channels_ + rest / positions_;
}

TensorLeaves::Place TensorLeaves::PlaceOf(int64_t element) const {
  const int64_t byte = InLayout(element) * element_bytes_;
  const int64_t in_group = byte % cuts_.group_bytes;
  return {byte / cuts_.group_bytes * cuts_.leaves_per_group + in_group / kTensorLeafBytes,
          in_group % kTensorLeafBytes};
}

std::vector<uint8_t> BytesOfLeaves(const TensorView& tensor, Layout layout) {
  std::vector<uint8_t> bytes(tensor.bytes.begin(), tensor.bytes.end());
  if (layout == Layout::kRowMajor || !HasChannels(tensor.shape)) return bytes;
  const int64_t channels = tensor.shape[1], positions = tensor.shape.stride(1);
  const int64_t image_bytes = channels * positions * SizeBytes(tensor.storage);
  for (int64_t image = 0; image < tensor.shape[0]; ++image) {
    GatherChannels(tensor.storage, tensor.bytes.data() + image * image_bytes, channels, positions, 0,
                   positions, bytes.data() + image * image_bytes);
  }
  return bytes;
}

int64_t TensorLeaves::ElementAt(const Place& place) const {
  const int64_t number = (cuts_.At(place.leaf).begin + place.offset) / element_bytes_;
  const int64_t image = number / (channels_ * positions_), rest = number % (channels_ * positions_);
  return (image * channels_ + rest % channels_) * positions_ + rest / channels_;
}

Digest TensorRoot(const TensorView& tensor, Layout layout) {
  if (layout == Layout::kChannelsLast && HasChannels(tensor.shape)) return ChannelsLastRoot(tensor);
  MerkleTree tree;
  AddLeaves(TensorLeaves(tensor.storage, tensor.shape), tensor.bytes.data(), tree);
  return tree.Root();
}

// A tree splits at powers of two, so that the roots of as many leaves each, and of the rest, are its nodes.
Digest TensorRootInParts(const TensorView& tensor, int threads, const RunParts& run) {
  const TensorLeaves leaves(tensor.storage, tensor.shape);
  const int64_t count = leaves.count(), share = CeilDiv(count, 2 * int64_t{threads});
  const auto leaves_of_part =
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(share, kLeastLeavesOfPart))));
  if (threads == 1 || count <= leaves_of_part) return TensorRoot(tensor);
  std::vector<Digest> roots(static_cast<size_t>(CeilDiv(count, leaves_of_part)));
  run(static_cast<int>(roots.size()), [&](int part) {
    const int64_t begin = part * leaves_of_part, end = std::min(begin + leaves_of_part, count);
    MerkleTree tree;
    AddLeaves(leaves, begin, end, tensor.bytes.data(), tree);
    roots[static_cast<size_t>(part)] = tree.Root();
  });
  return MerkleRoot(roots);
}

Digest ValueRoot(const TensorView& value) { return TensorRoot(value, CommittedLayout(value.shape)); }

}  // namespace tally
