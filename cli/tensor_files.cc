#include "cli/tensor_files.h"

#include <bit>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

// Elements without a sign, in the next wider storage; those of 64 bits only if they are below 2^63.
template <typename T>
absl::StatusOr<Tensor> FromUnsigned(const std::string& path, const Shape& shape,
                                    const std::vector<uint8_t>& bytes) {
  constexpr Storage kWider[] = {Storage::kI16, Storage::kI32, Storage::kI64, Storage::kI64};
  const Storage storage = kWider[std::countr_zero(sizeof(T))];
  Tensor tensor(shape, storage);
  for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof element, sizeof element);
    if (!std::in_range<int64_t>(element)) {
      return MakeError(label::input_type,
                       absl::StrCat("'", path, "' holds ", element, "; a module takes integers below 2^63"));
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

absl::StatusOr<Tensor> ReadTensor(const std::string& path) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyFile(path));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(array.shape));
  switch (array.type) {
    case NpyType::kBool:
    case NpyType::kUint8: return FromUnsigned<uint8_t>(path, shape, array.bytes);
    case NpyType::kUint16: return FromUnsigned<uint16_t>(path, shape, array.bytes);
    case NpyType::kUint32: return FromUnsigned<uint32_t>(path, shape, array.bytes);
    case NpyType::kUint64: return FromUnsigned<uint64_t>(path, shape, array.bytes);
    default: break;
  }
  const auto storage = StorageOf(array.type);
  if (!storage.has_value()) {
    return MakeError(label::input_type, absl::StrCat("'", path, "' holds floats; a module takes integers"));
  }
  Tensor tensor(shape, *storage);
  std::memcpy(tensor.mutable_bytes().data(), array.bytes.data(), array.bytes.size());
  return tensor;
}

absl::StatusOr<std::vector<uint8_t>> ToNpy(const Tensor& tensor) {
  const auto dims = tensor.shape().dims();
  return EncodeNpy({NpyTypeOf(tensor.storage()),
                    {dims.begin(), dims.end()},
                    {tensor.bytes().begin(), tensor.bytes().end()}});
}

absl::StatusOr<Shape> StackedShape(const Shape& shape, size_t count) {
  if (count == 1) return shape;
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (dims.empty() || dims[0] != 1) dims.insert(dims.begin(), 1);
  dims[0] = static_cast<int64_t>(count);
  return Shape::Create(dims);
}

absl::StatusOr<std::vector<uint8_t>> ToFloatNpy(const Shape& shape, std::span<const double> reals) {
  std::vector<uint8_t> bytes(reals.size() * sizeof(float));
  for (size_t i = 0; i < reals.size(); ++i) {
    const auto real = static_cast<float>(reals[i]);
    std::memcpy(bytes.data() + i * sizeof real, &real, sizeof real);
  }
  const auto dims = shape.dims();
  return EncodeNpy({NpyType::kFloat32, {dims.begin(), dims.end()}, std::move(bytes)});
}

}  // namespace tally::cli
