#include "base/copy_elements.h"

#include <cstring>

#include "base/little_endian.h"

namespace tally {
namespace {

// Calls f with a value of the element type of `storage`.
template <typename F>
void WithElementOf(Storage storage, const F& f) {
  switch (storage) {
    case Storage::kI8: return f(int8_t{});
    case Storage::kI16: return f(int16_t{});
    case Storage::kI32: return f(int32_t{});
    case Storage::kI64: return f(int64_t{});
  }
}

}  // namespace

void CopyElements(Storage from, const uint8_t* x, Storage to, uint8_t* y, int64_t count) {
  if (from == to) {
    if (count > 0) std::memcpy(y, x, static_cast<size_t>(count * SizeBytes(to)));
    return;
  }
  WithElementOf(from, [&](auto read) {
    WithElementOf(to, [&](auto written) {
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(&read, x + i * static_cast<int64_t>(sizeof read), sizeof read);
        written = LittleEndian(static_cast<decltype(written)>(LittleEndian(read)));
        std::memcpy(y + i * static_cast<int64_t>(sizeof written), &written, sizeof written);
      }
    });
  });
}

}  // namespace tally
