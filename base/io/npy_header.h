// The text header of an .npy file: a Python dictionary with three keys, in any order.
//
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// Used by base/io/npy.cc only; errors are those of base/io/npy.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/io/npy.h"

namespace tally {

constexpr size_t kNpyMaxRank = 32;  // NumPy's own limit

struct NpyHeader {
  NpyType type = NpyType::kInt8;
  std::vector<int64_t> shape;
};

absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text);
std::string FormatNpyHeader(const NpyHeader& header);

}  // namespace tally
