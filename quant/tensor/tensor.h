// Tensors of the float graph: dense, row-major, owned.
//
//   const FloatTensor x{{1, 2}, {0.5f, -1.0f}};
//   const Tensor t = x;
//   ElementTypeOf(t) == ElementType::kFloat32;
//
// Shapes are static. Rank is at most kMaxRank (0 is a scalar), every dimension at least 1, and the number of
// elements at most kMaxElements; CheckShape says so before anything is allocated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"

namespace tally::quant {

using Shape = std::vector<int64_t>;

template <typename T>
struct DenseTensor {
  Shape shape;
  std::vector<T> data;
  bool operator==(const DenseTensor&) const = default;
};
using FloatTensor = DenseTensor<float>;
using Int64Tensor = DenseTensor<int64_t>;
using Tensor = std::variant<FloatTensor, Int64Tensor>;

enum class ElementType { kFloat32, kInt64 };

struct ValueType {
  ElementType element = ElementType::kFloat32;
  Shape shape;
  bool operator==(const ValueType&) const = default;
};

constexpr size_t kMaxRank = 8;
// 8 GiB of floats: beyond any layer we can calibrate.
constexpr int64_t kMaxElements = (int64_t{1} << 31) - 1;

// Integers of samples, which come as floats, go this far: beyond it floats do not have all of them.
constexpr int64_t kLargestSampleInteger = int64_t{1} << 24;

// Errors: graph_rank, graph_dimension (below 1), graph_size (more than kMaxElements).
absl::Status CheckShape(const Shape& shape);

// Product of the dimensions of a shape that CheckShape accepts.
int64_t NumElements(const Shape& shape);

ElementType ElementTypeOf(const Tensor& tensor);
const Shape& ShapeOf(const Tensor& tensor);
ValueType TypeOf(const Tensor& tensor);

// The number of elements of a row, of which a classifier chooses one: those along the last axis, after the
// axes of 1 that images [N, C, 1, 1] end with.
int64_t RowLength(std::span<const int64_t> dims);

bool AllFinite(const FloatTensor& tensor);

std::string ToString(const Shape& shape);     // "[1, 16, 8, 8]"
std::string ToString(const ValueType& type);  // "float32[1, 16, 8, 8]"

}  // namespace tally::quant
