#include <algorithm>
#include <vector>

#include "base/int_math.h"
#include "quant/ops/layout/layout_ops.h"
#include "quant/ops/pick.h"

namespace tally::quant {
namespace {

// Where the element at place i of a padded axis comes from, in an axis of n elements, or kOutside.
int64_t SourceOf(Pad::Mode mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case Pad::Mode::kZero: return kOutside;
    case Pad::Mode::kEdge: return i < 0 ? 0 : n - 1;
    case Pad::Mode::kReflect: {
      if (n == 1) return 0;
      const int64_t period = 2 * (n - 1), place = i - FloorDiv(i, period) * period;
      return std::min(place, period - place);
    }
    case Pad::Mode::kWrap: return i - FloorDiv(i, n) * n;
  }
  __builtin_unreachable();
}

Tensor Padded(const Tensor& x, const Shape& shape, Pad::Mode mode, const std::vector<int64_t>& before,
              float value = 0) {
  const Shape& dims = ShapeOf(x);
  const std::vector<int64_t> strides = StridesOf(dims);
  return Picked(
      x, shape,
      [&](size_t axis, int64_t i) {
        const int64_t source = SourceOf(mode, i - before[axis], dims[axis]);
        return source == kOutside ? kOutside : source * strides[axis];
      },
      value);
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
  const std::vector<int64_t> strides = StridesOf(ShapeOf(*operands[0]));
  return Picked(*operands[0], shape, [&](size_t axis, int64_t i) { return i * strides[permutation[axis]]; });
}

Tensor Concat::Evaluate(Operands operands, const Shape& shape) const {
  if (ElementTypeOf(*operands[0]) == ElementType::kInt64)
    return ConcatElements<int64_t>(*this, operands, shape);
  return ConcatElements<float>(*this, operands, shape);
}

Tensor Slice::Evaluate(Operands operands, const Shape& shape) const {
  const std::vector<int64_t> strides = StridesOf(ShapeOf(*operands[0]));
  return Picked(*operands[0], shape,
                [&](size_t axis, int64_t i) { return (begin[axis] + i * step[axis]) * strides[axis]; });
}

Tensor Pad::Evaluate(Operands operands, const Shape& shape) const {
  return Padded(*operands[0], shape, mode, before);
}

Tensor PadConstant::Evaluate(Operands operands, const Shape& shape) const {
  return Padded(*operands[0], shape, Pad::Mode::kZero, before, value);
}

Tensor AppendChannel::Evaluate(Operands operands, const Shape& shape) const {
  const auto images = static_cast<size_t>(shape[0]);
  const std::vector<float>& x = Float(operands[0]).data;
  FloatTensor y = ZeroTensor(shape);
  std::ranges::fill(y.data, value);
  for (size_t n = 0; n < images; ++n) {
    const size_t size = x.size() / images;
    std::copy_n(x.begin() + static_cast<ptrdiff_t>(n * size), size,
                y.data.begin() + static_cast<ptrdiff_t>(n * (y.data.size() / images)));
  }
  return y;
}

Tensor Expand::Evaluate(Operands operands, const Shape& shape) const {
  const Shape& x = ShapeOf(*operands[0]);
  const std::vector<int64_t> strides = StridesOf(x);
  const size_t added = shape.size() - x.size();
  return Picked(*operands[0], shape, [&](size_t axis, int64_t i) {
    return axis < added || x[axis - added] == 1 ? 0 : i * strides[axis - added];
  });
}

Tensor Tile::Evaluate(Operands operands, const Shape& shape) const {
  const Shape& x = ShapeOf(*operands[0]);
  const std::vector<int64_t> strides = StridesOf(x);
  return Picked(*operands[0], shape, [&](size_t axis, int64_t i) { return i % x[axis] * strides[axis]; });
}

Tensor Constant::Evaluate(Operands, const Shape&) const { return *value; }

}  // namespace tally::quant
