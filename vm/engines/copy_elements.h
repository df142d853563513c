// Inputs and results in the storage of those who give and take them.
#pragma once

#include <cstdint>

#include "base/tensor.h"

namespace tally {

// `count` elements in one storage, in another that holds them. x and y do not overlap.
void CopyElements(Storage from, const uint8_t* x, Storage to, uint8_t* y, int64_t count);

}  // namespace tally
