#include "vm/engines/copy_elements.h"

#include <cstring>

namespace tally {

void CopyElements(Storage from, const uint8_t* x, Storage to, uint8_t* y, int64_t count) {
  if (from == to) {
    std::memcpy(y, x, count * SizeBytes(to));
    return;
  }
  for (int64_t i = 0; i < count; ++i) StoreElement(to, y, i, LoadElement(from, x, i));
}

}  // namespace tally
