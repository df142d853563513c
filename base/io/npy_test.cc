#include "base/io/npy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/io/file.h"

namespace tally {
namespace {

// A version `major` file around a header text that the caller may spoil.
std::vector<uint8_t> File(int major, std::string_view header, std::vector<uint8_t> data) {
  std::vector<uint8_t> file = {0x93, 'N', 'U', 'M', 'P', 'Y', static_cast<uint8_t>(major), 0};
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file.push_back(static_cast<uint8_t>(header.size() >> (8 * i)));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string LabelOf(const std::vector<uint8_t>& file) { return ErrorLabel(DecodeNpy(file).status()); }

std::string HeaderLabel(std::string_view header) { return LabelOf(File(1, header, {1, 2, 3})); }

constexpr std::string_view kThreeBytes = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n";

TEST(Npy, DecodesVersions1And2) {
  for (const int major : {1, 2}) {
    const auto array = DecodeNpy(File(major, kThreeBytes, {7, 8, 9}));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->type, NpyType::kUint8);
    EXPECT_EQ(array->shape, std::vector<int64_t>{3});
    EXPECT_EQ(array->bytes, (std::vector<uint8_t>{7, 8, 9}));
  }
}

TEST(Npy, AcceptsKeysInAnyOrderAndDoubleQuotes) {
  const auto array =
      DecodeNpy(File(1, "{\"shape\":(1, 2,),\"fortran_order\":False,\"descr\":\"<i2\"}", {1, 0, 2, 0}));
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->type, NpyType::kInt16);
  EXPECT_EQ(array->shape, (std::vector<int64_t>{1, 2}));
}

TEST(Npy, EncodesWhatNumPyEncodes) {
  const auto file = EncodeNpy({NpyType::kFloat32, {2, 1}, {0, 0, 128, 63, 0, 0, 0, 64}});
  ASSERT_TRUE(file.ok());
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  header.resize(128 - 10 - 1, ' ');
  EXPECT_EQ(*file, File(1, header + "\n", {0, 0, 128, 63, 0, 0, 0, 64}));
}

TEST(Npy, RoundTripsEveryTypeAndRank) {
  for (const NpyType type : {NpyType::kInt8, NpyType::kInt16, NpyType::kInt32, NpyType::kInt64,
                             NpyType::kUint8, NpyType::kFloat32}) {
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {0}, {5}, {3, 0, 2}, {2, 3, 4}}) {
      int64_t size = NpyTypeSize(type);
      for (const int64_t dimension : shape) size *= dimension;
      NpyArray array{type, shape, {}};
      for (int64_t i = 0; i < size; ++i) array.bytes.push_back(static_cast<uint8_t>(i * 37));
      const auto file = EncodeNpy(array);
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_EQ((file->size() - array.bytes.size()) % 64, 0u);
      const auto decoded = DecodeNpy(*file);
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_EQ(decoded->type, array.type);
      EXPECT_EQ(decoded->shape, array.shape);
      EXPECT_EQ(decoded->bytes, array.bytes);
    }
  }
}

TEST(Npy, Truncated_EveryPrefixIsRefused) {
  const std::vector<uint8_t> file = File(2, kThreeBytes, {7, 8, 9});
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_EQ(LabelOf({file.begin(), file.begin() + static_cast<int64_t>(size)}), "npy_truncated") << size;
  }
}

TEST(Npy, Truncated_AHugeShapeAllocatesNothing) {
  EXPECT_EQ(HeaderLabel("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000), }"),
            "npy_truncated");
}

TEST(Npy, Magic_OtherFilesAreRefused) { EXPECT_EQ(LabelOf({'P', 'K', 3, 4}), "npy_magic"); }

TEST(Npy, Version_OthersAreRefused) {
  EXPECT_EQ(LabelOf(File(3, kThreeBytes, {7, 8, 9})), "npy_version");
  std::vector<uint8_t> file = File(1, kThreeBytes, {7, 8, 9});
  file[7] = 1;
  EXPECT_EQ(LabelOf(file), "npy_version");
}

TEST(Npy, Header_MalformedDictionariesAreRefused) {
  for (const std::string_view header :
       {"",
        "{",
        "{}",
        "x",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), } x",
        "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'shape': (3,)}",
        "{'fortran_order': False, 'shape': (3,)}",
        "{'descr: |u1}",
        "{'descr' '|u1'}",
        "{'descr': |u1}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': 3}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3 1)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), 'shape': (3,)}",
        "{'descr': '|u1' 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), 'extra': 1}"}) {
    EXPECT_EQ(HeaderLabel(header), "npy_header") << header;
  }
  EXPECT_EQ(LabelOf(File(2, std::string(10001, ' '), {})), "npy_header");
}

TEST(Npy, Type_OthersAndBigEndianAreRefused) {
  for (const std::string type : {">i4", "<c8", ">u4", "|O", "<U5", "<f16"}) {
    EXPECT_EQ(HeaderLabel("{'descr': '" + type + "', 'fortran_order': False, 'shape': (3,), }"), "npy_type")
        << type;
  }
}

TEST(Npy, Order_FortranIsRefused) {
  EXPECT_EQ(HeaderLabel("{'descr': '|u1', 'fortran_order': True, 'shape': (3,), }"), "npy_order");
}

TEST(Npy, Shape_OverflowAndRankAreRefused) {
  EXPECT_EQ(HeaderLabel("{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775807,), }"),
            "npy_shape");
  std::string ones;
  for (int i = 0; i < 33; ++i) ones += "1,";
  EXPECT_EQ(HeaderLabel("{'descr': '|u1', 'fortran_order': False, 'shape': (" + ones + "), }"), "npy_shape");
  EXPECT_EQ(ErrorLabel(EncodeNpy({NpyType::kUint8, std::vector<int64_t>(33, 1), {0}}).status()), "npy_shape");
  EXPECT_EQ(ErrorLabel(EncodeNpy({NpyType::kUint8, {-1}, {0}}).status()), "npy_shape");
}

TEST(Npy, Size_DataThatDisagreesIsRefused) {
  EXPECT_EQ(LabelOf(File(1, kThreeBytes, {7, 8, 9, 10})), "npy_size");
  EXPECT_EQ(ErrorLabel(EncodeNpy({NpyType::kInt16, {2}, {1, 2, 3}}).status()), "npy_size");
}

TEST(Npy, FilesAreReadWholeAndFailuresAreLabelled) {
  const std::string folder = testing::TempDir();
  const std::string path = folder + "/npy_test.npy";
  const NpyArray array{NpyType::kInt32, {1}, {1, 2, 3, 4}};
  const auto bytes = EncodeNpy(array);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  ASSERT_TRUE(WriteFileAtomically(path, *bytes).ok());
  const auto read = ReadNpyFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->bytes, array.bytes);
  ASSERT_TRUE(WriteFileAtomically(path, std::span(*bytes).first(20)).ok());
  EXPECT_EQ(ErrorLabel(ReadNpyFile(path).status()), "npy_truncated");
  EXPECT_EQ(ErrorLabel(ReadNpyFile(folder).status()), "file_open");
}

}  // namespace
}  // namespace tally
