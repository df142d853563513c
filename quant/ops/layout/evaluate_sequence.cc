#include <algorithm>
#include <vector>

#include "quant/ops/layout/layout_ops.h"
#include "quant/ops/pick.h"

namespace tally::quant {

Tensor ReverseSequence::Evaluate(Operands operands, const Shape& shape) const {
  const std::vector<int64_t>& lengths = std::get<Int64Tensor>(*operands[1]).data;
  const std::vector<int64_t> strides = StridesOf(shape);
  const int64_t steps = shape[time_axis], stride = strides[time_axis];
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        DenseTensor<T> y = x;
        for (int64_t i = 0; i < std::ssize(x.data); ++i) {
          const int64_t t = i / stride % steps, b = i / strides[batch_axis] % shape[batch_axis];
          const int64_t length = std::clamp<int64_t>(lengths[b], 0, steps);
          if (t < length) y.data[i] = x.data[i + (length - 1 - 2 * t) * stride];
        }
        return y;
      },
      *operands[0]);
}

}  // namespace tally::quant
