// Of the families over images: image and detection.
#include <algorithm>
#include <utility>

#include "fuzz/generators/shapers.h"
#include "ops/detection/attrs.h"
#include "ops/image/attrs.h"

namespace tally {
namespace {

Attempt ShapeUpsampling(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 4, .max_rank = 4});
  return {{x}, Pack(UpsamplingAttrs{.scale = c.e.Between(1, 3)})};
}

Attempt ShapeGetValidCounts(ShapeContext& c) {
  const Shape shape = ShapeOf({c.e.Between(1, 3), c.e.Between(1, 8), c.e.OneIn(3) ? c.e.Between(2, 8) : 6});
  const DraftId x = c.Operand({.shape = shape});
  return {{x}, Pack(GetValidCountsAttrs{.score_threshold = c.e.Between(-3, 10)})};
}

// Rows [id, score, x1, y1, x2, y2] of few ids, most with positive sides, so that many overlap.
std::vector<int64_t> Boxes(EntropySource& e, int64_t rows, int64_t size) {
  std::vector<int64_t> values;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t x1 = e.Between(-size, size), x2 = e.Between(-size, size);
    int64_t y1 = e.Between(-size, size), y2 = e.Between(-size, size);
    if (x1 > x2 && !e.OneIn(8)) std::swap(x1, x2);
    if (y1 > y2 && !e.OneIn(8)) std::swap(y1, y2);
    values.insert(values.end(), {e.Between(-1, 1), e.Between(0, 3), x1, y1, x2, y2});
  }
  return values;
}

Attempt ShapeNonMaxSuppression(ShapeContext& c) {
  const int64_t batches = c.e.Between(1, 2), rows = c.e.Between(1, 10);
  const int64_t size =
      c.e.Pick({int64_t{4}, int64_t{12}, int64_t{100}, (int64_t{1} << 29) - 1, int64_t{1} << 33});
  const Shape shape = ShapeOf({batches, rows, 6});
  const DraftId x = c.e.OneIn(2) ? c.Constant(shape, Boxes(c.e, batches * rows, size))
                                 : c.Operand({.shape = shape, .within = {-size, size}});
  const DraftId count = c.Operand({.shape = ShapeOf({batches}), .within = {-2, rows + 2}});
  const NonMaxSuppressionAttrs attrs = {.iou_threshold = c.e.Between(1, 110),
                                        .max_output_size = c.e.Between(-1, rows + 1),
                                        .force_suppress = c.e.OneIn(2),
                                        .top_k = c.e.Between(-1, rows + 1)};
  return {{x, count}, Pack(attrs)};
}

}  // namespace

Shaper FindImageShaper(Opcode op) {
  switch (op) {
    case Opcode::kUpsampling: return ShapeUpsampling;
    case Opcode::kGetValidCounts: return ShapeGetValidCounts;
    case Opcode::kNonMaxSuppression: return ShapeNonMaxSuppression;
    default: return nullptr;
  }
}

}  // namespace tally
