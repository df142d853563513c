#include "cli/samples/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>

#include "base/error.h"

namespace tally::cli {
namespace {

using Bytes = std::vector<uint8_t>;

void Put(Bytes& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

Bytes Deflate(const Bytes& plain) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes out(plain.size() + 100);
  stream.next_in = const_cast<Bytef*>(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Member {
  std::string name;
  Bytes bytes;
  bool deflated = false;
  bool wide = false;  // sizes in 64 bits, as NumPy writes them for large arrays
  uint16_t flags = 0;
  uint16_t method = 8;
};

Bytes Zip(const std::vector<Member>& members, bool wide_end = false) {
  Bytes file, entries;
  for (const Member& member : members) {
    const uint64_t at = file.size();
    const Bytes stored = member.deflated ? Deflate(member.bytes) : member.bytes;
    Bytes extra;
    if (member.wide) {
      Put(extra, 0x1234, 2);
      Put(extra, 1, 2);
      Put(extra, 0, 1);
      Put(extra, 1, 2);
      Put(extra, 16, 2);
      Put(extra, member.bytes.size(), 8);
      Put(extra, stored.size(), 8);
    }
    for (Bytes* header : {&file, &entries}) {
      const bool is_entry = header == &entries;
      Put(*header, is_entry ? 0x02014b50 : 0x04034b50, 4);
      if (is_entry) Put(*header, 20, 2);
      Put(*header, 20, 2);
      Put(*header, member.flags, 2);
      Put(*header, member.deflated ? member.method : 0, 2);
      Put(*header, 0, 8);  // time, CRC
      Put(*header, member.wide ? 0xffffffff : stored.size(), 4);
      Put(*header, member.wide ? 0xffffffff : member.bytes.size(), 4);
      Put(*header, member.name.size(), 2);
      Put(*header, extra.size(), 2);
      if (is_entry) {
        Put(*header, 0, 10);
        Put(*header, at, 4);
      }
      header->insert(header->end(), member.name.begin(), member.name.end());
      header->insert(header->end(), extra.begin(), extra.end());
    }
    file.insert(file.end(), stored.begin(), stored.end());
  }
  const uint64_t first = file.size(), size = entries.size();
  file.insert(file.end(), entries.begin(), entries.end());
  if (wide_end) {
    const uint64_t end64 = file.size();
    Put(file, 0x06064b50, 4);
    Put(file, 44, 8);
    Put(file, 0, 12);
    Put(file, 0, 8);  // disks, and entries of this one
    Put(file, members.size(), 8);
    Put(file, size, 8);
    Put(file, first, 8);
    Put(file, 0x07064b50, 4);
    Put(file, 0, 4);
    Put(file, end64, 8);
    Put(file, 1, 4);
  }
  Put(file, 0x06054b50, 4);
  Put(file, 0, 6);
  Put(file, wide_end ? 0xffff : members.size(), 2);
  Put(file, size, 4);
  Put(file, wide_end ? 0xffffffff : first, 4);
  Put(file, 0, 2);
  return file;
}

std::shared_ptr<const InputFile> FileOf(const Bytes& bytes) {
  const std::string path = testing::TempDir() + "npz_test.npz";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return std::make_shared<const InputFile>(*InputFile::Open(path, kMaxSampleFileBytes));
}

Bytes Counting(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * i >> 7);
  return bytes;
}

TEST(Npz, ListsAndReadsItsMembers) {
  const Bytes large = Counting(300000);
  for (const bool wide_end : {false, true}) {
    const auto file = FileOf(Zip({{.name = "a.npy", .bytes = {1, 2, 3}},
                                  {.name = "b.npy", .bytes = large, .deflated = true},
                                  {.name = "c", .bytes = large, .deflated = true, .wide = true},
                                  {.name = "d.npy", .bytes = {}}},
                                 wide_end));
    EXPECT_TRUE(*IsNpz(file));
    const auto members = ListNpz(file);
    ASSERT_TRUE(members.ok()) << members.status();
    ASSERT_EQ(members->size(), 4u);
    EXPECT_EQ((*members)[0].name, "a");
    EXPECT_EQ((*members)[2].name, "c");
    Bytes three(3);
    EXPECT_TRUE(OpenMember(file, (*members)[0])->Read(0, three).ok());
    EXPECT_EQ(three, (Bytes{1, 2, 3}));
    for (const size_t m : {1, 2}) {
      const auto array = OpenMember(file, (*members)[m]);
      EXPECT_EQ(array->size(), large.size());
      for (const size_t at : {size_t{0}, size_t{70000}, size_t{70100}, size_t{299900}, size_t{5}}) {
        Bytes piece(100);
        ASSERT_TRUE(array->Read(at, piece).ok());
        EXPECT_TRUE(std::equal(piece.begin(), piece.end(), large.begin() + static_cast<ptrdiff_t>(at))) << at;
      }
    }
  }
}

TEST(Npz, OtherFilesAreNone) {
  EXPECT_FALSE(*IsNpz(FileOf({})));
  EXPECT_FALSE(*IsNpz(FileOf({0x93, 'N', 'U', 'M', 'P', 'Y'})));
  EXPECT_EQ(ErrorLabel(ListNpz(FileOf(Counting(1000))).status()), "npz_format");
}

TEST(Npz, NpzFormat_WhatNumPyDoesNotWrite) {
  const auto label_of = [](const std::vector<Member>& members) {
    return ErrorLabel(ListNpz(FileOf(Zip(members))).status());
  };
  EXPECT_EQ(label_of({{.name = "a", .bytes = {1}, .flags = 1}}), "npz_format");
  EXPECT_EQ(label_of({{.name = "a", .bytes = {1}, .deflated = true, .method = 12}}), "npz_format");
  EXPECT_EQ(label_of({{.name = "a", .bytes = {1}}, {.name = "a.npy", .bytes = {1}}}), "npz_format");
  EXPECT_EQ(label_of(std::vector<Member>(5000, {.name = "a", .bytes = {}})), "npz_format");
}

// Every one-byte change and every shorter file.
TEST(Npz, DamagedFilesLeadToARefusalOrToBytes) {
  const Bytes whole = Zip({{.name = "a.npy", .bytes = Counting(300), .deflated = true, .wide = true},
                           {.name = "b.npy", .bytes = {1, 2, 3}}},
                          /*wide_end=*/true);
  const auto meet = [](const Bytes& bytes) {
    const auto file = FileOf(bytes);
    const auto members = ListNpz(file);
    if (!members.ok()) {
      EXPECT_EQ(ErrorLabel(members.status()), "npz_format");
      return;
    }
    for (const NpzMember& member : *members) {
      const auto array = OpenMember(file, member);
      Bytes start(static_cast<size_t>(std::min<uint64_t>(array->size(), 1000)));
      const absl::Status status = array->Read(0, start);
      EXPECT_TRUE(status.ok() || ErrorLabel(status) == "npz_format") << status;
    }
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x81;
    meet(damaged);
    damaged.resize(i);
    meet(damaged);
    EXPECT_FALSE(ListNpz(FileOf(damaged)).ok());
  }
}

}  // namespace
}  // namespace tally::cli
