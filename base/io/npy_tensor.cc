#include "base/io/npy_tensor.h"

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/labels.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally {
namespace {

// Elements without a sign, in the next wider storage; those of 64 bits only if they are below 2^63.
template <typename T>
absl::StatusOr<Tensor> FromUnsigned(const Shape& shape, const std::vector<uint8_t>& bytes) {
  constexpr Storage kWider[] = {Storage::kI16, Storage::kI32, Storage::kI64, Storage::kI64};
  const Storage storage = kWider[std::countr_zero(sizeof(T))];
  Tensor tensor(shape, storage);
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
    if (!std::in_range<int64_t>(element)) {
      return MakeError(label::npy_type,
                       absl::StrCat("holds ", element, "; a module takes integers below 2^63"));
    }
    StoreElement(storage, tensor.mutable_bytes().data(), static_cast<int64_t>(i),
                 static_cast<int64_t>(element));
  }
  return tensor;
}

std::optional<Storage> StorageOf(NpyType type) {
  switch (type) {
    case NpyType::kInt8: return Storage::kI8;
    case NpyType::kInt16: return Storage::kI16;
    case NpyType::kInt32: return Storage::kI32;
    case NpyType::kInt64: return Storage::kI64;
    default: return std::nullopt;
  }
}

NpyType NpyTypeOf(Storage storage) {
  constexpr NpyType kTypes[] = {NpyType::kInt8, NpyType::kInt16, NpyType::kInt32, NpyType::kInt64};
  return kTypes[static_cast<size_t>(storage)];
}

}  // namespace

absl::StatusOr<Tensor> TensorFromNpy(const NpyArray& array) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(array.shape));
  switch (array.type) {
    case NpyType::kBool:
    case NpyType::kUint8: return FromUnsigned<uint8_t>(shape, array.bytes);
    case NpyType::kUint16: return FromUnsigned<uint16_t>(shape, array.bytes);
    case NpyType::kUint32: return FromUnsigned<uint32_t>(shape, array.bytes);
    case NpyType::kUint64: return FromUnsigned<uint64_t>(shape, array.bytes);
    default: break;
  }
  const auto storage = StorageOf(array.type);
  if (!storage.has_value()) return MakeError(label::npy_type, "holds floats; a module takes integers");
  Tensor tensor(shape, *storage);
  std::memcpy(tensor.mutable_bytes().data(), array.bytes.data(), array.bytes.size());
  return tensor;
}

absl::StatusOr<std::vector<uint8_t>> NpyOf(const TensorView& tensor) {
  const auto dims = tensor.shape.dims();
  return EncodeNpy(
      {NpyTypeOf(tensor.storage), {dims.begin(), dims.end()}, {tensor.bytes.begin(), tensor.bytes.end()}});
}

}  // namespace tally
