#include "base/io/npy.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/int_math.h"
#include "base/io/file.h"
#include "base/io/npy_header.h"
#include "base/labels.h"
#include "base/status_macros.h"

namespace tally {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;
constexpr size_t kPreambleSize1 = 10;     // magic, two version bytes, 16-bit header length
constexpr size_t kPreambleSize2 = 12;     // the same with a 32-bit header length
constexpr size_t kMaxHeaderSize = 10000;  // NumPy's own limit
static_assert(kMaxNpyPreamble == kPreambleSize2 + kMaxHeaderSize);

// Bytes of the data, or npy_shape when that number does not fit in 63 bits.
absl::StatusOr<uint64_t> DataSize(NpyType type, const std::vector<int64_t>& shape) {
  int64_t size = NpyTypeSize(type);
  for (const int64_t dimension : shape) {
    if (dimension < 0 || !CheckedMul(size, dimension, &size)) {
      return MakeError(label::npy_shape, "the size of the array does not fit 63 bits");
    }
  }
  return static_cast<uint64_t>(size);
}

}  // namespace

int NpyTypeSize(NpyType type) {
  switch (type) {
    case NpyType::kInt8:
    case NpyType::kBool:
    case NpyType::kUint8: return 1;
    case NpyType::kInt16:
    case NpyType::kUint16:
    case NpyType::kFloat16: return 2;
    case NpyType::kInt32:
    case NpyType::kUint32:
    case NpyType::kFloat32: return 4;
    case NpyType::kInt64:
    case NpyType::kUint64:
    case NpyType::kFloat64: break;
  }
  return 8;
}

absl::StatusOr<NpyLayout> ReadNpyLayout(std::span<const uint8_t> file, uint64_t file_size) {
  const size_t magic_size = std::min(file.size(), kMagic.size());
  if (std::string_view(reinterpret_cast<const char*>(file.data()), magic_size) !=
      kMagic.substr(0, magic_size)) {
    return MakeError(label::npy_magic, "the file does not start as an .npy file");
  }
  if (file.size() < kPreambleSize1) return MakeError(label::npy_truncated, "the file ends in its preamble");
  const int major = file[6];
  if (major < 1 || major > 2 || file[7] != 0) {
    return MakeError(label::npy_version, "format version " + std::to_string(major) + "." +
                                             std::to_string(file[7]) + " is neither 1.0 nor 2.0");
  }
  const size_t preamble_size = major == 1 ? kPreambleSize1 : kPreambleSize2;
  if (file.size() < preamble_size) return MakeError(label::npy_truncated, "the file ends in its preamble");
  size_t header_size = 0;
  for (size_t i = preamble_size; i > 8; --i) header_size = header_size << 8 | file[i - 1];
  if (header_size > kMaxHeaderSize)
    return MakeError(label::npy_header, "the header is longer than 10000 bytes");
  if (file.size() - preamble_size < header_size)
    return MakeError(label::npy_truncated, "the file ends in its header");

  const std::span<const uint8_t> text = file.subspan(preamble_size, header_size);
  ASSIGN_OR_RETURN(NpyHeader header,
                   ParseNpyHeader(std::string_view(reinterpret_cast<const char*>(text.data()), text.size())));
  ASSIGN_OR_RETURN(const uint64_t data_size, DataSize(header.type, header.shape));
  const uint64_t there = file_size - preamble_size - header_size;
  if (there < data_size) {
    return MakeError(label::npy_truncated, "the shape asks for " + std::to_string(data_size) +
                                               " bytes of data; " + std::to_string(there) + " are there");
  }
  if (there > data_size) {
    return MakeError(label::npy_size, std::to_string(there - data_size) + " bytes follow the array");
  }
  return NpyLayout{header.type, std::move(header.shape), preamble_size + header_size};
}

absl::StatusOr<NpyArray> DecodeNpy(std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(NpyLayout layout, ReadNpyLayout(file, file.size()));
  const std::span<const uint8_t> data = file.subspan(layout.data_offset);
  return NpyArray{layout.type, std::move(layout.shape), {data.begin(), data.end()}};
}

absl::StatusOr<std::vector<uint8_t>> EncodeNpy(const NpyArray& array) {
  if (array.shape.size() > kNpyMaxRank) return MakeError(label::npy_shape, "rank is above 32");
  ASSIGN_OR_RETURN(const uint64_t data_size, DataSize(array.type, array.shape));
  if (data_size != array.bytes.size()) {
    return MakeError(label::npy_size, "the shape asks for " + std::to_string(data_size) +
                                          " bytes; the array holds " + std::to_string(array.bytes.size()));
  }
  std::string header = FormatNpyHeader({array.type, array.shape});
  while ((kPreambleSize1 + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';

  std::vector<uint8_t> file(kMagic.begin(), kMagic.end());
  file.reserve(kPreambleSize1 + header.size() + array.bytes.size());
  file.insert(file.end(),
              {1, 0, static_cast<uint8_t>(header.size() & 0xff), static_cast<uint8_t>(header.size() >> 8)});
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), array.bytes.begin(), array.bytes.end());
  return file;
}

absl::StatusOr<NpyArray> ReadNpyFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<uint8_t> file, ReadFile(path));
  return DecodeNpy(file);
}

}  // namespace tally
