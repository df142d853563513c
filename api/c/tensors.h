// Tensors of the caller: proven to be inside his memory, and copied where engines cannot use them as they
// are.
//
//   ASSIGN_OR_RETURN(const CallerTensor tensor, CallerTensor::Read(given, &shape, {"input", 0}));
//   if (!tensor.is_dense()) tensor.CopyTo(bytes);
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/c/tally.h"
#include "base/tensor.h"

namespace tally::api {

// For messages: "input 0".
struct TensorName {
  std::string_view kind;
  size_t index;

  std::string ToString() const;
};

class CallerTensor {
 public:
  // `expected`: the shape that it has where it says none; null: it is a scalar then.
  // Errors: api_null; api_tensor.
  static absl::StatusOr<CallerTensor> Read(const tally_tensor& given, const Shape* expected,
                                           const TensorName& name);

  const Shape& shape() const { return shape_; }
  Storage storage() const { return storage_; }
  int64_t size_bytes() const { return shape_.num_elements() * SizeBytes(storage_); }

  bool is_dense() const { return is_dense_; }
  // Where it is dense.
  TensorView view() const { return {storage_, shape_, {first_, static_cast<size_t>(size_bytes())}}; }
  std::span<uint8_t> memory() const { return {first_, static_cast<size_t>(size_bytes())}; }

  // Its elements in order, in its own storage.
  void CopyTo(uint8_t* dense) const;
  // The same, from elements in a storage that is no wider than its own.
  void CopyFrom(Storage storage, const uint8_t* dense) const;

  // The addresses from its first to after its last byte.
  uintptr_t begin() const { return begin_; }
  uintptr_t end() const { return end_; }

  // Whether no two elements share a byte, as far as the order of the strides shows: each is longer than what
  // the shorter ones reach. What this cannot tell counts as shared.
  bool is_injective() const;

 private:
  CallerTensor() = default;

  template <typename Copy>
  void ForEachRow(const Copy& copy) const;

  uint8_t* first_ = nullptr;  // element [0, .., 0]
  Storage storage_ = Storage::kI8;
  Shape shape_;
  std::array<int64_t, kMaxRank> strides_ = {};
  bool is_dense_ = true;
  uintptr_t begin_ = 0, end_ = 0;
};

// Whether a result shares memory with another result or an input. Error api_overlap.
absl::Status CheckApart(std::span<const CallerTensor> inputs, std::span<const CallerTensor> results);

}  // namespace tally::api
