#include "proof/trace/partial_tensor.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally {
namespace {

TEST(PartialTensor, ReadsWhatItsLeavesHaveAndNamesTheOthers) {
  const Shape shape = *Shape::Create({1, 20, 1, 60});
  PartialTensor x(Storage::kI8, shape, Layout::kChannelsLast);  // 51 pixels of 20 bytes in a leaf
  ASSERT_EQ(x.leaves().count(), 2);
  std::vector<uint8_t> leaf(180);
  for (size_t i = 0; i < leaf.size(); ++i) leaf[i] = static_cast<uint8_t>(i);
  ASSERT_TRUE(x.Add(1, leaf).ok());
  EXPECT_EQ(*x.Read(51), 0);        // channel 0 of pixel 51
  EXPECT_EQ(*x.Read(60 + 52), 21);  // channel 1 of pixel 52
  EXPECT_EQ(*x.Read(19 * 60 + 59), static_cast<int8_t>(179));
  const absl::Status missing = x.Read(60).status();
  EXPECT_EQ(ErrorLabel(missing), "leaf_missing");
  EXPECT_NE(missing.message().find("leaf 0"), absl::string_view::npos) << missing;
}

TEST(PartialTensor, RefusesLeavesAndElementsThatAreNone) {
  PartialTensor x(Storage::kI16, *Shape::Create({3, 5}), Layout::kRowMajor);
  const std::vector<uint8_t> leaf(30), longer(31);
  for (const int64_t number : {int64_t{-1}, int64_t{1}}) {
    EXPECT_EQ(ErrorLabel(x.Add(number, leaf)), "leaf_bytes");
  }
  EXPECT_EQ(ErrorLabel(x.Add(0, longer)), "leaf_bytes");
  ASSERT_TRUE(x.Add(0, leaf).ok());
  EXPECT_TRUE(x.Read(14).ok());
  for (const int64_t element : {int64_t{-1}, int64_t{15}, int64_t{1} << 62}) {
    EXPECT_EQ(ErrorLabel(x.Read(element).status()), "leaf_missing");
  }
}

}  // namespace
}  // namespace tally
