#include "serializer/tensor_digest.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/merkle.h"

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

}  // namespace
}  // namespace tally
