#include "proof/freivalds/product_check.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/int_math.h"
#include "ops/indexing.h"
#include "ops/window.h"
#include "proof/freivalds/modular_sums.h"

namespace tally {
namespace {

bool Fits32(const Interval& interval) {
  const Interval range = RangeOf(Storage::kI32);
  return interval.lo >= range.lo && interval.hi <= range.hi;
}

// Rows and columns of a matrix in the order of the product, and the elements between neighbours in it.
struct Matrix {
  int64_t rows, columns, row_step, column_step;
};
Matrix MatrixOf(const Shape& shape, bool is_transposed) {
  const int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  return is_transposed ? Matrix{columns, rows, 1, columns} : Matrix{rows, columns, columns, 1};
}

// Where the matrices of an operand begin, by matrix of the result.
std::vector<int64_t> MatrixPlaces(const Shape& operand, const Shape& result) {
  const StridedView view = BroadcastView(operand, result);
  std::vector<int64_t> batch(result.dims().begin(), result.dims().end() - 2);
  batch.push_back(1);
  batch.push_back(1);
  std::vector<int64_t> places;
  ForEachIndex(*Shape::Create(batch), [&](int64_t, const Index& index) { places.push_back(view.At(index)); });
  return places;
}

ConvolutionAttrs WindowsOfConv2d(const Conv2dAttrs& attrs) {
  return {.stride = attrs.stride,
          .dilation = attrs.dilation,
          .pad_begin = attrs.padding,
          .pad_end = attrs.padding,
          .groups = attrs.groups};
}

}  // namespace

std::optional<ProductCheck> ProductCheck::Of(const ValidModule& module, size_t number) {
  const Instruction& instruction = module.entry().body[number];
  const InstructionFacts& facts = module.facts()[number];
  ProductCheck check;
  switch (instruction.op) {
    case Opcode::kMatmul: check.matmul_ = Unpack<MatmulAttrs>(instruction.attributes); break;
    case Opcode::kDense: check.matmul_.transpose_b = true; break;
    case Opcode::kConv2d:
      check.is_windows_ = true;
      check.windows_ = WindowsOfConv2d(Unpack<Conv2dAttrs>(instruction.attributes));
      break;
    case Opcode::kConvolution:
      check.is_windows_ = true;
      check.windows_ = Unpack<ConvolutionAttrs>(instruction.attributes);
      break;
    default: return std::nullopt;
  }
  const TensorType& result = module.types()[facts.first_result];
  if (!Fits32(facts.accumulator) || !Fits32(result.interval)) return std::nullopt;
  check.x_ = module.types()[instruction.operands[0]].shape;
  check.w_ = module.types()[instruction.operands[1]].shape;
  check.y_ = result.shape;
  const int64_t outputs = check.y_.num_elements();
  if (check.is_windows_) {
    check.columns_ = check.w_[0];
    const int64_t taps = check.w_.num_elements() / check.w_[0], positions = outputs / check.columns_;
    check.product_cost_ = outputs * taps;
    // Each multiplication is added to a sum in memory.
    check.check_cost_ = 4 * (outputs + positions * taps * check.windows_.groups);
  } else {
    check.columns_ = check.y_[check.y_.rank() - 1];
    const Matrix b = MatrixOf(check.w_, check.matmul_.transpose_b);
    check.product_cost_ = outputs * b.rows;
    const bool is_constant = module.constant(instruction.operands[1]) != nullptr;
    check.check_cost_ =
        outputs + outputs / check.columns_ * b.rows + (is_constant ? 0 : check.w_.num_elements());
  }
  return check;
}

ProductKey ProductCheck::KeyOf(const TensorView& weights, const TensorView* bias,
                               std::vector<int32_t> coefficients) const {
  ProductKey key = {.r = std::move(coefficients), .s = {}};
  const auto r = [&](int64_t i) { return static_cast<uint64_t>(int64_t{key.r[static_cast<size_t>(i)]}); };
  if (is_windows_) {
    const int64_t per_group = w_[0] / windows_.groups, taps = w_.num_elements() / w_[0];
    key.s.assign(static_cast<size_t>(windows_.groups * taps), 0);
    for (int64_t o = 0; o < w_[0]; ++o) {
      uint64_t* const s = &key.s[static_cast<size_t>(o / per_group * taps)];
      AddScaled(weights, o * taps, 1, taps, -windows_.zero_w, r(o), s);
    }
  } else {
    const Matrix b = MatrixOf(w_, matmul_.transpose_b);
    const int64_t matrices = w_.num_elements() / (b.rows * b.columns);
    key.s.assign(static_cast<size_t>(matrices * b.rows), 0);
    const std::vector<uint64_t> factors(key.r.begin(), key.r.end());  // as they are modulo 2^64
    const uint64_t zeros =
        std::accumulate(factors.begin(), factors.end(), uint64_t{0}) * static_cast<uint64_t>(matmul_.zero_b);
    for (int64_t matrix = 0; matrix < matrices; ++matrix) {
      const int64_t first = matrix * b.rows * b.columns;
      uint64_t* const s = &key.s[static_cast<size_t>(matrix * b.rows)];
      if (b.row_step == 1) {
        for (int64_t n = 0; n < b.columns; ++n)
          AddScaled(weights, first + n * b.column_step, 1, b.rows, -matmul_.zero_b, r(n), s);
        continue;
      }
      for (int64_t k = 0; k < b.rows; ++k) s[k] = Dot(weights, first + k * b.row_step, 1, factors) - zeros;
    }
  }
  for (int64_t i = 0; bias != nullptr && i < bias->shape.num_elements(); ++i)
    key.bias += static_cast<uint64_t>(bias->at(i)) * r(i);
  return key;
}

bool ProductCheck::Holds(const TensorView& x, const TensorView& y, std::span<const ProductKey> keys) const {
  if (!is_windows_) return HoldsMatrix(x, y, keys);
  return std::ranges::all_of(keys, [&](const ProductKey& key) { return HoldsWindows(x, y, key); });
}

bool ProductCheck::HoldsMatrix(const TensorView& x, const TensorView& y,
                               std::span<const ProductKey> keys) const {
  const Matrix a = MatrixOf(x_, matmul_.transpose_a), b = MatrixOf(w_, matmul_.transpose_b);
  const std::vector<int64_t> in_a = MatrixPlaces(x_, y_), in_b = MatrixPlaces(w_, y_);
  std::vector<std::vector<uint64_t>> factors;  // r modulo 2^64
  for (const ProductKey& key : keys) factors.emplace_back(key.r.begin(), key.r.end());
  for (size_t matrix = 0; matrix < in_a.size(); ++matrix) {
    const auto s_of = [&](const ProductKey& key) {
      return std::span(key.s).subspan(static_cast<size_t>(in_b[matrix] / b.columns),
                                      static_cast<size_t>(b.rows));
    };
    std::vector<uint64_t> constants;  // that every row of the product has
    for (const ProductKey& key : keys) {
      const std::span<const uint64_t> s = s_of(key);
      constants.push_back(key.bias - std::accumulate(s.begin(), s.end(), uint64_t{0}) *
                                         static_cast<uint64_t>(matmul_.zero_a));
    }
    // A row is in the nearest cache for the next key.
    for (int64_t m = 0; m < a.rows; ++m) {
      const int64_t row = (static_cast<int64_t>(matrix) * a.rows + m) * b.columns;
      for (size_t i = 0; i < keys.size(); ++i) {
        const uint64_t claimed = Dot(y, row, 1, factors[i]);
        const uint64_t computed = Dot(x, in_a[matrix] + m * a.row_step, a.column_step, s_of(keys[i]));
        if (claimed != computed + constants[i]) return false;
      }
    }
  }
  return true;
}

bool ProductCheck::HoldsWindows(const TensorView& x, const TensorView& y, const ProductKey& key) const {
  const int64_t positions = y_.num_elements() / y_[0] / y_[1];
  const Windows windows = WindowsOf(windows_, w_.dims().subspan(2), x_.rank());
  std::vector<int64_t> spatial(y_.dims().begin() + 2, y_.dims().end());
  const Shape places = *Shape::Create(spatial), taps = *Shape::Create(w_.dims().subspan(2));
  const int last = places.rank() - 1;
  const Window& row_window = windows[x_.rank() - 1];
  const int64_t row = places[last], width = x_[x_.rank() - 1];
  std::vector<uint64_t> sums(static_cast<size_t>(positions));
  for (int64_t n = 0; n < y_[0]; ++n) {
    std::ranges::fill(sums, uint64_t{0} - key.bias);
    for (int64_t o = 0; o < y_[1]; ++o) {
      AddScaled(y, (n * y_[1] + o) * positions, 1, positions, 0,
                static_cast<uint64_t>(int64_t{key.r[static_cast<size_t>(o)]}), sums.data());
    }
    // Minus the input times s, one row of places and one tap at a time.
    for (int64_t c = 0; c < x_[1]; ++c) {
      const int64_t plane = (n * x_[1] + c) * (x_.num_elements() / x_[0] / x_[1]);
      const int64_t of_channel = c * taps.num_elements();
      ForEachIndex(taps, [&](int64_t tap, const Index& k) {
        const uint64_t s = uint64_t{0} - key.s[static_cast<size_t>(of_channel + tap)];
        // Places p with 0 <= p * stride - pad + k * dilation < width.
        const int64_t shift = row_window.pad_begin - k[last] * row_window.dilation;
        const int64_t begin = std::max<int64_t>(0, CeilDiv(shift, row_window.stride));
        const int64_t end = std::min(row, FloorDiv(width - 1 + shift, row_window.stride) + 1);
        if (begin >= end) return;
        for (int64_t first = 0; first < positions; first += row) {
          const Index p = Unflatten(first, places);
          int64_t at = plane, inside = 0, stride = 1;
          for (int axis = last; axis >= 0; --axis) {
            const Window& window = windows[axis + 2];
            const int64_t q = (axis == last ? begin : p[axis]) * window.stride - window.pad_begin +
                              k[axis] * window.dilation;
            inside += q >= 0 && q < x_[axis + 2];
            at += q * stride;
            stride *= x_[axis + 2];
          }
          if (inside != last + 1) continue;  // in the padding, which is 0
          AddScaled(x, at, row_window.stride, end - begin, -windows_.zero_x, s,
                    &sums[static_cast<size_t>(first + begin)]);
        }
      });
    }
    if (std::ranges::any_of(sums, [](uint64_t sum) { return sum != 0; })) return false;
  }
  return true;
}

}  // namespace tally
