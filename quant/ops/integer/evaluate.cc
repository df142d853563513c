#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "quant/ops/integer/integer_ops.h"
#include "quant/ops/lines.h"
#include "quant/tensor/broadcast_index.h"

namespace tally::quant {
namespace {

const Int64Tensor& Integers(const Tensor* operand) { return std::get<Int64Tensor>(*operand); }

// y[i] = f(a, b) of the elements that broadcast to place i.
template <typename R, typename T, typename F>
DenseTensor<R> Zip(const DenseTensor<T>& a, const DenseTensor<T>& b, const Shape& shape, F f) {
  const std::vector<int64_t> a_index = BroadcastIndex(a.shape, shape);
  const std::vector<int64_t> b_index = BroadcastIndex(b.shape, shape);
  DenseTensor<R> y{shape, {}};
  y.data.reserve(a_index.size());
  for (size_t i = 0; i < a_index.size(); ++i) y.data.push_back(f(a.data[a_index[i]], b.data[b_index[i]]));
  return y;
}

template <typename T>
bool Compares(Comparison kind, T a, T b) {
  switch (kind) {
    case Comparison::kEqual: return a == b;
    case Comparison::kNotEqual: return a != b;
    case Comparison::kLess: return a < b;
    case Comparison::kLessEqual: return a <= b;
    case Comparison::kGreater: return a > b;
    case Comparison::kGreaterEqual: return a >= b;
  }
  __builtin_unreachable();
}

}  // namespace

Tensor ToFloat::Evaluate(Operands operands, const Shape& shape) const {
  const std::vector<int64_t>& x = Integers(operands[0]).data;
  return FloatTensor{shape, {x.begin(), x.end()}};
}

Tensor ToInteger::Evaluate(Operands operands, const Shape& shape) const {
  Int64Tensor y{shape, {}};
  for (const float x : std::get<FloatTensor>(*operands[0]).data) y.data.push_back(Of(x));
  return y;
}

Tensor Compare::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& a) -> Tensor {
        const auto& b = std::get<DenseTensor<T>>(*operands[1]);
        return Zip<int64_t>(a, b, shape, [this](T x, T y) { return Compares(kind, x, y) ? 1 : 0; });
      },
      *operands[0]);
}

Tensor IntegerArithmetic::Evaluate(Operands operands, const Shape& shape) const {
  return Zip<int64_t>(Integers(operands[0]), Integers(operands[1]), shape,
                      [this](int64_t a, int64_t b) { return Compute(a, b); });
}

Tensor CumulativeSum::Evaluate(Operands operands, const Shape& shape) const {
  const AxisView view = Around(shape, axis);
  return std::visit(
      [&]<typename T>(DenseTensor<T> x) -> Tensor {
        ForEachLine(view, [&](int64_t first, int64_t) {
          using Sum = std::conditional_t<std::is_same_v<T, float>, double, uint64_t>;  // modulo 2^64
          Sum sum = 0;
          for (int64_t i = 0; i < view.size; ++i) {
            T& element = x.data[first + (reverse ? view.size - 1 - i : i) * view.inner];
            const Sum before = sum;
            sum += static_cast<Sum>(element);
            element = static_cast<T>(exclusive ? before : sum);
          }
        });
        return x;
      },
      *operands[0]);
}

Tensor Where::Evaluate(Operands operands, const Shape& shape) const {
  const Int64Tensor& condition = Integers(operands[0]);
  const std::vector<int64_t> c_index = BroadcastIndex(condition.shape, shape);
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& a) -> Tensor {
        const auto& b = std::get<DenseTensor<T>>(*operands[2]);
        size_t i = 0;
        return Zip<T>(a, b, shape, [&](T x, T y) { return condition.data[c_index[i++]] != 0 ? x : y; });
      },
      *operands[1]);
}

Tensor Lookup::Evaluate(Operands operands, const Shape& shape) const {
  return std::visit(
      [&]<typename T>(const DenseTensor<T>& list) -> Tensor {
        DenseTensor<T> y{shape, {}};
        for (const int64_t x : Integers(operands[0]).data) {
          y.data.push_back(list.data[std::clamp<int64_t>(x, 0, std::ssize(list.data) - 1)]);
        }
        return y;
      },
      values);
}

Tensor Masked::Evaluate(Operands operands, const Shape& shape) const {
  FloatTensor y = Float(operands[0]);
  const Int64Tensor& hide = Integers(operands[1]);
  const float lowest = *std::ranges::min_element(y.data) - static_cast<float>(kDepth);
  const std::vector<int64_t> index = BroadcastIndex(hide.shape, shape);
  for (size_t i = 0; i < y.data.size(); ++i) {
    if (hide.data[index[i]] != 0) y.data[i] = lowest;
  }
  return y;
}

}  // namespace tally::quant
