#include <algorithm>

#include "base/wide.h"
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
using detection::Overlap;
using detection::OverlapOf;
using detection::SetBox;
using detection::Suppresses;
using detection::TakeBoxes;

constexpr int64_t kFields = 6;  // id, score, x1, y1, x2, y2

struct NonMaxSuppressionBuffers {
  ScratchLayout scratch;
  Candidate* candidates;
  int32_t* rows;  // that are kept
  BoxLists boxes;

  NonMaxSuppressionBuffers(int64_t n, uint8_t* first)
      : scratch(first),
        candidates(scratch.Take<Candidate>(n)),
        rows(scratch.Take<int32_t>(n)),
        boxes(TakeBoxes(scratch, n)) {}
};

// As the loops, where their products of an area and a percentage would not fit.
bool IsSuppressed(const BoxLists& boxes, int64_t n, const OverlapArgs& args, bool of_one_id) {
  const Box<int64_t> box = {{args.box.lo0, args.box.lo1}, {args.box.hi0, args.box.hi1}};
  for (int64_t i = 0; i < n; ++i) {
    if (of_one_id && boxes.id[i] != args.box.id) continue;
    const Box<int64_t> other = {{boxes.lo0[i], boxes.lo1[i]}, {boxes.hi0[i], boxes.hi1[i]}};
    const Overlap<int64_t> overlap = OverlapOf<int64_t>(box, other, args.offset);
    if (Suppresses<Int128>({overlap.both, overlap.either}, args.numerator, args.denominator, args.or_equal)) {
      return true;
    }
  }
  return false;
}

// The kept rows of `count` rows at x, best first; how many. A percentage p rounded down is at least T where
// 100 * both >= T * either, and never above 100.
template <Isa isa>
int64_t Keep(const NonMaxSuppressionAttrs& attrs, Storage storage, const uint8_t* x, int64_t count, bool wide,
             const NonMaxSuppressionBuffers& at) {
  const auto field = [&](int64_t row, int64_t k) { return LoadElement(storage, x, row * kFields + k); };
  for (int64_t row = 0; row < count; ++row) at.candidates[row] = {field(row, 1), static_cast<int32_t>(row)};
  const int64_t tested = attrs.top_k >= 0 ? std::min(count, attrs.top_k) : count;
  std::nth_element(at.candidates, at.candidates + tested, at.candidates + count, IsBefore);
  std::sort(at.candidates, at.candidates + tested, IsBefore);
  const int64_t most = attrs.max_output_size >= 0 ? attrs.max_output_size : count;
  const bool of_one_id = !attrs.force_suppress;
  const auto suppressed = GetDetectionLoops<isa>().suppressed[of_one_id];
  int64_t kept = 0;
  for (int64_t i = 0; i < tested && kept < most; ++i) {
    const int32_t row = at.candidates[i].box;
    const int64_t id = field(row, 0);
    if (id < 0) continue;
    const Box<int64_t> box = BoxOf<int64_t>(BoxEncoding::kOrderedCorners,
                                            {field(row, 2), field(row, 3), field(row, 4), field(row, 5)});
    const OverlapArgs args = {.box = FieldsOf(box, 0, id),
                              .offset = 0,
                              .numerator = std::min<int64_t>(attrs.iou_threshold, 101),
                              .denominator = 100,
                              .or_equal = true};
    if (wide ? IsSuppressed(at.boxes, kept, args, of_one_id) : suppressed(at.boxes, kept, args)) continue;
    SetBox(at.boxes, kept, args.box);
    at.rows[kept++] = row;
  }
  return kept;
}

std::optional<Prepared<NonMaxSuppressionAttrs>> PrepareNonMaxSuppression(const KernelFacts& facts) {
  return Prepared<NonMaxSuppressionAttrs>{
      facts.attrs<NonMaxSuppressionAttrs>(),
      NonMaxSuppressionBuffers(facts.operands[0].shape[1], nullptr).scratch.bytes()};
}

// Threads share the batches.
template <Isa isa>
void NonMaxSuppression(const NonMaxSuppressionAttrs& attrs, const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &x = call.operands[0], &counts = call.operands[1];
  const KernelResult& y = call.results[0];
  const int64_t n = x.type->shape[1];
  const NonMaxSuppressionBuffers at(n, call.scratch);
  // Twice an area of the longest sides, times a percentage, is below 2^63 otherwise.
  const bool wide = x.type->interval.Width() >= uint64_t{1} << 27;
  const Share share = call.ShareOf(x.type->shape[0]);
  for (int64_t batch = share.begin; batch < share.end; ++batch) {
    const uint8_t* from = x.bytes + batch * n * kFields * SizeBytes(x.storage);
    uint8_t* to = y.bytes + batch * n * kFields * SizeBytes(y.storage);
    const int64_t valid = std::clamp<int64_t>(LoadElement(counts.storage, counts.bytes, batch), 0, n);
    const int64_t kept = Keep<isa>(attrs, x.storage, from, valid, wide, at);
    const int64_t from_size = kFields * SizeBytes(x.storage), to_size = kFields * SizeBytes(y.storage);
    for (int64_t i = 0; i < kept; ++i) {
      convert.convert[CodeOf(x.storage)][CodeOf(y.storage)](from + at.rows[i] * from_size, to + i * to_size,
                                                            kFields);
    }
    convert.fill[CodeOf(y.storage)](to + kept * to_size, (n - kept) * kFields, -1);
  }
}

constexpr auto kNonMaxSuppressionKernels = EveryIsa<"non_max_suppression">(
    {.op = Opcode::kNonMaxSuppression},
    []<Isa isa>() { return kKernel<PrepareNonMaxSuppression, NonMaxSuppression<isa>>; });

}  // namespace

KernelTable NonMaxSuppressionKernels() { return kNonMaxSuppressionKernels; }

}  // namespace tally
