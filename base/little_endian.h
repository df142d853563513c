// Integers as files and tensors have them: little-endian, whatever the machine is.
//
//   std::memcpy(&value, bytes, sizeof value);
//   return LittleEndian(value);  // the same to store
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace tally {

template <std::signed_integral T>
constexpr T LittleEndian(T value) {
  if constexpr (std::endian::native == std::endian::big) {
    switch (sizeof(T)) {
      case 2: return static_cast<T>(__builtin_bswap16(static_cast<uint16_t>(value)));
      case 4: return static_cast<T>(__builtin_bswap32(static_cast<uint32_t>(value)));
      case 8: return static_cast<T>(__builtin_bswap64(static_cast<uint64_t>(value)));
      default: break;
    }
  }
  return value;
}

}  // namespace tally
