#include <algorithm>
#include <limits>

#include "ops/cpu/map_chunks.h"
#include "ops/detection/attrs.h"
#include "ops/detection/cpu/candidates.h"
#include "ops/detection/cpu/kernel_tables.h"

namespace tally {
namespace {

using detection::Box;
using detection::BoxOf;
using detection::Candidate;
using detection::FieldsOf;
using detection::IsBefore;
using detection::SetBox;
using detection::TakeBoxes;

struct Pick {
  int64_t score;
  int32_t batch, list, cls, box;
};

// Equal scores stay in the order of batches, lists and boxes, which no two picks share: no sort needs to be
// stable.
bool IsBetter(const Pick& p, const Pick& q) {
  if (p.score != q.score) return p.score > q.score;
  if (p.batch != q.batch) return p.batch < q.batch;
  return p.list != q.list ? p.list < q.list : p.box < q.box;
}

// Scratch, with room for the picks of a batch after the rows of those before it that are merged.
struct NmsBuffers {
  int64_t lists, limit, kept;
  Candidate* candidates;
  int32_t *positions, *best;
  int64_t* best_score;
  BoxLists boxes;
  Pick* picks;
  int64_t bytes;

  NmsBuffers(const NmsAttrs& attrs, const Shape& scores, const Shape& selected, uint8_t* first) {
    const int64_t N = scores[0], C = scores[1], B = scores[2];
    lists = attrs.classes == NmsClasses::kBest ? 1 : C;
    limit = N == 0 ? 0 : selected[0] / N;
    kept = std::min({B, attrs.top_k, attrs.max_per_class});
    const int64_t entries = attrs.classes == NmsClasses::kEach ? C * B : B;
    ScratchLayout scratch(first);
    candidates = scratch.Take<Candidate>(B);
    positions = scratch.Take<int32_t>(B + 1);
    best = scratch.Take<int32_t>(B);
    best_score = scratch.Take<int64_t>(B);
    boxes = TakeBoxes(scratch, kept);
    const int64_t before = attrs.batches == NmsBatches::kMerged ? (N - 1) * limit : 0;
    picks = scratch.Take<Pick>(before + std::max<int64_t>(1, std::min(entries, lists * kept)));
    bytes = scratch.bytes();
  }
};

template <Isa isa>
class Suppression {
 public:
  Suppression(const NmsAttrs& attrs, const KernelCall& call)
      : call_(call),
        attrs_(attrs),
        boxes_(call.operands[0]),
        scores_(call.operands[1]),
        dims_(scores_.type->shape),
        at_(attrs_, dims_, call.results[0].type->shape, call.scratch) {}

  void Run() {
    const KernelResult& count = call_.results[1];
    const int64_t rows = call_.results[0].type->shape[0];
    int64_t row = 0, picked = 0;
    for (int64_t n = 0; n < dims_[0]; ++n) {
      Pick* first = at_.picks + picked;
      const int64_t of_batch = Select(n, first);
      StoreElement(count.storage, count.bytes, n, of_batch);
      if (attrs_.batches == NmsBatches::kMerged) {
        picked += of_batch;
        continue;
      }
      for (int64_t i = 0; i < of_batch; ++i) Write(row++, first[i]);
      while (attrs_.batches == NmsBatches::kApart && row < (n + 1) * at_.limit) Write(row++, kNothing);
    }
    std::sort(at_.picks, at_.picks + picked, IsBetter);
    for (int64_t i = 0; i < picked; ++i) Write(row++, at_.picks[i]);
    while (row < rows) Write(row++, kNothing);
  }

 private:
  static constexpr Pick kNothing = {0, -1, -1, -1, -1};

  void Write(int64_t row, const Pick& pick) const {
    const KernelResult& y = call_.results[0];
    StoreElement(y.storage, y.bytes, row * 3, pick.batch);
    StoreElement(y.storage, y.bytes, row * 3 + 1, pick.cls);
    StoreElement(y.storage, y.bytes, row * 3 + 2, pick.box);
  }

  const uint8_t* ScoresOf(int64_t batch, int64_t cls) const {
    return scores_.bytes + (batch * dims_[1] + cls) * dims_[2] * SizeBytes(scores_.storage);
  }

  // The rows of a batch; how many.
  int64_t Select(int64_t batch, Pick* picks) {
    const int code = CodeOf(scores_.storage);
    const int64_t B = dims_[2];
    const bool best = attrs_.classes != NmsClasses::kEach;
    if (best) loops_.best[code](ScoresOf(batch, 0), dims_[1], B, at_.best_score, at_.best);
    int64_t count = 0;
    bool any = false;
    for (int64_t list = 0; list < at_.lists; ++list) {
      const bool one = attrs_.classes == NmsClasses::kBest;
      const void* scores = one ? static_cast<const void*>(at_.best_score) : ScoresOf(batch, list);
      const Storage storage = one ? Storage::kI64 : scores_.storage;
      const int64_t found = loops_.candidates[CodeOf(storage)](scores, B, attrs_.min_score, at_.positions);
      int64_t candidates = 0;
      for (int64_t i = 0; i < found; ++i) {
        const int32_t box = at_.positions[i];
        if (best && !one && at_.best[box] != list) continue;
        at_.candidates[candidates++] = {LoadElement(storage, static_cast<const uint8_t*>(scores), box), box};
      }
      any = any || candidates > 0;
      count += Keep(batch, list, candidates, picks + count);
    }
    int64_t limit = attrs_.max_per_batch;
    if (!any && attrs_.at_least_one) {
      count = FirstOfAll(batch, picks);
      limit = 1;
    }
    limit = std::min(limit, count);
    std::partial_sort(picks, picks + limit, picks + count, IsBetter);
    if (attrs_.order == NmsOrder::kClass) {
      std::sort(picks, picks + limit,
                [](const Pick& p, const Pick& q) { return p.cls != q.cls ? p.cls < q.cls : IsBetter(p, q); });
    }
    return limit;
  }

  // The best entry of a batch.
  int64_t FirstOfAll(int64_t batch, Pick* picks) const {
    Pick first = {std::numeric_limits<int64_t>::min(), static_cast<int32_t>(batch), 0, 0, 0};
    bool any = false;
    const auto offer = [&](int64_t score, int64_t list, int64_t cls, int64_t box) {
      const Pick pick = {score, first.batch, static_cast<int32_t>(list), static_cast<int32_t>(cls),
                         static_cast<int32_t>(box)};
      if (!any || IsBetter(pick, first)) first = pick;
      any = true;
    };
    const int64_t B = dims_[2];
    if (attrs_.classes == NmsClasses::kEach) {
      for (int64_t cls = 0; cls < dims_[1]; ++cls) {
        const uint8_t* row = ScoresOf(batch, cls);
        for (int64_t box = 0; box < B; ++box) offer(LoadElement(scores_.storage, row, box), cls, cls, box);
      }
    } else {
      const bool one = attrs_.classes == NmsClasses::kBest;
      for (int64_t box = 0; box < B; ++box) {
        const int32_t cls = at_.best[box];
        offer(at_.best_score[box], one ? 0 : cls, cls, box);
      }
    }
    if (any) picks[0] = first;
    return any ? 1 : 0;
  }

  // Picks those of the candidates of a list that no kept one before them suppresses; how many.
  int64_t Keep(int64_t batch, int64_t list, int64_t candidates, Pick* picks) const {
    const int64_t tested = std::min(candidates, attrs_.top_k);
    if (tested < candidates) {
      std::nth_element(at_.candidates, at_.candidates + tested, at_.candidates + candidates, IsBefore);
    }
    std::sort(at_.candidates, at_.candidates + tested, IsBefore);
    const bool doubled = attrs_.encoding == BoxEncoding::kCenter;
    OverlapArgs args;
    args.offset = doubled ? 2 * attrs_.side_offset : attrs_.side_offset;
    args.numerator = attrs_.iou_numerator;
    args.denominator = attrs_.iou_denominator;
    args.or_equal = attrs_.suppress_equal;
    int64_t kept = 0;
    for (int64_t i = 0; i < tested && kept < at_.kept; ++i) {
      const Candidate& c = at_.candidates[i];
      const Box<int64_t> box = BoxAt(batch, list, c.box);
      args.box = FieldsOf(box, args.offset, 0);
      if (loops_.suppressed[0](at_.boxes, kept, args)) continue;
      SetBox(at_.boxes, kept, args.box);
      const int32_t cls = attrs_.classes == NmsClasses::kBest ? at_.best[c.box] : static_cast<int32_t>(list);
      picks[kept++] = {c.score, static_cast<int32_t>(batch), static_cast<int32_t>(list), cls, c.box};
    }
    return kept;
  }

  // Where each class has boxes of its own, the one of the class that the box stands for.
  Box<int64_t> BoxAt(int64_t batch, int64_t list, int32_t box) const {
    const int64_t cls = attrs_.classes == NmsClasses::kBest ? at_.best[box] : list;
    const int64_t row = boxes_.type->shape.rank() == 3 ? batch : batch * dims_[1] + cls;
    const int64_t first = (row * dims_[2] + box) * 4;
    const auto element = [&](int64_t i) { return LoadElement(boxes_.storage, boxes_.bytes, first + i); };
    return BoxOf<int64_t>(attrs_.encoding, {element(0), element(1), element(2), element(3)});
  }

  const KernelCall& call_;
  const NmsAttrs& attrs_;
  const KernelOperand &boxes_, &scores_;
  const Shape& dims_;
  const NmsBuffers at_;
  const DetectionLoops& loops_ = GetDetectionLoops<isa>();
};

std::optional<Prepared<NmsAttrs>> PrepareNms(const KernelFacts& facts) {
  const auto attrs = facts.attrs<NmsAttrs>();
  return Prepared<NmsAttrs>{
      attrs, NmsBuffers(attrs, facts.operands[1].shape, facts.results[0].shape, nullptr).bytes};
}

// One thread does it all: lists are short and their rows follow each other.
template <Isa isa>
void Nms(const NmsAttrs& attrs, const KernelCall& call) noexcept {
  if (call.part == 0) Suppression<isa>(attrs, call).Run();
}

constexpr auto kNmsKernels =
    EveryIsa<"nms">({.op = Opcode::kNms}, []<Isa isa>() { return kKernel<PrepareNms, Nms<isa>>; });

}  // namespace

KernelTable NmsKernels() { return kNmsKernels; }

}  // namespace tally
