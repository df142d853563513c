#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "quant/ops/groups.h"
#include "quant/ops/lines.h"
#include "quant/ops/reduction/reduction_ops.h"

namespace tally::quant {
namespace {

// Written so that NaN passes through, for calibration to find and name.
template <typename T>
bool IsNotANumber(T v) {
  return v != v;
}

}  // namespace

Tensor ArgExtreme::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit(
      [&](const auto& x) -> Tensor {
        const AxisView view = Around(x.shape, axis);
        Int64Tensor y{shape, std::vector<int64_t>(static_cast<size_t>(NumElements(shape)))};
        ForEachLine(view, [&](int64_t first, int64_t line_number) {
          const auto* line = x.data.data() + first;
          int64_t best = 0;
          for (int64_t i = 1; i < view.size; ++i) {
            const auto element = line[i * view.inner], champion = line[best * view.inner];
            const bool is_better = is_min ? element < champion : element > champion;
            if (is_better || (takes_last && element == champion)) best = i;
          }
          y.data[line_number] = best;
        });
        return y;
      },
      *operands[0]);
}

Tensor ReduceSum::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        using Sum = std::conditional_t<std::is_same_v<T, float>, double, uint64_t>;  // modulo 2^64
        const std::vector<int64_t> group = GroupOfEach(x.shape, axes);
        std::vector<Sum> sums(static_cast<size_t>(NumElements(shape)));
        for (size_t i = 0; i < x.data.size(); ++i) sums[group[i]] += static_cast<Sum>(x.data[i]);
        const Sum divisor = is_mean ? static_cast<Sum>(x.data.size() / sums.size()) : 1;
        DenseTensor<T> y{shape, {}};
        for (const Sum sum : sums) y.data.push_back(static_cast<T>(sum / divisor));
        return y;
      },
      *operands[0]);
}

Tensor ReduceExtreme::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& x) -> Tensor {
        const std::vector<int64_t> group = GroupOfEach(x.shape, axes);
        std::vector<bool> is_begun(static_cast<size_t>(NumElements(shape)));
        DenseTensor<T> y{shape, std::vector<T>(is_begun.size())};
        for (size_t i = 0; i < x.data.size(); ++i) {
          T& best = y.data[group[i]];
          const bool wins = is_min ? x.data[i] < best : x.data[i] > best;
          if (wins || !is_begun[group[i]] || IsNotANumber(x.data[i])) best = x.data[i];
          is_begun[group[i]] = true;
        }
        return y;
      },
      *operands[0]);
}

Tensor ReduceProduct::Evaluate(Operands operands, const Shape& shape) const {
  const auto& x = std::get<Int64Tensor>(*operands[0]);
  const std::vector<int64_t> group = GroupOfEach(x.shape, axes);
  std::vector<uint64_t> products(static_cast<size_t>(NumElements(shape)), 1);  // modulo 2^64
  for (size_t i = 0; i < x.data.size(); ++i) products[group[i]] *= static_cast<uint64_t>(x.data[i]);
  Int64Tensor y{shape, {}};
  for (const uint64_t product : products) y.data.push_back(static_cast<int64_t>(product));
  return y;
}

}  // namespace tally::quant
