#include "base/hash/tensor_leaves.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "base/hash/merkle.h"

namespace tally {
namespace {

using Sizes = std::vector<int64_t>;

Sizes LeafSizes(Storage storage, const Sizes& dims, Layout layout = Layout::kRowMajor) {
  const TensorLeaves leaves(storage, *Shape::Create(dims), layout);
  Sizes sizes;
  for (int64_t i = 0; i < leaves.count(); ++i) sizes.push_back(leaves.cuts().At(i).size);
  return sizes;
}

TEST(TensorLeaves, CutLongFibersWithoutCrossingThem) {
  EXPECT_EQ(LeafSizes(Storage::kI8, {3, 1500}), (Sizes{1024, 476, 1024, 476, 1024, 476}));
  EXPECT_EQ(LeafSizes(Storage::kI32, {2, 256}), (Sizes{1024, 1024}));
  EXPECT_EQ(LeafSizes(Storage::kI64, {129}), (Sizes{1024, 8}));
}

TEST(TensorLeaves, GatherShortFibersWhole) {
  EXPECT_EQ(LeafSizes(Storage::kI8, {5, 300}), (Sizes{900, 600}));
  EXPECT_EQ(LeafSizes(Storage::kI8, {2, 513}), (Sizes{513, 513}));
  EXPECT_EQ(LeafSizes(Storage::kI16, {2, 3, 4}), (Sizes{48}));
  EXPECT_EQ(LeafSizes(Storage::kI8, {1025, 1}), (Sizes{1024, 1}));
}

TEST(TensorLeaves, AScalarIsOneLeaf) { EXPECT_EQ(LeafSizes(Storage::kI64, {}), (Sizes{8})); }

TEST(TensorLeaves, FollowTheChannelsOfAnImage) {
  EXPECT_EQ(LeafSizes(Storage::kI8, {1, 300, 1, 5}, Layout::kChannelsLast), (Sizes{900, 600}));
  EXPECT_EQ(LeafSizes(Storage::kI16, {2, 600, 1, 1}, Layout::kChannelsLast), (Sizes{1024, 176, 1024, 176}));
  EXPECT_EQ(LeafSizes(Storage::kI8, {5, 300}, Layout::kChannelsLast), (Sizes{900, 600}));  // no image
}

TEST(TensorLeaves, ValuesAreCommittedToByRankAndChannels) {
  const auto layout = [](const Sizes& dims) { return CommittedLayout(*Shape::Create(dims)); };
  EXPECT_EQ(layout({1, 17, 56, 56}), Layout::kChannelsLast);
  EXPECT_EQ(layout({1, 17, 1, 1}), Layout::kChannelsLast);
  EXPECT_EQ(layout({2, 64, 8, 8, 8}), Layout::kChannelsLast);
  EXPECT_EQ(layout({1, 16, 128, 64}), Layout::kRowMajor);  // heads
  EXPECT_EQ(layout({1, 128, 768}), Layout::kRowMajor);     // a sequence
  EXPECT_EQ(layout({1, 64, 2, 2, 8, 8}), Layout::kRowMajor);
  EXPECT_EQ(layout({}), Layout::kRowMajor);
}

// The leaves, element by element, are what the tree is over: each element is in one place, no place is left
// over, and the bytes there are its own.
TEST(TensorLeaves, EveryElementIsWhereItsPlaceSaysAndTheRootIsOverThosePlaces) {
  for (const Storage storage : kAllStorages) {
    for (const Sizes& dims :
         {Sizes{}, Sizes{7}, Sizes{5, 300}, Sizes{3, 1500}, Sizes{2, 2, 1024}, Sizes{3, 5, 7},
          Sizes{2, 18, 3, 50}, Sizes{3, 1100, 1, 2}, Sizes{2, 40, 2, 3, 5}, Sizes{1, 17, 90, 91},
          Sizes{400, 700}, Sizes{257, 1030}, Sizes{2, 700, 9, 11}}) {
      Tensor tensor(*Shape::Create(dims), storage);
      uint32_t state = 1;
      for (uint8_t& byte : tensor.mutable_bytes()) {
        byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
      }
      for (const Layout layout : {Layout::kRowMajor, Layout::kChannelsLast}) {
        const TensorLeaves leaves(storage, tensor.shape(), layout);
        std::vector<std::vector<uint8_t>> bytes(leaves.count());
        for (int64_t i = 0; i < leaves.count(); ++i) bytes[i].resize(leaves.cuts().At(i).size);
        std::set<std::pair<int64_t, int64_t>> places;
        for (int64_t element = 0; element < tensor.shape().num_elements(); ++element) {
          const auto [leaf, offset] = leaves.PlaceOf(element);
          ASSERT_LE(offset + SizeBytes(storage), std::ssize(bytes.at(leaf)));
          EXPECT_TRUE(places.emplace(leaf, offset).second);
          StoreElement(storage, bytes[leaf].data() + offset, 0, tensor.view().at(element));
        }
        MerkleTree tree;
        for (const std::vector<uint8_t>& leaf : bytes) tree.AddLeaf(leaf);
        EXPECT_EQ(TensorRoot(tensor.view(), layout), tree.Root()) << tensor.shape().ToString();
        const RunParts backwards = [](int parts, const std::function<void(int)>& part) {
          for (int p = parts; p-- > 0;) part(p);
        };
        if (layout == Layout::kRowMajor) {
          for (const int threads : {1, 2, 3, 7}) {
            EXPECT_EQ(TensorRootInParts(tensor.view(), threads, backwards), tree.Root()) << threads;
          }
        }
        if (layout == CommittedLayout(tensor.shape())) {
          EXPECT_EQ(ValueRoot(tensor.view()), tree.Root());
        }
      }
    }
  }
}

}  // namespace
}  // namespace tally
