#include "api/c/tensors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "api/boundary.h"
#include "api/labels.h"
#include "base/copy_elements.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/wide.h"

namespace tally::api {
namespace {

absl::Status Wrong(const TensorName& name, std::string_view why) {
  return MakeError(label::api_tensor, absl::StrCat(name.ToString(), ": ", ToAbsl(why)));
}

absl::StatusOr<Shape> ShapeOf(const tally_tensor& given, const Shape* expected, const TensorName& name) {
  if (given.shape == nullptr && expected != nullptr) return *expected;
  if (given.shape == nullptr && given.rank != 0) return Wrong(name, "it has a rank and no shape");
  if (given.rank < 0 || given.rank > kMaxRank)
    return Wrong(name, absl::StrCat("rank ", given.rank, " is not from 0 to ", kMaxRank));
  const auto shape = Shape::Create({given.shape, static_cast<size_t>(given.rank)});
  if (shape.ok()) return shape;
  return Wrong(name, {shape.status().message().data(), shape.status().message().size()});
}

}  // namespace

std::string TensorName::ToString() const {
  return absl::StrCat(ToAbsl(kind), " ", static_cast<uint64_t>(index));
}

absl::StatusOr<CallerTensor> CallerTensor::Read(const tally_tensor& given, const Shape* expected,
                                                const TensorName& name) {
  if (given.data == nullptr) return NotNull(nullptr, absl::StrCat(name.ToString(), ": data"));
  if (given.storage < TALLY_I8 || given.storage > TALLY_I64)
    return Wrong(name, absl::StrCat("no storage has the number ", given.storage));
  CallerTensor tensor;
  tensor.storage_ = static_cast<Storage>(given.storage);
  ASSIGN_OR_RETURN(tensor.shape_, ShapeOf(given, expected, name));
  const int64_t element = SizeBytes(tensor.storage_);
  auto* const memory = static_cast<uint8_t*>(given.data);
  const Int128 bytes = given.bytes;
  if (given.strides == nullptr) {
    if (given.offset != 0) return Wrong(name, "it has an offset and no strides");
    if (bytes != tensor.size_bytes()) {
      return Wrong(name, absl::StrCat("it has ", given.bytes, " bytes, ", tensor.shape_.ToString(), " of ",
                                      ToAbsl(StorageName(tensor.storage_)), " ", tensor.size_bytes()));
    }
  }
  Int128 first = given.offset, last = given.offset;
  for (int axis = 0; axis < tensor.shape_.rank(); ++axis) {
    const int64_t dense = tensor.shape_.stride(axis) * element;
    const int64_t stride = given.strides == nullptr ? dense : given.strides[axis];
    tensor.strides_[axis] = stride;
    tensor.is_dense_ &= stride == dense || tensor.shape_[axis] == 1;
    const Int128 reach = Int128{stride} * (tensor.shape_[axis] - 1);
    (reach < 0 ? first : last) += reach;
  }
  if (first < 0 || last + element > bytes)
    return Wrong(name, absl::StrCat("elements are outside its ", given.bytes, " bytes"));
  tensor.first_ = memory + given.offset;
  tensor.begin_ = reinterpret_cast<uintptr_t>(memory) + static_cast<uintptr_t>(first);
  tensor.end_ = reinterpret_cast<uintptr_t>(memory) + static_cast<uintptr_t>(last + element);
  return tensor;
}

// Calls copy(address of the first, stride, number of the first, count) for each row along the last dimension,
// in order.
template <typename Copy>
void CallerTensor::ForEachRow(const Copy& copy) const {
  const int inner = shape_.rank() - 1;
  const int64_t length = inner < 0 ? 1 : shape_[inner];
  const int64_t stride = inner < 0 ? 0 : strides_[inner];
  std::array<int64_t, kMaxRank> at = {};
  int64_t offset = 0;
  for (int64_t done = 0; done < shape_.num_elements(); done += length) {
    copy(first_ + offset, stride, done, length);
    for (int axis = inner - 1; axis >= 0; --axis) {
      offset += strides_[axis];
      if (++at[axis] < shape_[axis]) break;
      offset -= strides_[axis] * shape_[axis];
      at[axis] = 0;
    }
  }
}

void CallerTensor::CopyTo(uint8_t* dense) const {
  const int64_t element = SizeBytes(storage_);
  ForEachRow([&](const uint8_t* row, int64_t stride, int64_t first, int64_t count) {
    uint8_t* const to = dense + first * element;
    if (stride == element) {
      std::memcpy(to, row, static_cast<size_t>(count * element));
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * element, row + i * stride, static_cast<size_t>(element));
  });
}

void CallerTensor::CopyFrom(Storage storage, const uint8_t* dense) const {
  ForEachRow([&](uint8_t* row, int64_t stride, int64_t first, int64_t count) {
    if (stride == SizeBytes(storage_)) {
      CopyElements(storage, dense + first * SizeBytes(storage), storage_, row, count);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      StoreElement(storage_, row + i * stride, 0, LoadElement(storage, dense, first + i));
  });
}

bool CallerTensor::is_injective() const {
  if (is_dense_) return true;
  std::array<std::pair<uint64_t, int64_t>, kMaxRank> axes;  // lengths of strides, and dimensions
  size_t count = 0;
  for (int axis = 0; axis < shape_.rank(); ++axis) {
    const int64_t stride = strides_[axis];
    const uint64_t length = stride < 0 ? ~static_cast<uint64_t>(stride) + 1 : static_cast<uint64_t>(stride);
    if (shape_[axis] > 1) axes[count++] = {length, shape_[axis]};
  }
  std::sort(axes.begin(), axes.begin() + count);
  Int128 reach = SizeBytes(storage_);
  for (const auto& [length, dim] : std::span(axes).first(count)) {
    if (length < reach) return false;
    reach += Int128{length} * (dim - 1);
  }
  return true;
}

absl::Status CheckApart(std::span<const CallerTensor> inputs, std::span<const CallerTensor> results) {
  for (size_t r = 0; r < results.size(); ++r) {
    const auto overlaps = [&](const CallerTensor& other) {
      return other.begin() < results[r].end() && results[r].begin() < other.end();
    };
    const auto input = std::ranges::find_if(inputs, overlaps);
    if (input != inputs.end()) {
      return MakeError(label::api_overlap, absl::StrCat("result ", r, " is written where input ",
                                                        input - inputs.begin(), " is read"));
    }
    const auto others = results.subspan(r + 1);
    const auto other = std::ranges::find_if(others, overlaps);
    if (other != others.end()) {
      return MakeError(label::api_overlap,
                       absl::StrCat("results ", r, " and ", r + 1 + (other - others.begin()),
                                    " are written to the same memory"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tally::api
