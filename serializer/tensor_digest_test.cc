#include "serializer/tensor_digest.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/hash/merkle.h"

namespace tally {
namespace {

TEST(TensorHeader, IsReadAsItIsWritten) {
  const Digest root = MerkleLeafHash({});
  for (const Layout layout : {Layout::kRowMajor, Layout::kChannelsLast}) {
    const Shape shape = *Shape::Create({2, 32, 7, 300});
    std::vector<uint8_t> header = TensorHeader(Storage::kI32, shape, layout, root);
    const auto fields = DecodeTensorHeader(header);
    ASSERT_TRUE(fields.ok()) << fields.status();
    EXPECT_EQ(fields->storage, Storage::kI32);
    EXPECT_EQ(fields->shape, shape);
    EXPECT_EQ(fields->layout, layout);
    EXPECT_EQ(fields->root, root);
    const size_t begin = RootInTensorHeader(header.size(), layout);
    EXPECT_TRUE(std::equal(root.begin(), root.end(), header.begin() + static_cast<int64_t>(begin)));
    header[2] = 4;  // no storage has this code
    EXPECT_EQ(ErrorLabel(DecodeTensorHeader(header).status()), "tensor_header");
  }
}

TEST(TensorHeader, HasTheLayoutOfItsShape) {
  // No value of a run has channels last with these shapes, and some have no channels at all.
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{}, {7}, {2, 32}, {2, 32, 7}, {2, 16, 7, 7}, {1, 32, 2, 2, 2, 2}}) {
    const Shape shape = *Shape::Create(dims);
    const std::vector<uint8_t> header = TensorHeader(Storage::kI8, shape, Layout::kChannelsLast, Digest());
    EXPECT_EQ(ErrorLabel(DecodeTensorHeader(header).status()), "tensor_header") << shape.ToString();
  }
}

TEST(TensorHeader, HasNoMoreBytesThanItMay) {
  const Shape widest = *Shape::Create({1, 1, 1, 1, 1, 1, 1, kMaxDim});
  EXPECT_LE(TensorHeader(Storage::kI64, widest, Layout::kRowMajor, Digest()).size(), kMaxTensorHeaderBytes);
  EXPECT_GE(kMaxTensorHeaderBytes, 48 + size_t{kMaxRank} * 5)
      << "each dim may be wide, but for their product";
}

}  // namespace
}  // namespace tally
