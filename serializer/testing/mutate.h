// Small damage to a file, of the kinds that transfers, bugs and attackers cause.
#pragma once

#include <algorithm>
#include <cstdint>

#include "serializer/testing/random_module.h"

namespace tally {

// One to three mutations of `file` (a container of bytes or characters): a flipped bit, a replaced, inserted
// or removed byte, a truncation, a repeated range, a range copied over another place.
template <typename Bytes>
void Mutate(RandomDraws& draws, Bytes& file) {
  for (uint64_t n = 1 + draws.Below(3); n > 0 && !file.empty(); --n) {
    const auto at = file.begin() + static_cast<int64_t>(draws.Below(file.size()));
    const uint64_t length = std::min<uint64_t>(1 + draws.Below(40), static_cast<uint64_t>(file.end() - at));
    const Bytes range(at, at + static_cast<int64_t>(length));
    switch (draws.Below(7)) {
      case 0: *at = static_cast<typename Bytes::value_type>(*at ^ 1 << draws.Below(8)); break;
      case 1: *at = static_cast<typename Bytes::value_type>(draws.Below(256)); break;
      case 2: file.insert(at, static_cast<typename Bytes::value_type>(draws.Below(256))); break;
      case 3: file.erase(at); break;
      case 4: file.resize(draws.Below(file.size())); break;
      case 5: file.insert(at, range.begin(), range.end()); break;
      case 6:
        std::copy(range.begin(), range.end(),
                  file.begin() + static_cast<int64_t>(draws.Below(file.size() - length + 1)));
        break;
    }
  }
}

}  // namespace tally
