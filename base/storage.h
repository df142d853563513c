// Storage: how many bytes hold an element. A value is a mathematical integer; its width is not semantics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/interval.h"

namespace tally {

// Two's complement, little-endian. The numeric value is the code in the binary format.
enum class Storage : uint8_t { kI8 = 0, kI16 = 1, kI32 = 2, kI64 = 3 };

inline constexpr std::array kAllStorages = {Storage::kI8, Storage::kI16, Storage::kI32, Storage::kI64};

constexpr int64_t SizeBytes(Storage storage) { return int64_t{1} << static_cast<int>(storage); }

constexpr std::string_view StorageName(Storage storage) {
  constexpr std::array<std::string_view, 4> kNames = {"i8", "i16", "i32", "i64"};
  return kNames[static_cast<size_t>(storage)];
}

constexpr std::optional<Storage> ParseStorage(std::string_view name) {
  for (const Storage storage : kAllStorages) {
    if (StorageName(storage) == name) return storage;
  }
  return std::nullopt;
}

// Every value that `storage` can hold.
constexpr Interval RangeOf(Storage storage) {
  const int64_t hi = static_cast<int64_t>((uint64_t{1} << (8 * SizeBytes(storage) - 1)) - 1);
  return {-hi - 1, hi};
}

// The one storage of a tensor: the narrowest that holds its interval.
constexpr Storage NarrowestStorage(const Interval& interval) {
  for (const Storage storage : kAllStorages) {
    if (RangeOf(storage).Contains(interval)) return storage;
  }
  return Storage::kI64;
}

}  // namespace tally
