// Resizing whose weights are computed at import: with a filter against aliases, or of a region.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "frontends/graph/compositions/products.h"
#include "frontends/graph/compositions/resize.h"
#include "frontends/graph/labels.h"

namespace tally::frontend {
namespace {

double PointOf(Coordinates coordinates, int64_t i, int64_t elements, int64_t size, double scale) {
  const auto place = static_cast<double>(i);
  switch (coordinates) {
    case Coordinates::kAsymmetric: return place / scale;
    case Coordinates::kAlignCorners:
      return size == 1 ? 0 : place * static_cast<double>(elements - 1) / static_cast<double>(size - 1);
    case Coordinates::kPytorchHalfPixel: return size == 1 ? 0 : (place + 0.5) / scale - 0.5;
    case Coordinates::kHalfPixelSymmetric: {
      const double whole = static_cast<double>(elements) * scale,
                   adjusted = static_cast<double>(size) / whole;
      return static_cast<double>(elements) / 2 * (1 - adjusted) + (place + 0.5) / scale - 0.5;
    }
    default: return (place + 0.5) / scale - 0.5;
  }
}

int64_t NearestTo(double point, Nearest how) {
  switch (how) {
    case Nearest::kFloor: return static_cast<int64_t>(std::floor(point));
    case Nearest::kCeil: return static_cast<int64_t>(std::ceil(point));
    case Nearest::kRoundPreferCeil: return static_cast<int64_t>(std::floor(point + 0.5));
    default: return static_cast<int64_t>(std::ceil(point - 0.5));
  }
}

absl::StatusOr<AxisWeights> Zeros(Emitter& emitter, size_t axis, int64_t size, int64_t elements) {
  const quant::Shape shape = {size, elements};
  RETURN_IF_ERROR(quant::CheckShape(shape));
  RETURN_IF_ERROR(emitter.Charge(quant::NumElements(shape)));
  return AxisWeights{axis, {{size, elements}, std::vector<float>(static_cast<size_t>(size * elements))}};
}

bool IsOutside(const AxisWeights& weights, int64_t point) {
  const auto elements = weights.rows.shape[1];
  const auto row = weights.rows.data.begin() + point * elements;
  return std::all_of(row, row + elements, [](float weight) { return weight == 0; });
}

}  // namespace

absl::StatusOr<AxisWeights> TriangleWeights(Emitter& emitter, size_t axis, int64_t elements, int64_t size,
                                            double scale, Coordinates coordinates) {
  ASSIGN_OR_RETURN(AxisWeights weights, Zeros(emitter, axis, size, elements));
  const double narrow = std::min(scale, 1.0);
  for (int64_t i = 0; i < size; ++i) {
    const double point = PointOf(coordinates, i, elements, size, scale);
    const auto first = static_cast<int64_t>(std::floor(point - 1 / narrow));
    const auto last = static_cast<int64_t>(std::ceil(point + 1 / narrow));
    double sum = 0;
    std::vector<double> row(static_cast<size_t>(elements));
    for (int64_t j = first; j <= last; ++j) {
      const double weight = std::max(0.0, 1 - std::abs(static_cast<double>(j) - point) * narrow);
      row[static_cast<size_t>(std::clamp<int64_t>(j, 0, elements - 1))] += weight;
      sum += weight;
    }
    for (int64_t j = 0; j < elements; ++j) {
      weights.rows.data[static_cast<size_t>(i * elements + j)] =
          static_cast<float>(row[static_cast<size_t>(j)] / sum);
    }
  }
  return weights;
}

absl::StatusOr<AxisWeights> RegionWeights(Emitter& emitter, size_t axis, int64_t elements, int64_t size,
                                          double first, double last, std::optional<Nearest> nearest) {
  ASSIGN_OR_RETURN(AxisWeights weights, Zeros(emitter, axis, size, elements));
  const auto end = static_cast<double>(elements - 1);
  for (int64_t i = 0; i < size; ++i) {
    const double point = size == 1 ? 0.5 * (first + last) * end
                                   : first * end + static_cast<double>(i) * (last - first) * end /
                                                       static_cast<double>(size - 1);
    if (point < 0 || point > end) continue;
    float* const row = weights.rows.data.data() + i * elements;
    if (nearest.has_value()) {
      row[std::clamp<int64_t>(NearestTo(point, *nearest), 0, elements - 1)] = 1;
      continue;
    }
    const auto below = static_cast<int64_t>(point);
    const double part = point - static_cast<double>(below);
    row[below] = static_cast<float>(1 - part);
    if (below + 1 < elements) row[below + 1] = static_cast<float>(part);
  }
  return weights;
}

absl::StatusOr<Operand> ResizedByWeights(Emitter& emitter, const Operand& x,
                                         const std::vector<AxisWeights>& weights, float outside) {
  const size_t rank = x.shape().size();
  Operand y = x;
  for (const AxisWeights& of_axis : weights) {
    if (rank < 2 || of_axis.axis + 2 < rank)
      return MakeError(label::model_unsupported_operand, "it resizes other axes than the last two");
    ASSIGN_OR_RETURN(const Operand rows, emitter.NewConstant(of_axis.rows, "weights"));
    if (of_axis.axis + 1 == rank) {
      ASSIGN_OR_RETURN(const Operand columns, Transposed(emitter, rows, "columns"));
      ASSIGN_OR_RETURN(y, MatrixProduct(emitter, y, columns, 1));
    } else {
      ASSIGN_OR_RETURN(y, MatrixProduct(emitter, rows, y, 1));
    }
  }
  if (outside == 0) return y;
  // Added at points that are outside on any axis.
  quant::FloatTensor added{{1, 1}, {0}};
  for (const size_t from_end : {2, 1}) {
    const size_t axis = rank - from_end;
    added.shape[2 - from_end] = y.shape()[axis];
  }
  added.data.assign(static_cast<size_t>(added.shape[0] * added.shape[1]), 0);
  RETURN_IF_ERROR(emitter.Charge(quant::NumElements(added.shape)));
  for (const AxisWeights& of_axis : weights) {
    for (int64_t row = 0; row < added.shape[0]; ++row) {
      for (int64_t column = 0; column < added.shape[1]; ++column) {
        const int64_t point = of_axis.axis + 1 == rank ? column : row;
        if (IsOutside(of_axis, point))
          added.data[static_cast<size_t>(row * added.shape[1] + column)] = outside;
      }
    }
  }
  ASSIGN_OR_RETURN(const Operand around, emitter.NewConstant(std::move(added), "outside"));
  return emitter.Emit(quant::Add{}, {y, around}, "with_outside");
}

}  // namespace tally::frontend
