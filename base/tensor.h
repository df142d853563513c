// Tensors at the boundary of the VM: a view on somebody's bytes, and a tensor that owns its bytes.
//
//   ASSIGN_OR_RETURN(Tensor t, Tensor::FromValues(shape, Storage::kI8, values));
//   t.view().at(5);
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "base/little_endian.h"
#include "base/shape.h"
#include "base/storage.h"

namespace tally {

// Element `index` of packed little-endian elements. Unaligned addresses are fine.
inline int64_t LoadElement(Storage storage, const uint8_t* data, int64_t index) {
  const auto load = [&](auto value) -> int64_t {
    std::memcpy(&value, data + index * static_cast<int64_t>(sizeof value), sizeof value);
    return LittleEndian(value);
  };
  switch (storage) {
    case Storage::kI8: return load(int8_t{});
    case Storage::kI16: return load(int16_t{});
    case Storage::kI32: return load(int32_t{});
    case Storage::kI64: break;
  }
  return load(int64_t{});
}

// Writes `value`, which must be in RangeOf(storage).
inline void StoreElement(Storage storage, uint8_t* data, int64_t index, int64_t value) {
  const auto store = [&](auto narrow) {
    narrow = LittleEndian(narrow);
    std::memcpy(data + index * static_cast<int64_t>(sizeof narrow), &narrow, sizeof narrow);
  };
  switch (storage) {
    case Storage::kI8: return store(static_cast<int8_t>(value));
    case Storage::kI16: return store(static_cast<int16_t>(value));
    case Storage::kI32: return store(static_cast<int32_t>(value));
    case Storage::kI64: return store(value);
  }
}

struct TensorView {
  Storage storage = Storage::kI8;
  Shape shape;
  std::span<const uint8_t> bytes;  // exactly size_bytes(), row-major, dense, little-endian

  int64_t size_bytes() const { return shape.num_elements() * SizeBytes(storage); }
  int64_t at(int64_t index) const { return LoadElement(storage, bytes.data(), index); }

  // [min, max] over all elements; O(n).
  Interval Bounds() const;
};

// Same shape and same values, whatever the storage.
bool SameValues(const TensorView& a, const TensorView& b);

class Tensor {
 public:
  Tensor() : bytes_(1) {}  // the scalar 0

  // All zero.
  Tensor(const Shape& shape, Storage storage);

  // Errors: tensor_size (values.size() is not the shape's count), tensor_value (a value does not fit).
  static absl::StatusOr<Tensor> FromValues(const Shape& shape, Storage storage,
                                           std::span<const int64_t> values);

  // As above in the narrowest storage of the values.
  static absl::StatusOr<Tensor> FromValues(const Shape& shape, std::span<const int64_t> values);
  static absl::StatusOr<Tensor> FromValues(const Shape& shape, std::initializer_list<int64_t> values) {
    return FromValues(shape, std::span<const int64_t>(values.begin(), values.size()));
  }

  // A copy of `view`, in `storage`, which must hold all its values.
  static Tensor Copy(const TensorView& view, Storage storage);

  Storage storage() const { return storage_; }
  const Shape& shape() const { return shape_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::span<uint8_t> mutable_bytes() { return bytes_; }
  TensorView view() const { return {storage_, shape_, bytes_}; }

 private:
  Storage storage_ = Storage::kI8;
  Shape shape_;
  std::vector<uint8_t> bytes_;
};

}  // namespace tally
