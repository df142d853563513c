#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "serializer/testing/golden_module.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

std::string LabelOf(const Bytes& bytes) { return ErrorLabel(Decode(bytes, nullptr).status()); }

// The golden file with the bytes at `offset` replaced by as many others.
Bytes Patched(size_t offset, const Bytes& patch) {
  Bytes bytes = GoldenBytes();
  std::copy(patch.begin(), patch.end(), bytes.begin() + static_cast<int64_t>(offset));
  return bytes;
}

// The golden file with `removed` bytes of section payload at `offset` replaced, and the section's length
// adjusted.
Bytes Spliced(size_t section, size_t offset, size_t removed, const Bytes& inserted) {
  Bytes bytes = GoldenBytes();
  bytes[section + 1] = static_cast<uint8_t>(bytes[section + 1] + inserted.size() - removed);
  const auto at = bytes.begin() + static_cast<int64_t>(offset);
  bytes.insert(bytes.erase(at, at + static_cast<int64_t>(removed)), inserted.begin(), inserted.end());
  return bytes;
}

constexpr size_t kFunctionsAt = 14, kConstantsAt = 39, kMetadataAt = 52, kDataAt = 70;

TEST(Codec, GoldenFilePinsFormatVersionOne) {
  EXPECT_EQ(Encode(GoldenModule()), GoldenBytes());
  const auto decoded = Decode(GoldenBytes());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_TRUE(*decoded == GoldenModule());
}

TEST(Codec, ConstantsAreAlignedViewsThatKeepTheirOwnerAlive) {
  auto owner = std::make_shared<const Bytes>(GoldenBytes());
  const Bytes& bytes = *owner;
  auto decoded = Decode(bytes, owner);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->constants[0].bytes.data(), bytes.data() + 128);
  EXPECT_EQ(owner.use_count(), 2);
  decoded = absl::CancelledError();
  EXPECT_EQ(owner.use_count(), 1);
}

// One file for each way to be malformed, by label.
std::multimap<std::string, Bytes> MalformedFiles() {
  Bytes longer = GoldenBytes();
  longer.push_back(0);
  Bytes cut = GoldenBytes();
  cut.pop_back();
  const Bytes endless(10, 0xff);
  Bytes three_of_half_a_tebibyte = {3};
  for (int i = 0; i < 3; ++i) {
    three_of_half_a_tebibyte.insert(three_of_half_a_tebibyte.end(),
                                    {3, 2, 0x80, 0x80, 0x04, 0x80, 0x80, 0x40});
  }
  const Bytes beyond_u32 = {0x80, 0x80, 0x80, 0x80, 0x10};
  return {
      {"unexpected_end", cut},
      {"unexpected_end", Patched(kFunctionsAt + 1, {255})},
      {"unexpected_end", Patched(kFunctionsAt + 1, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})},
      {"unexpected_end", Patched(kFunctionsAt + 1, {14})},
      {"varint_not_minimal", Spliced(kFunctionsAt, 23, 1, {0x81, 0})},
      {"varint_too_long", Spliced(kFunctionsAt, 23, 1, endless)},
      {"nonzero_padding", Patched(127, {1})},
      {"bad_magic", Patched(0, {0x09})},
      {"bad_magic", Patched(6, {'\n', 1})},
      {"bad_magic", {'{', '}'}},
      {"bad_format_version", Patched(8, {2})},
      {"bad_profile", Patched(9, {2})},
      {"bad_storage", Patched(49, {8})},
      {"bad_enum", Spliced(kConstantsAt, 49, 3, {4, 1, 2, 255})},
      {"unexpected_end", Patched(49, {4, 1, 2, 0})},
      {"bad_section", Patched(kFunctionsAt, {2})},
      {"bad_section", Patched(kDataAt, {3})},
      {"bad_section", Patched(kFunctionsAt + 1, {17})},
      {"bad_section", Spliced(kDataAt, 132, 0, {0})},
      {"bad_text_encoding", Patched(62, {0xff})},
      {"bad_text_encoding", Patched(62, {'\n'})},
      {"bad_flag", Patched(63, {2})},
      {"count_limit", Spliced(kFunctionsAt, 23, 16, {0})},
      {"unexpected_end", Patched(23, {2})},
      {"count_limit", Patched(24, {50})},
      {"count_limit", Patched(29, {50})},
      {"count_limit", Patched(37, {50})},
      {"count_limit", Spliced(kFunctionsAt, 24, 1, {0x80, 0x80, 0x04})},
      {"count_limit", Patched(48, {50})},
      {"count_limit", Patched(61, {50})},
      {"count_limit", Spliced(kConstantsAt, 48, 4, three_of_half_a_tebibyte)},
      {"unknown_opcode", Patched(30, {0x82, 0x02})},
      {"trailing_bytes", longer},
      {"shape_rank", Patched(25, {9})},
      {"shape_dim", Patched(26, {0})},
      {"shape_dim", Spliced(kFunctionsAt, 26, 1, {0x80, 0x80, 0x80, 0x80, 0x08})},
      {"shape_dim",
       Spliced(kFunctionsAt, 26, 1, {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01})},
      {"shape_elements", Spliced(kFunctionsAt, 25, 2, {2, 0x80, 0x80, 0x80, 0x01, 0x80, 0x80, 0x80, 0x01})},
      {"bad_value_id", Spliced(kFunctionsAt, 35, 1, beyond_u32)},
      {"bad_value_id", Spliced(kFunctionsAt, 38, 1, beyond_u32)},
  };
}

TEST(Codec, MalformedFilesAreRefusedByLabel) {
  for (const auto& [label, bytes] : MalformedFiles()) EXPECT_EQ(LabelOf(bytes), label);
}

TEST(Codec, EveryPrefixIsRefused) {
  const Bytes golden = GoldenBytes();
  for (size_t size = 0; size < golden.size(); ++size) {
    const std::string label = LabelOf(Bytes(golden.begin(), golden.begin() + static_cast<int64_t>(size)));
    EXPECT_EQ(label, "unexpected_end") << size;
  }
}

TEST(Codec, EverySectionStandsOnceAndInOrder) {
  const int64_t starts[] = {kFunctionsAt, kConstantsAt, kMetadataAt, kDataAt,
                            static_cast<int64_t>(GoldenBytes().size())};
  const Bytes golden = GoldenBytes();
  for (int from = 0; from < 4; ++from) {
    const Bytes section(golden.begin() + starts[from], golden.begin() + starts[from + 1]);
    for (int to = 0; to <= 4; ++to) {
      Bytes repeated = golden;
      repeated.insert(repeated.begin() + starts[to], section.begin(), section.end());
      const bool behind_data = to == 4 || (from == 3 && to == 3);
      EXPECT_EQ(LabelOf(repeated), behind_data ? "trailing_bytes" : "bad_section") << from << " at " << to;
    }
    Bytes without = golden;
    without.erase(without.begin() + starts[from], without.begin() + starts[from + 1]);
    EXPECT_EQ(LabelOf(without), from == 3 ? "unexpected_end" : "bad_section") << from;
  }
}

}  // namespace
}  // namespace tally
