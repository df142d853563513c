#include "frontends/cvm/params.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/cvm/testing/model_writer.h"

namespace tally::cvm {
namespace {

std::vector<uint8_t> TwoArrays() {
  return ModelWriter()
      .Weight("w", {2, 2}, {1, -2, 127, -127}, 8, 8)
      .Weight("", {1}, {1 << 20}, 32, 32)
      .Params();
}

std::string LabelOf(const std::vector<uint8_t>& bytes) { return ErrorLabel(ReadParams(bytes).status()); }

// Where the fields of the first array begin.
constexpr size_t kFirstName = 24, kSecondCount = kFirstName + 8 + 1 + 8, kArray = kSecondCount + 8;
constexpr size_t kDevice = kArray + 16, kRank = kDevice + 8, kType = kRank + 4, kDims = kType + 4,
                 kSize = kDims + 16;

std::string LabelWith(size_t offset, uint8_t value) {
  std::vector<uint8_t> bytes = TwoArrays();
  bytes[offset] = value;
  return LabelOf(bytes);
}

TEST(ReadParams, ReadsNamesShapesAndElements) {
  const std::vector<uint8_t> bytes = TwoArrays();
  const auto params = ReadParams(bytes);
  ASSERT_TRUE(params.ok()) << params.status();
  ASSERT_EQ(params->size(), 2);
  EXPECT_EQ((*params)[0].name, "w");
  EXPECT_EQ((*params)[0].array.shape, *Shape::Create({2, 2}));
  EXPECT_EQ((*params)[0].array.storage, Storage::kI8);
  EXPECT_EQ((*params)[0].array.at(3), -127);
  EXPECT_EQ((*params)[1].name, "");
  EXPECT_EQ((*params)[1].array.at(0), 1 << 20);
  EXPECT_TRUE(ReadParams(ModelWriter().Params())->empty());
}

TEST(ReadParams, RefusesEveryPrefix) {
  const std::vector<uint8_t> bytes = TwoArrays();
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(LabelOf({bytes.begin(), bytes.begin() + length}), "cvm_params") << length;
  }
}

TEST(ReadParams, RefusesTrailingBytes) {
  std::vector<uint8_t> bytes = TwoArrays();
  bytes.push_back(0);
  EXPECT_EQ(LabelOf(bytes), "cvm_params");
}

TEST(ReadParams, RefusesOtherFields) {
  for (const size_t offset :
       {size_t{0}, size_t{8}, kArray, kArray + 8, kDevice, kType, kType + 1, kType + 2, kSize}) {
    EXPECT_EQ(LabelWith(offset, 3), "cvm_params") << offset;
  }
  EXPECT_EQ(LabelWith(kType + 1, 16), "cvm_params");
  EXPECT_EQ(LabelWith(kDevice + 4, 3), "");  // one CPU is like another
}

TEST(ReadParams, ChecksCountsAgainstTheBytes) {
  for (const size_t count : {size_t{16}, kSecondCount}) {
    for (const size_t byte : {0, 3, 7})
      EXPECT_EQ(LabelWith(count + byte, 0xff), "cvm_params") << count + byte;
  }
  EXPECT_EQ(LabelWith(kSecondCount, 1), "cvm_params");
  for (const size_t byte : {0, 3, 7}) EXPECT_EQ(LabelWith(kFirstName + byte, 0xff), "cvm_params") << byte;
}

TEST(ReadParams, ChecksShapesIn64Bits) {
  EXPECT_EQ(LabelWith(kRank, 9), "shape_rank");
  EXPECT_EQ(LabelWith(kRank + 3, 0xff), "shape_rank");
  EXPECT_EQ(LabelWith(kDims, 0), "shape_dim");
  EXPECT_EQ(LabelWith(kDims + 7, 0x80), "shape_dim");
  EXPECT_EQ(LabelWith(kDims + 7, 0x40), "shape_dim");
  EXPECT_EQ(LabelWith(kDims + 3, 0x40), "cvm_params");  // 2^31 elements and four bytes
}

TEST(ReadParams, NamesStandOnce) {
  EXPECT_EQ(LabelOf(ModelWriter().Weight("w", {1}, {1}).Weight("w", {1}, {1}).Params()), "cvm_param_name");
}

TEST(WriteParams, IsTheInverse) {
  const std::vector<uint8_t> bytes = TwoArrays();
  EXPECT_EQ(WriteParams(*ReadParams(bytes)), bytes);
  EXPECT_EQ(WriteParams({}), ModelWriter().Params());
}

}  // namespace
}  // namespace tally::cvm
