// Calls of the families over images: image and detection.
#include <algorithm>
#include <utility>

#include "fuzz/generators/call_generators.h"
#include "ops/detection/attrs.h"
#include "ops/image/attrs.h"

namespace tally {
namespace {

Attempt DrawUpsampling(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 4, .max_rank = 4});
  return {{x}, Pack(UpsamplingAttrs{.scale = c.e.Between(1, 3)})};
}

Attempt DrawGetValidCounts(CallContext& c) {
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

Attempt DrawNonMaxSuppression(CallContext& c) {
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

NmsAttrs RandomNmsAttrs(EntropySource& e, int64_t boxes) {
  NmsAttrs attrs;
  attrs.encoding = e.Pick({BoxEncoding::kCorners, BoxEncoding::kOrderedCorners, BoxEncoding::kCenter});
  attrs.side_offset = e.OneIn(3) ? e.Between(0, 20) : 0;
  attrs.iou_denominator = e.Between(1, 100);
  attrs.iou_numerator = e.Between(0, attrs.iou_denominator);
  attrs.suppress_equal = e.OneIn(2);
  attrs.min_score = e.Between(-20, 20);
  attrs.at_least_one = e.OneIn(3);
  attrs.classes = e.Pick({NmsClasses::kEach, NmsClasses::kBest, NmsClasses::kBestPerClass});
  for (int64_t* limit : {&attrs.top_k, &attrs.max_per_class, &attrs.max_per_batch}) {
    if (e.OneIn(3)) *limit = e.Between(1, boxes + 1);
  }
  attrs.order = e.Pick({NmsOrder::kScore, NmsOrder::kClass});
  attrs.batches = e.Pick({NmsBatches::kPacked, NmsBatches::kApart, NmsBatches::kMerged});
  return attrs;
}

Attempt DrawNms(CallContext& c) {
  const int64_t batches = c.e.Between(1, 2), classes = c.e.Between(1, 3), boxes = c.e.Between(1, 6);
  const int64_t size = c.e.Pick({int64_t{4}, int64_t{12}, int64_t{100}, int64_t{1} << 24, int64_t{1} << 33});
  const Shape shape = c.e.OneIn(3) ? ShapeOf({batches, classes, boxes, 4}) : ShapeOf({batches, boxes, 4});
  const DraftId x = c.Operand({.shape = shape, .within = {-size, size}});
  const DraftId scores = c.Operand({.shape = ShapeOf({batches, classes, boxes})});
  return {{x, scores}, Pack(RandomNmsAttrs(c.e, boxes))};
}

Attempt DrawCtcGreedyDecoder(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 3, .max_rank = 3});
  const CtcGreedyDecoderAttrs attrs = {.blank = c.e.Between(0, 3), .merge_repeated = c.e.OneIn(2)};
  if (c.e.OneIn(2)) return {{x}, Pack(attrs)};
  return {{x, c.Operand({.shape = ShapeOf({c.shape(x)[0], c.shape(x)[1]}), .within = {-1, 3}})}, Pack(attrs)};
}

}  // namespace

CallGenerator FindImageCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kUpsampling: return DrawUpsampling;
    case Opcode::kGetValidCounts: return DrawGetValidCounts;
    case Opcode::kNonMaxSuppression: return DrawNonMaxSuppression;
    case Opcode::kNms: return DrawNms;
    case Opcode::kCtcGreedyDecoder: return DrawCtcGreedyDecoder;
    default: return nullptr;
  }
}

}  // namespace tally
