// Which element of a small shape each element of the shape that it broadcasts to reads.
//
//   BroadcastIndex({2, 1}, {2, 3}) == {0, 0, 0, 1, 1, 1};
#pragma once

#include <cstdint>
#include <vector>

#include "quant/tensor/tensor.h"

namespace tally::quant {

// One index into row-major `from` per element of row-major `to`; `from` broadcasts to `to`.
std::vector<int64_t> BroadcastIndex(const Shape& from, const Shape& to);

}  // namespace tally::quant
