#include "base/tensor.h"

#include <algorithm>
#include <limits>
#include <new>

#include "base/error.h"
#include "base/labels.h"
#include "base/strings.h"

namespace tally {

namespace {

template <typename T>
Interval BoundsOf(std::span<const uint8_t> bytes) {
  // Lanes of their own, which the compiler makes a vector of: every run checks its inputs.
  constexpr size_t kLanes = 64 / sizeof(T);
  T first;
  std::memcpy(&first, bytes.data(), sizeof(T));
  first = LittleEndian(first);
  T lo[kLanes], hi[kLanes];
  std::fill_n(lo, kLanes, first);
  std::fill_n(hi, kLanes, first);
  const auto take = [&](size_t at, size_t count) {
    T values[kLanes];
    std::fill_n(values, kLanes, LittleEndian(first));
    std::memcpy(values, bytes.data() + at, count * sizeof(T));
    for (T& value : values) value = LittleEndian(value);
    for (size_t i = 0; i < kLanes; ++i) {
      lo[i] = values[i] < lo[i] ? values[i] : lo[i];
      hi[i] = values[i] > hi[i] ? values[i] : hi[i];
    }
  };
  size_t at = 0;
  for (; at + sizeof(lo) <= bytes.size(); at += sizeof(lo)) take(at, kLanes);
  take(at, (bytes.size() - at) / sizeof(T));
  return {*std::min_element(lo, lo + kLanes), *std::max_element(hi, hi + kLanes)};
}

// Machines of 32 bits have no memory of more bytes than a size counts.
size_t Addressable(int64_t bytes) {
  if (static_cast<uint64_t>(bytes) > std::numeric_limits<size_t>::max()) throw std::bad_alloc();
  return static_cast<size_t>(bytes);
}

}  // namespace

Interval TensorView::Bounds() const {
  switch (storage) {
    case Storage::kI8: return BoundsOf<int8_t>(bytes);
    case Storage::kI16: return BoundsOf<int16_t>(bytes);
    case Storage::kI32: return BoundsOf<int32_t>(bytes);
    case Storage::kI64: break;
  }
  return BoundsOf<int64_t>(bytes);
}

bool SameValues(const TensorView& a, const TensorView& b) {
  if (a.shape != b.shape) return false;
  if (a.storage == b.storage)
    return std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
  for (int64_t i = 0; i < a.shape.num_elements(); ++i) {
    if (a.at(i) != b.at(i)) return false;
  }
  return true;
}

Tensor::Tensor(const Shape& shape, Storage storage)
    : storage_(storage), shape_(shape), bytes_(Addressable(shape.num_elements() * SizeBytes(storage))) {}

absl::StatusOr<Tensor> Tensor::FromValues(const Shape& shape, Storage storage,
                                          std::span<const int64_t> values) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) {
    return MakeError(label::tensor_size, absl::StrCat(values.size(), " values for shape ", shape.ToString()));
  }
  Tensor tensor(shape, storage);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!RangeOf(storage).Contains(values[i])) {
      return MakeError(label::tensor_value, absl::StrCat("element ", i, " = ", values[i], " does not fit ",
                                                         ToAbsl(StorageName(storage))));
    }
    StoreElement(storage, tensor.bytes_.data(), static_cast<int64_t>(i), values[i]);
  }
  return tensor;
}

absl::StatusOr<Tensor> Tensor::FromValues(const Shape& shape, std::span<const int64_t> values) {
  Interval bounds;
  if (!values.empty()) {
    const auto [lo, hi] = std::minmax_element(values.begin(), values.end());
    bounds = {*lo, *hi};
  }
  return FromValues(shape, NarrowestStorage(bounds), values);
}

Tensor Tensor::Copy(const TensorView& view, Storage storage) {
  if (view.storage == storage) {
    Tensor tensor;
    tensor.storage_ = storage;
    tensor.shape_ = view.shape;
    tensor.bytes_.assign(view.bytes.begin(), view.bytes.end());
    return tensor;
  }
  Tensor tensor(view.shape, storage);
  for (int64_t i = 0; i < view.shape.num_elements(); ++i) {
    StoreElement(storage, tensor.bytes_.data(), i, view.at(i));
  }
  return tensor;
}

}  // namespace tally
