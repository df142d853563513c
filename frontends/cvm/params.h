// The params file of a CVM model: named arrays of 8 or 32-bit integers.
//
//   ASSIGN_OR_RETURN(const std::vector<Param> params, ReadParams(bytes));
//   params[0].array.at(5);
//
// Little endian, nothing aligned:
//
//   u64 0xf7e58d4f05049cb7, u64 0
//   u64 count, then for each array: u64 length, the bytes of its name
//   u64 count, then for each array:
//     u64 0xdd5e40f096b4a13f, u64 0
//     i32 1 (CPU), i32 device, i32 rank, u8 0 (signed integers), u8 bits, u16 1 (lane)
//     i64 dims[rank], i64 bytes, the elements in row-major order
//
// Errors: cvm_params        the bytes are not that: they end early or late, or a field has another value
//         cvm_param_name    a name occurs twice
//         shape_rank, shape_dim, shape_elements
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"

namespace tally::cvm {

struct Param {
  std::string_view name;
  TensorView array;  // storage i8 or i32
};

// In the order of the file. Views into `bytes`, which must outlive them.
absl::StatusOr<std::vector<Param>> ReadParams(std::span<const uint8_t> bytes);

// The form that ReadParams reads back. Arrays are of storage i8 or i32.
std::vector<uint8_t> WriteParams(std::span<const Param> params);

}  // namespace tally::cvm
