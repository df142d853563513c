#include "base/tensor_leaves.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tally {
namespace {

std::vector<int64_t> LeafSizes(const Tensor& tensor) {
  const TensorLeaves leaves(tensor.storage(), tensor.shape());
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < leaves.count(); ++i) {
    sizes.push_back(static_cast<int64_t>(leaves.Bytes(tensor.view(), i).size()));
  }
  return sizes;
}

std::vector<int64_t> LeafSizes(Storage storage, std::initializer_list<int64_t> dims) {
  return LeafSizes(Tensor(*Shape::Create(dims), storage));
}

using Sizes = std::vector<int64_t>;

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

TEST(TensorLeaves, EveryElementLiesInTheLeafThatIsNamed) {
  for (const Storage storage : kAllStorages) {
    for (const auto& dims :
         {Sizes{}, Sizes{7}, Sizes{5, 300}, Sizes{3, 1500}, Sizes{2, 2, 1024}, Sizes{3, 5, 7}}) {
      const Tensor tensor(*Shape::Create(dims), storage);
      const TensorLeaves leaves(storage, tensor.shape());
      for (int64_t element = 0; element < tensor.shape().num_elements(); ++element) {
        const auto bytes = leaves.Bytes(tensor.view(), leaves.LeafOf(element));
        const uint8_t* first = tensor.bytes().data() + element * SizeBytes(storage);
        ASSERT_LE(bytes.data(), first);
        ASSERT_LE(first + SizeBytes(storage), bytes.data() + bytes.size());
      }
    }
  }
}

}  // namespace
}  // namespace tally
