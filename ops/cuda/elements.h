// Elements of any storage in the memory of a device.
#pragma once

#include <cstdint>

#include "base/storage.h"
#include "ops/cuda/thread.h"

namespace tally::cuda {

TALLY_DEVICE int64_t Load(Storage storage, const uint8_t* bytes, int64_t i) {
  switch (storage) {
    case Storage::kI8: return reinterpret_cast<const int8_t*>(bytes)[i];
    case Storage::kI16: return reinterpret_cast<const int16_t*>(bytes)[i];
    case Storage::kI32: return reinterpret_cast<const int32_t*>(bytes)[i];
    case Storage::kI64: break;
  }
  return reinterpret_cast<const int64_t*>(bytes)[i];
}

// `value` fits the storage.
TALLY_DEVICE void Store(Storage storage, uint8_t* bytes, int64_t i, int64_t value) {
  switch (storage) {
    case Storage::kI8: reinterpret_cast<int8_t*>(bytes)[i] = static_cast<int8_t>(value); return;
    case Storage::kI16: reinterpret_cast<int16_t*>(bytes)[i] = static_cast<int16_t>(value); return;
    case Storage::kI32: reinterpret_cast<int32_t*>(bytes)[i] = static_cast<int32_t>(value); return;
    case Storage::kI64: reinterpret_cast<int64_t*>(bytes)[i] = value; return;
  }
}

struct StoredList {
  Storage storage;
  const uint8_t* bytes;
  TALLY_DEVICE int64_t operator[](int64_t i) const { return Load(storage, bytes, i); }
};

// Sums that wrap: what matters is proven to fit.
TALLY_DEVICE int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
TALLY_DEVICE int64_t WrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace tally::cuda
