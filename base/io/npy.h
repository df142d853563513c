// NumPy's .npy array files (format versions 1.0 and 2.0), as bytes in and bytes out.
//
//   ASSIGN_OR_RETURN(const NpyArray images, ReadNpyFile("images.npy"));
//   if (images.type != NpyType::kUint8) return MakeError(label::input_type, "images must be uint8");
//   ASSIGN_OR_RETURN(const std::vector<uint8_t> copy, EncodeNpy(images));
//
// Elements are little-endian and in C order, exactly as in the file; nothing here interprets them.
// A file is untrusted: every length is checked against the bytes that are there before anything is allocated.
//
// Errors: npy_truncated   the file ends early
//         npy_magic       it is not an .npy file
//         npy_version     neither 1.0 nor 2.0
//         npy_header      the header is not the dictionary that the format prescribes
//         npy_type        an element type or byte order other than those below
//         npy_order       Fortran order
//         npy_shape       rank above 32, or a size that does not fit 63 bits
//         npy_size        data bytes disagree with type and shape
//         file_*          those of ReadFile (base/io/file.h)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tally {

enum class NpyType {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
};

// Bytes per element.
int NpyTypeSize(NpyType type);

struct NpyArray {
  NpyType type = NpyType::kInt8;
  std::vector<int64_t> shape;  // [] is a scalar; a dimension may be 0
  std::vector<uint8_t> bytes;  // product of shape times NpyTypeSize(type)
};

// Where the elements of a file are.
struct NpyLayout {
  NpyType type = NpyType::kInt8;
  std::vector<int64_t> shape;
  uint64_t data_offset = 0;  // up to the end of the file
};

// The first kMaxNpyPreamble bytes of a file, or all where it has fewer, say all but its elements.
inline constexpr size_t kMaxNpyPreamble = 10012;
absl::StatusOr<NpyLayout> ReadNpyLayout(std::span<const uint8_t> start, uint64_t file_size);

// The one array of a whole file's bytes; bytes after it are an npy_size error.
absl::StatusOr<NpyArray> DecodeNpy(std::span<const uint8_t> file);

// Version 1.0 bytes with the data 64-byte aligned, as NumPy writes them.
// Errors: npy_shape and npy_size, when the array contradicts itself.
absl::StatusOr<std::vector<uint8_t>> EncodeNpy(const NpyArray& array);

absl::StatusOr<NpyArray> ReadNpyFile(const std::string& path);

}  // namespace tally
