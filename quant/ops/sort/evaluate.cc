#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "quant/ops/lines.h"
#include "quant/ops/sort/sort_ops.h"

namespace tally::quant {
namespace {

// NaN comes before all else, for calibration to find and name.
template <typename T>
bool ComesBefore(T a, T b, bool is_min) {
  if (a != a || b != b) return a != a && b == b;
  return is_min ? a < b : a > b;
}

}  // namespace

Tensor TopK::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        const AxisView view = Around(x.shape, axis);
        DenseTensor<T> values{shape, std::vector<T>(static_cast<size_t>(NumElements(shape)))};
        Int64Tensor indices{shape, std::vector<int64_t>(values.data.size())};
        std::vector<int64_t> places(static_cast<size_t>(view.size));
        ForEachLine(view, [&](int64_t first, int64_t line_number) {
          const T* line = x.data.data() + first;
          std::iota(places.begin(), places.end(), 0);
          std::partial_sort(places.begin(), places.begin() + k, places.end(), [&](int64_t a, int64_t b) {
            const T p = line[a * view.inner], q = line[b * view.inner];
            if (ComesBefore(p, q, is_min)) return true;
            return !ComesBefore(q, p, is_min) && a < b;
          });
          const int64_t to = line_number / view.inner * k * view.inner + line_number % view.inner;
          for (int64_t i = 0; i < k; ++i) {
            values.data[to + i * view.inner] = line[places[i] * view.inner];
            indices.data[to + i * view.inner] = places[i];
          }
        });
        if (result == TopKResult::kIndices) return indices;
        return values;
      },
      *operands[0]);
}

}  // namespace tally::quant
