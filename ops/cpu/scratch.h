// Arrays in the scratch of a kernel: the same lines count their bytes for the plan and place them in a run.
//
//   struct Buffers {
//     ScratchLayout scratch;
//     int64_t* keys;
//     Buffers(int64_t n, uint8_t* bytes) : scratch(bytes), keys(scratch.Take<int64_t>(n)) {}
//   };
//   Buffers(n, nullptr).scratch.bytes();  // as the row asks for
#pragma once

#include <cstdint>

namespace tally {

class ScratchLayout {
 public:
  explicit ScratchLayout(uint8_t* first) : first_(first) {}

  // Starts at a multiple of 64 bytes; null when only bytes are counted.
  template <typename T>
  T* Take(int64_t n) {
    T* const array = first_ == nullptr ? nullptr : reinterpret_cast<T*>(first_ + bytes_);
    bytes_ += (n * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return array;
  }
  int64_t bytes() const { return bytes_; }

 private:
  uint8_t* first_;
  int64_t bytes_ = 0;
};

}  // namespace tally
