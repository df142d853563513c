// The entries of nms: a class and a box of a batch, with a score.
#pragma once

#include <cstdint>
#include <span>

#include "ops/detection/attrs.h"
#include "ops/detection/boxes.h"
#include "ops/reference.h"

namespace tally::detection {

struct Pick {
  int64_t batch, cls, box;
};

template <typename Int>
class ScoredBoxes {
 public:
  // `attrs` outlives this.
  ScoredBoxes(std::span<const Operand<Int>> operands, const NmsAttrs& attrs)
      : attrs_(attrs), boxes_(operands[0]), scores_(operands[1]) {}

  int64_t batches() const { return scores_.shape()[0]; }
  int64_t classes() const { return scores_.shape()[1]; }
  int64_t boxes() const { return scores_.shape()[2]; }
  int64_t lists() const { return attrs_.classes == NmsClasses::kBest ? 1 : classes(); }

  Int Score(const Pick& p) const { return scores_[(p.batch * classes() + p.cls) * boxes() + p.box]; }

  // Whether two boxes overlap by more than the threshold.
  bool Suppress(const Pick& p, const Pick& q) const {
    const bool doubled = attrs_.encoding == BoxEncoding::kCenter;
    const Int offset(doubled ? 2 * attrs_.side_offset : attrs_.side_offset);
    return Suppresses(OverlapOf(BoxAt(p), BoxAt(q), offset), Int(attrs_.iou_numerator),
                      Int(attrs_.iou_denominator), attrs_.suppress_equal);
  }

 private:
  Box<Int> BoxAt(const Pick& p) const {
    const bool shared = boxes_.shape().rank() == 3;
    const int64_t list = shared ? p.batch : p.batch * classes() + p.cls;
    const int64_t first = (list * boxes() + p.box) * 4;
    return BoxOf<Int>(attrs_.encoding,
                      {boxes_[first], boxes_[first + 1], boxes_[first + 2], boxes_[first + 3]});
  }

  const NmsAttrs& attrs_;
  const Operand<Int>&boxes_, &scores_;
};

}  // namespace tally::detection
