// A tensor of elements of another, chosen axis by axis.
//
//   // y[i, j] = x[j, i]
//   Picked(x, {n, m}, [&](size_t axis, int64_t i) { return i * (axis == 0 ? 1 : n); });
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "quant/tensor/tensor.h"

namespace tally::quant {

// The text about an index that chooses no element, from `place`. It stays below 0 whatever other axes add.
constexpr int64_t kOutside = -(int64_t{1} << 50);

// How far apart in row-major order neighbours along each axis are.
inline std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// y[d] = the element of x at the sum over all axes of place(axis, d[axis]), or `fill` where one is kOutside.
template <typename Place>
Tensor Picked(const Tensor& x, const Shape& shape, Place place, float fill = 0) {
  std::vector<int64_t> bases = {0};  // for the places on all axes but the last
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    std::vector<int64_t> next;
    next.reserve(bases.size() * static_cast<size_t>(shape[axis]));
    for (const int64_t base : bases) {
      for (int64_t i = 0; i < shape[axis]; ++i) next.push_back(base + place(axis, i));
    }
    bases = std::move(next);
  }
  std::vector<int64_t> last = {0};
  if (!shape.empty()) {
    last.clear();
    for (int64_t i = 0; i < shape.back(); ++i) last.push_back(place(shape.size() - 1, i));
  }
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& dense) -> Tensor {
        DenseTensor<T> y{shape, {}};
        y.data.reserve(bases.size() * last.size());
        for (const int64_t base : bases) {
          for (const int64_t offset : last) {
            const int64_t source = base + offset;
            y.data.push_back(source < 0 ? static_cast<T>(fill) : dense.data[source]);
          }
        }
        return y;
      },
      x);
}

}  // namespace tally::quant
