// The shape of a dense row-major tensor: up to 8 dimensions, each at least 1.
//
//   ASSIGN_OR_RETURN(const Shape shape, Shape::Create({1, 64, 56, 56}));
//   shape.num_elements();  // 200704, checked when the shape was made
//
// A Shape that exists is within its limits, so every index into it fits int64_t. Rank 0 is a scalar of one
// element. No dimension is 0: an empty tensor has no value to infer an interval from (docs/spec/types.md).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace tally {

inline constexpr int kMaxRank = 8;                          // index arithmetic keeps fixed-size arrays
inline constexpr int64_t kMaxDim = (int64_t{1} << 31) - 1;  // a dimension fits the int32 of foreign formats
inline constexpr int64_t kMaxElements = int64_t{1} << 36;   // times 8 bytes stays far inside int64_t

class Shape {
 public:
  // The scalar shape.
  Shape() = default;

  // Errors: shape_rank (more than kMaxRank dims), shape_dim (a dim outside [1, kMaxDim]),
  // shape_elements (product above kMaxElements).
  static absl::StatusOr<Shape> Create(std::span<const int64_t> dims);
  static absl::StatusOr<Shape> Create(std::initializer_list<int64_t> dims) {
    return Create(std::span<const int64_t>(dims.begin(), dims.size()));
  }

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  int64_t num_elements() const { return num_elements_; }

  // Elements between neighbours along `axis`: the product of the dims after it.
  int64_t stride(int axis) const;

  // "[1,64,56,56]"
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) = default;

 private:
  std::array<int64_t, kMaxRank> dims_ = {};
  int rank_ = 0;
  int64_t num_elements_ = 1;
};

}  // namespace tally
