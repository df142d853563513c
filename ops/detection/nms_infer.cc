#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/detection/attrs.h"
#include "ops/detection/labels.h"
#include "ops/detection/rules.h"
#include "ops/infer.h"

namespace tally {
namespace {

constexpr int64_t kBytesPerIndex = 8, kBytesPerPick = 24;  // a pick is a batch, a class and a box

// One load of each side, eight operations to intersect, three to unite, four to compare the ratio.
constexpr int64_t kGasPerPair = 96;

// How much there can be in one batch.
struct NmsSizes {
  int64_t batches, classes, boxes;
  int64_t lists;       // for candidates
  int64_t candidates;  // one list's
  int64_t kept;        // one list's
  int64_t tested;      // candidates of all lists
  int64_t picked;      // kept boxes of all lists
  int64_t rows;        // kept boxes of the batch
};

NmsSizes SizesOf(const NmsAttrs& attrs, const Shape& scores) {
  NmsSizes s = {.batches = scores[0], .classes = scores[1], .boxes = scores[2]};
  s.lists = attrs.classes == NmsClasses::kBest ? 1 : s.classes;
  s.candidates = std::min(s.boxes, attrs.top_k);
  s.kept = std::min(s.candidates, attrs.max_per_class);
  // Unless every class sees every box, the lists have B entries together.
  const int64_t entries = attrs.classes == NmsClasses::kEach ? s.classes * s.boxes : s.boxes;
  s.tested = std::min(entries, s.lists * s.candidates);
  s.picked = std::min(entries, s.lists * s.kept);
  s.rows = std::min(s.picked, attrs.max_per_batch);
  return s;
}

// The longest side of a box, in the units in which boxes are compared.
WideInterval Sides(const NmsAttrs& attrs, const WideInterval& x) {
  const WideInterval offset(attrs.side_offset, attrs.side_offset);
  const WideInterval two(2, 2);
  if (attrs.encoding == BoxEncoding::kCenter) return two * (WideInterval(x.hi, x.hi) + offset);
  return x - x + offset;
}

}  // namespace

absl::Status InferNms(const InferContext& c, Inferred* out) {
  const auto attrs = c.attrs<NmsAttrs>();
  const Shape &boxes = c.shape(0), &scores = c.shape(1);
  if (scores.rank() != 3) {  // nms_c1
    return MakeError(label::nms_c1, absl::StrCat("scores ", scores.ToString(), " are not [N, C, B]"));
  }
  const bool shared = boxes.rank() == 3;
  if (boxes.rank() != (shared ? 3 : 4) || boxes[0] != scores[0] || (!shared && boxes[1] != scores[1]) ||
      boxes[boxes.rank() - 2] != scores[2] || boxes[boxes.rank() - 1] != 4) {  // nms_c2
    return MakeError(label::nms_c2,
                     absl::StrCat("boxes ", boxes.ToString(), " are not [N, B, 4] nor [N, C, B, 4] for ",
                                  scores.ToString()));
  }
  RETURN_IF_ERROR(CheckOperandLimit(c, 0, label::nms_c3));
  const Int128 side = std::max<Int128>(Sides(attrs, c.interval(0)).hi, 0);
  const Int128 area = SatMul(side, side);
  const Int128 products =
      std::max(SatMul(area, attrs.iou_denominator), SatMul(SatMul(2, area), attrs.iou_numerator));
  if (std::max(products, SatMul(2, area)) > std::numeric_limits<int64_t>::max()) {  // nms_c4
    return MakeError(label::nms_c4,
                     absl::StrCat("areas of ", ToString(area), " leave no room to compare with ",
                                  attrs.iou_numerator, " / ", attrs.iou_denominator));
  }
  if (attrs.batches == NmsBatches::kMerged && attrs.order == NmsOrder::kClass) {  // nms_c5
    return MakeError(label::nms_c5, "batches merge by score, not by class");
  }
  const NmsSizes s = SizesOf(attrs, scores);
  ASSIGN_OR_RETURN(const Shape selected, Shape::Create({s.batches * s.rows, 3}));
  ASSIGN_OR_RETURN(const Shape count, Shape::Create({s.batches}));
  out->scratch_bytes = 2 * s.boxes * kBytesPerIndex + s.batches * s.picked * kBytesPerPick;
  RETURN_IF_ERROR(out->AddResult(c, selected, Interval{-1, std::max({s.batches, s.classes, s.boxes}) - 1}));
  return out->AddResult(c, count, Interval{attrs.at_least_one ? 1 : 0, s.rows});
}

WideGas GasNms(const GasContext& c) {
  const auto attrs = c.attrs<NmsAttrs>();
  const NmsSizes s = SizesOf(attrs, c.operands[1].shape);
  const auto sort = [](int64_t n) { return SatMul(24 * BitLength(static_cast<uint64_t>(n)), n); };
  const WideGas lists = SatMul(s.lists, sort(s.boxes));
  const WideGas pairs = SatMul(SatMul(s.tested, s.kept), kGasPerPair);
  const WideGas picks = SatMul(2, sort(s.batches * s.picked));
  const WideGas batch = SatAdd(SatAdd(SatMul(2, c.elements_in(1) / s.batches), lists), pairs);
  return SatAdd(1024, SatAdd(SatMul(s.batches, batch), picks));
}

}  // namespace tally
