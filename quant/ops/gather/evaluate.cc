#include "quant/ops/gather/gather_ops.h"
#include "quant/ops/gather/places.h"
#include "quant/ops/lines.h"
#include "quant/ops/pick.h"

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

Tensor GatherElements::Evaluate(Operands operands, const Shape& shape) const {
  const Shape& from = ShapeOf(*operands[0]);
  const std::vector<int64_t> strides = StridesOf(from);
  const std::vector<int64_t>& indices = std::get<Int64Tensor>(*operands[1]).data;
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        DenseTensor<T> y{shape, {}};
        y.data.reserve(indices.size());
        for (size_t n = 0; n < indices.size(); ++n) {
          int64_t source = 0, rest = static_cast<int64_t>(n);
          for (size_t i = shape.size(); i-- > 0; rest /= shape[i]) {
            const bool is_chosen = static_cast<int64_t>(i) == axis;
            source += strides[i] * (is_chosen ? PlaceOf(indices[n], from[i]) : rest % shape[i]);
          }
          y.data.push_back(x.data[source]);
        }
        return y;
      },
      *operands[0]);
}

Tensor GatherNd::Evaluate(Operands operands, const Shape& shape) const {
  const Shape& from = ShapeOf(*operands[0]);
  const Int64Tensor& indices = std::get<Int64Tensor>(*operands[1]);
  const int64_t length = indices.shape.back();
  const auto elements = [](auto begin, auto end) { return NumElements(Shape(begin, end)); };
  const int64_t tuples_of_batch = elements(indices.shape.begin() + batch_dims, indices.shape.end() - 1);
  const int64_t size = elements(from.begin() + batch_dims + length, from.end());
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        DenseTensor<T> y{shape, {}};
        y.data.reserve(static_cast<size_t>(NumElements(shape)));
        for (int64_t n = 0; n < std::ssize(indices.data) / length; ++n) {
          int64_t place = n / tuples_of_batch;
          for (int64_t i = 0; i < length; ++i) {
            const int64_t dimension = from[batch_dims + i];
            place = place * dimension + PlaceOf(indices.data[n * length + i], dimension);
          }
          const auto slice = x.data.begin() + place * size;
          y.data.insert(y.data.end(), slice, slice + size);
        }
        return y;
      },
      *operands[0]);
}

}  // namespace tally::quant
