#include <algorithm>
#include <vector>

#include "quant/ops/layout/layout_ops.h"

namespace tally::quant {
namespace {

template <typename T>
DenseTensor<T> TransposeElements(const Transpose& op, const DenseTensor<T>& x, const Shape& shape) {
  const size_t rank = shape.size();
  std::vector<int64_t> x_strides(rank, 1);
  for (size_t i = rank; i-- > 1;) x_strides[i - 1] = x_strides[i] * x.shape[i];

  DenseTensor<T> y{shape, {}};
  y.data.reserve(x.data.size());
  std::vector<int64_t> index(rank, 0);  // of the element of y that comes next
  int64_t source = 0;
  while (y.data.size() < x.data.size()) {
    y.data.push_back(x.data[source]);
    for (size_t i = rank; i-- > 0;) {
      source += x_strides[op.permutation[i]];
      if (++index[i] < shape[i]) break;
      source -= shape[i] * x_strides[op.permutation[i]];
      index[i] = 0;
    }
  }
  return y;
}

template <typename T>
DenseTensor<T> ConcatElements(const Concat& op, Operands operands, const Shape& shape) {
  DenseTensor<T> y{shape, {}};
  y.data.reserve(static_cast<size_t>(NumElements(shape)));
  const int64_t num_blocks = NumElements(Shape(shape.begin(), shape.begin() + op.axis));
  for (int64_t block = 0; block < num_blocks; ++block) {
    for (const Tensor* operand : operands) {
      const std::vector<T>& data = std::get<DenseTensor<T>>(*operand).data;
      const int64_t size = static_cast<int64_t>(data.size()) / num_blocks;
      y.data.insert(y.data.end(), data.begin() + block * size, data.begin() + (block + 1) * size);
    }
  }
  return y;
}

}  // namespace

Tensor Reshape::Evaluate(Operands operands, const Shape& shape) const {
  Tensor y = *operands[0];
  std::visit([&](auto& dense) { dense.shape = shape; }, y);
  return y;
}

Tensor Transpose::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit([&](const auto& x) -> Tensor { return TransposeElements(*this, x, shape); },
                    *operands[0]);
}

Tensor Concat::Evaluate(Operands operands, const Shape& shape) const {
  if (ElementTypeOf(*operands[0]) == ElementType::kInt64)
    return ConcatElements<int64_t>(*this, operands, shape);
  return ConcatElements<float>(*this, operands, shape);
}

Tensor Constant::Evaluate(Operands, const Shape&) const { return *value; }

}  // namespace tally::quant
