#include "quant/ops/gather/gather_ops.h"
#include "quant/ops/gather/places.h"
#include "quant/ops/lines.h"

namespace tally::quant {

Tensor Gather::Evaluate(Operands operands, const Shape& shape) const {
  const AxisView view = Around(ShapeOf(*operands[0]), axis);
  const std::vector<int64_t> places = PlacesOf(std::get<Int64Tensor>(*operands[1]).data, view.size);
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        DenseTensor<T> y{shape, {}};
        y.data.reserve(static_cast<size_t>(NumElements(shape)));
        for (int64_t outer = 0; outer < view.outer; ++outer) {
          for (const int64_t place : places) {
            const auto slice = x.data.begin() + (outer * view.size + place) * view.inner;
            y.data.insert(y.data.end(), slice, slice + view.inner);
          }
        }
        return y;
      },
      *operands[0]);
}

}  // namespace tally::quant
