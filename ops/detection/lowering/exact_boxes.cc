#include "ops/detection/lowering/exact_boxes.h"

#include <algorithm>

#include "ops/labels.h"

namespace tally::detection {
namespace {

// lo and hi of every box along one axis: [cell][box].
struct Axis {
  std::vector<int64_t> lo, hi;
  bool fits = true;

  void Add(const BigInt& value, const CellBox& box, int64_t clip_hi, std::vector<int64_t>* side) {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    fits = fits && kElement.lo <= value && value <= kElement.hi;
    const int64_t v = fits ? static_cast<int64_t>(value) : 0;
    side->push_back(box.clip ? std::clamp<int64_t>(v, 0, clip_hi) : v);
  }
};

Axis AxisOf(const CellGrid& grid, const std::vector<CellBox>& boxes, bool vertical) {
  Axis axis;
  const Rational& scale = vertical ? grid.y_scale : grid.x_scale;
  for (int64_t cell = 0; cell < (vertical ? grid.rows : grid.columns); ++cell) {
    const Rational middle = (grid.offset + BigInt(cell)) * (vertical ? grid.row_step : grid.column_step);
    for (const CellBox& box : boxes) {
      const Rational center = (middle + (vertical ? box.dy : box.dx)) * scale;
      const Rational half_squared = (vertical ? box.height_squared : box.width_squared) * scale * scale / 4;
      axis.Add(RoundWithRoot(center, -1, half_squared), box, grid.clip_hi, &axis.lo);
      axis.Add(RoundWithRoot(center, 1, half_squared), box, grid.clip_hi, &axis.hi);
    }
  }
  return axis;
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> CornersOfGrid(const CellGrid& grid, const std::vector<CellBox>& boxes) {
  const int64_t K = static_cast<int64_t>(boxes.size());
  if (K == 0 || grid.rows * grid.columns > kMaxGridElements / 4 / K) {
    return MakeError(label::lowering_operands,
                     absl::StrCat(K, " boxes in each of ", grid.rows, " * ", grid.columns, " cells"));
  }
  const Axis x = AxisOf(grid, boxes, false), y = AxisOf(grid, boxes, true);
  if (!x.fits || !y.fits)
    return MakeError(label::lowering_operands, "coordinates leave the elements of a tensor");
  std::vector<int64_t> corners;
  for (int64_t h = 0; h < grid.rows; ++h) {
    for (int64_t w = 0; w < grid.columns; ++w) {
      for (int64_t k = 0; k < K; ++k) {
        const auto i = static_cast<size_t>(w * K + k), j = static_cast<size_t>(h * K + k);
        corners.insert(corners.end(), {x.lo[i], y.lo[j], x.hi[i], y.hi[j]});
      }
    }
  }
  return corners;
}

}  // namespace tally::detection
