// Elements of one storage in another that holds them.
#pragma once

#include <cstdint>

#include "base/storage.h"

namespace tally {

// `count` elements of `x` in storage `from`, into `y` in storage `to`, whose range holds each of them. Any
// alignment; x and y do not overlap.
void CopyElements(Storage from, const uint8_t* x, Storage to, uint8_t* y, int64_t count);

}  // namespace tally
