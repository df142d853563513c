#include <algorithm>

#include "ops/detection/lowering/compose.h"
#include "ops/detection/lowering/exact_boxes.h"

namespace tally {
namespace {

using detection::CellBox;
using detection::CellGrid;
using detection::CornersOfGrid;
using detection::Fraction;
using detection::kMaxGridElements;
using detection::Rational;

// Shared by both forms: the cells of an image, whose coordinates end at `units`.
template <typename Attrs>
CellGrid GridOf(const Attrs& attrs, const Rational& row_step, const Rational& column_step) {
  return {.rows = attrs.grid_size[0],
          .columns = attrs.grid_size[1],
          .row_step = row_step,
          .column_step = column_step,
          .offset = Fraction(attrs.offset, attrs.offset_denominator),
          .y_scale = Fraction(attrs.units, attrs.image_size[0]),
          .x_scale = Fraction(attrs.units, attrs.image_size[1]),
          .clip_hi = attrs.units};
}

// The pixels of a cell on an axis.
template <typename Attrs>
Rational CellSize(const Attrs& attrs, size_t axis) {
  return Fraction(attrs.image_size[axis], attrs.grid_size[axis]);
}

absl::StatusOr<std::vector<Value>> ConstantOf(Composition& c, const CellGrid& grid,
                                              const std::vector<CellBox>& boxes) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> corners, CornersOfGrid(grid, boxes));
  return std::vector<Value>{c.Constant({static_cast<int64_t>(corners.size()) / 4, 4}, corners)};
}

class PriorBoxes {
 public:
  explicit PriorBoxes(const PriorBoxAttrs& attrs) : attrs_(attrs) {
    // 1, then the ratios in their order, each once, followed by its inverse when flipped.
    ratios_ = {Fraction(1, 1)};
    for (const int64_t numerator : attrs.aspect_ratio) {
      const Rational ratio = Fraction(numerator, attrs.ratio_denominator);
      if (std::find(ratios_.begin(), ratios_.end(), ratio) != ratios_.end()) continue;
      ratios_.push_back(ratio);
      if (attrs.flip) ratios_.push_back(1 / ratio);
    }
    for (size_t i = 0; i < attrs.fixed_size.size(); ++i) AddFixed(i);
    for (size_t i = 0; i < attrs.min_size.size(); ++i) AddMinimum(i);
  }

  const std::vector<CellBox>& boxes() const { return boxes_; }

 private:
  Rational SizeOf(int64_t numerator) const {
    const Rational size = Fraction(numerator, attrs_.size_denominator);
    return attrs_.scale_all_sizes ? size : Rational(size * attrs_.image_size[0]);
  }

  // A box of `size` by `size` pixels, made `ratio` times as wide as high.
  void Add(const Rational& size_squared, const Rational& ratio, const Rational& dx, const Rational& dy,
           bool clip) {
    boxes_.push_back({dx, dy, size_squared * ratio, size_squared / ratio, clip || attrs_.clip});
  }

  void AddMinimum(size_t i) {
    const Rational size = SizeOf(attrs_.min_size[i]);
    Add(size * size, 1, 0, 0, false);
    if (i < attrs_.max_size.size())
      Add(size * Fraction(attrs_.max_size[i], attrs_.size_denominator), 1, 0, 0, false);
    if (!attrs_.scale_all_sizes && i + 1 < attrs_.min_size.size()) return;
    const Rational shaped = attrs_.scale_all_sizes ? size : SizeOf(attrs_.min_size[0]);
    for (size_t k = 1; k < ratios_.size(); ++k) Add(shaped * shaped, ratios_[k], 0, 0, false);
  }

  // A square of density * density boxes around the middle, for each ratio.
  void AddFixed(size_t i) {
    const Rational size = Fraction(attrs_.fixed_size[i], attrs_.size_denominator);
    const int64_t whole = attrs_.fixed_size[i] / attrs_.size_denominator;
    const int64_t density = i < attrs_.density.size() ? attrs_.density[i] : 1;
    const int64_t shift = whole / density;
    std::vector<Rational> ratios = ratios_;
    if (!attrs_.fixed_ratio.empty()) {
      ratios.clear();
      for (const int64_t numerator : attrs_.fixed_ratio) {
        ratios.push_back(Fraction(numerator, attrs_.ratio_denominator));
      }
    }
    for (const Rational& ratio : ratios) {
      for (int64_t row = 0; row < density; ++row) {
        for (int64_t column = 0; column < density; ++column) {
          const Rational corner = Fraction(shift, 2) - whole / 2;
          Add(size * size, ratio, corner + column * shift, corner + row * shift, true);
        }
      }
    }
  }

  const PriorBoxAttrs& attrs_;
  std::vector<Rational> ratios_;
  std::vector<CellBox> boxes_;
};

}  // namespace

absl::StatusOr<std::vector<Value>> LowerPriorBox(Composition& c, std::span<const Value>,
                                                 const Attributes& attributes) {
  auto attrs = Unpack<PriorBoxAttrs>(attributes);
  Rational row_step = CellSize(attrs, 0), column_step = CellSize(attrs, 1);
  if (attrs.step == 0) {
    attrs.offset = 1;
    attrs.offset_denominator = 2;
  } else {
    row_step = Fraction(attrs.step, attrs.step_denominator);
    if (!attrs.scale_all_sizes) row_step *= attrs.image_size[0];
    column_step = row_step;
  }
  // 64 ratios, inverses and densities of 16 each would be 2 million boxes of one cell.
  int64_t boxes = 0;
  for (size_t i = 0; i < attrs.fixed_size.size(); ++i) {
    const int64_t density = i < attrs.density.size() ? attrs.density[i] : 1;
    boxes += density * density *
             static_cast<int64_t>(std::max(attrs.fixed_ratio.size(), 2 * attrs.aspect_ratio.size()));
  }
  RETURN_IF_ERROR(detection::Require(boxes <= kMaxGridElements / 64, "too many boxes in a cell"));
  return ConstantOf(c, GridOf(attrs, row_step, column_step), PriorBoxes(attrs).boxes());
}

absl::StatusOr<std::vector<Value>> LowerPriorBoxClustered(Composition& c, std::span<const Value>,
                                                          const Attributes& attributes) {
  const auto attrs = Unpack<PriorBoxClusteredAttrs>(attributes);
  RETURN_IF_ERROR(detection::Require(attrs.width.size() == attrs.height.size(), "as many widths as heights"));
  std::vector<CellBox> boxes;
  for (size_t i = 0; i < attrs.width.size(); ++i) {
    const Rational width = Fraction(attrs.width[i], attrs.size_denominator);
    const Rational height = Fraction(attrs.height[i], attrs.size_denominator);
    boxes.push_back({0, 0, width * width, height * height, attrs.clip});
  }
  const auto step = [&](size_t axis) {
    return attrs.step[axis] == 0 ? CellSize(attrs, axis) : Fraction(attrs.step[axis], attrs.step_denominator);
  };
  return ConstantOf(c, GridOf(attrs, step(0), step(1)), boxes);
}

}  // namespace tally
