// Choices from bytes: the bridge from a fuzzer's input to structured values.
//
//   EntropySource e(bytes);
//   const int64_t dim = e.Between(1, 8);
//   if (e.OneIn(16)) ...
//
// Total and deterministic: after the last byte every choice is the simplest one (the lower bound, "no"), so
// shorter inputs mean simpler values, and every loop over choices must be bounded by something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace tally {

// `size` bytes that look random and are the same on every machine (splitmix64).
inline std::vector<uint8_t> NoiseBytes(uint64_t seed, size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    bytes[i] = static_cast<uint8_t>((z ^ z >> 31) >> 56);
  }
  return bytes;
}

class EntropySource {
 public:
  explicit EntropySource(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool exhausted() const { return position_ == bytes_.size(); }

  // A number in [lo, hi]; takes as many bytes as the width of the range needs.
  int64_t Between(int64_t lo, int64_t hi) {
    const uint64_t width = static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo);
    uint64_t raw = 0;
    for (uint64_t rest = width; rest != 0; rest >>= 8) raw = raw << 8 | Byte();
    const uint64_t offset = width == UINT64_MAX ? raw : raw % (width + 1);
    return static_cast<int64_t>(static_cast<uint64_t>(lo) + offset);
  }

  // True once in `n` on average.
  bool OneIn(int n) { return Between(0, n - 1) == n - 1; }

  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Between(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  // An element of `choices`, which is not empty.
  template <typename Container>
  auto& PickFrom(Container& choices) {
    return choices[static_cast<size_t>(Between(0, static_cast<int64_t>(choices.size()) - 1))];
  }

 private:
  uint8_t Byte() { return exhausted() ? 0 : bytes_[position_++]; }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace tally
