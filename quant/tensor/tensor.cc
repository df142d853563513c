#include "quant/tensor/tensor.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "quant/labels.h"

namespace tally::quant {

absl::Status CheckShape(const Shape& shape) {
  if (shape.size() > kMaxRank) {
    return MakeError(label::graph_rank,
                     "rank " + std::to_string(shape.size()) + " is above " + std::to_string(kMaxRank));
  }
  int64_t num_elements = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 1)
      return MakeError(label::graph_dimension, "a dimension of " + ToString(shape) + " is below 1");
    if (dimension > kMaxElements / num_elements) {
      return MakeError(label::graph_size,
                       ToString(shape) + " has more than " + std::to_string(kMaxElements) + " elements");
    }
    num_elements *= dimension;
  }
  return absl::OkStatus();
}

int64_t NumElements(const Shape& shape) {
  int64_t num_elements = 1;
  for (const int64_t dimension : shape) num_elements *= dimension;
  return num_elements;
}

ElementType ElementTypeOf(const Tensor& tensor) {
  return std::holds_alternative<FloatTensor>(tensor) ? ElementType::kFloat32 : ElementType::kInt64;
}

const Shape& ShapeOf(const Tensor& tensor) {
  return std::visit([](const auto& dense) -> const Shape& { return dense.shape; }, tensor);
}

ValueType TypeOf(const Tensor& tensor) { return {ElementTypeOf(tensor), ShapeOf(tensor)}; }

int64_t RowLength(std::span<const int64_t> dims) {
  while (dims.size() > 2 && dims.back() == 1) dims = dims.first(dims.size() - 1);
  return dims.empty() ? 1 : dims.back();
}

bool AllFinite(const FloatTensor& tensor) {
  return std::ranges::all_of(tensor.data, [](float element) { return std::isfinite(element); });
}

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string ToString(const ValueType& type) {
  return (type.element == ElementType::kFloat32 ? "float32" : "int64") + ToString(type.shape);
}

}  // namespace tally::quant
