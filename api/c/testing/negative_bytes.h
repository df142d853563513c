// The bytes of a module, for who may not include Tally's own headers.
#pragma once

#include <cstdint>
#include <vector>

namespace tally::api {

// y = -x, of 2 x 3 elements in [-100, 100].
std::vector<uint8_t> NegativeBytes();

}  // namespace tally::api
