#include <algorithm>
#include <limits>

#include "base/wide.h"
#include "ops/attention/attention_loops.h"
#include "ops/attention/attrs.h"
#include "ops/attention/kernels.h"
#include "ops/attention/logits.h"
#include "ops/indexing.h"
#include "ops/normalization/normalization_loops.h"
#include "ops/simd/elements.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/map_chunks.h"
#include "ops/simd/scratch.h"

namespace tally {
namespace {

using Attrs = ScaledDotProductAttentionAttrs;
enum { kQuery, kKeys, kValues, kTable, kMask };

int64_t FromLast(const Shape& shape, int axis) { return shape[shape.rank() - axis]; }
int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }
int64_t Magnitude(const Interval& x) { return std::max(std::abs(x.lo), std::abs(x.hi)); }

struct Buffers {
  ScratchLayout scratch;
  int64_t *query, *scores, *mask, *sums;
  int32_t *narrow_sums, *logits, *exponentials, *weights;

  Buffers(int64_t depth, int64_t keys, int64_t columns, uint8_t* first)
      : scratch(first),
        query(scratch.Take<int64_t>(depth)),
        scores(scratch.Take<int64_t>(keys)),
        mask(scratch.Take<int64_t>(keys)),
        sums(scratch.Take<int64_t>(columns)),
        narrow_sums(scratch.Take<int32_t>(columns)),
        logits(scratch.Take<int32_t>(keys)),
        exponentials(scratch.Take<int32_t>(keys)),
        weights(scratch.Take<int32_t>(keys)) {}
};

// The first element of the matrix that an operand has for the batch of d, whose last two coordinates are not read.
int64_t MatrixOf(const Shape& x, const Shape& y, const Index& d) {
  int64_t first = 0;
  for (int axis = 0; axis + 2 < x.rank(); ++axis) {
    if (x[axis] != 1) first += d[y.rank() - x.rank() + axis] * x.stride(axis);
  }
  return first;
}

template <Isa isa>
class Attention {
 public:
  explicit Attention(const KernelCall& call)
      : call_(call),
        y_(call.results[0].type->shape),
        depth_(FromLast(Dims(kQuery), 1)),
        keys_(FromLast(Dims(kKeys), 2)),
        columns_(FromLast(Dims(kValues), 1)),
        mask_(AttrOf<Attrs>(call, &Attrs::mask)),
        at_(depth_, keys_, columns_, call.scratch) {
    const Interval &q = Type(kQuery).interval, &k = Type(kKeys).interval, &v = Type(kValues).interval;
    constexpr Int128 kWords = Int128{1} << 31;
    narrow_scores_ = call.operands[kQuery].storage <= Storage::kI16 &&
                     call.operands[kKeys].storage <= Storage::kI16 &&
                     Int128{Magnitude(q)} * Magnitude(k) * depth_ < kWords;
    narrow_means_ = Int128{Magnitude(v)} * ((int64_t{1} << kProbabilityBits) + keys_) < kWords;
  }

  // Row `row` of the result.
  void Run(int64_t row) {
    const Index d = Unflatten(row * columns_, y_);
    const int64_t query = d[y_.rank() - 2];
    FindLogits(d, query);
    FindWeights();
    FindMeans(d, row);
  }

 private:
  const TensorType& Type(int i) const { return *call_.operands[i].type; }
  const Shape& Dims(int i) const { return Type(i).shape; }
  int64_t Attr(int64_t Attrs::*member) const { return AttrOf<Attrs>(call_, member); }
  const uint8_t* BytesAt(int i, int64_t first) const {
    return call_.operands[i].bytes + first * SizeBytes(call_.operands[i].storage);
  }

  void FindLogits(const Index& d, int64_t query) {
    const KernelOperand& q = call_.operands[kQuery];
    const uint8_t* from = BytesAt(kQuery, MatrixOf(Dims(kQuery), y_, d) + query * depth_);
    const uint8_t* keys = BytesAt(kKeys, MatrixOf(Dims(kKeys), y_, d));
    const int code = CodeOf(call_.operands[kKeys].storage);
    const Storage type = narrow_scores_ ? Storage::kI16 : Storage::kI64;
    convert_.convert[CodeOf(q.storage)][CodeOf(type)](from, at_.query, depth_);
    if (narrow_scores_) {
      loops_.narrow_scores[code](reinterpret_cast<const int16_t*>(at_.query), keys, depth_, keys_,
                                 at_.scores);
    } else {
      loops_.scores[code](at_.query, keys, depth_, keys_, at_.scores);
    }
    if (mask_ != MaskKind::kNone) LoadMask(d, query);
    constexpr int64_t kNothing = 0;
    const bool added = mask_ == MaskKind::kAdditive;
    const int64_t shift = Attr(&Attrs::logit_shift);
    loops_.round(at_.scores, keys_,
                 {.multiplier = Attr(&Attrs::logit_multiplier),
                  .half = HalfOf(shift),
                  .shift = shift,
                  .addends = added ? at_.mask : &kNothing,
                  .addend_step = added ? 1 : 0,
                  .lo = -kLargestLogit - 1,
                  .hi = kLargestLogit},
                 at_.scores);
    convert_.convert[CodeOf(Storage::kI64)][CodeOf(Storage::kI32)](at_.scores, at_.logits, keys_);
    if (mask_ == MaskKind::kBoolean) {
      for (int64_t s = 0; s < keys_; ++s) at_.logits[s] = at_.mask[s] == 0 ? kUnseen : at_.logits[s];
    }
    const auto causal = AttrList<Attrs>(call_, &Attrs::causal);
    if (!causal.empty()) {
      const int64_t seen = std::clamp<int64_t>(query + causal[0] + 1, 0, keys_);
      std::fill(at_.logits + seen, at_.logits + keys_, kUnseen);
    }
  }

  void LoadMask(const Index& d, int64_t query) {
    const KernelOperand& mask = call_.operands[kMask];
    const Shape& dims = Dims(kMask);
    const int64_t rows = dims.rank() < 2 ? 1 : FromLast(dims, 2),
                  columns = dims.rank() < 1 ? 1 : FromLast(dims, 1);
    const int64_t first = MatrixOf(dims, y_, d) + (rows == 1 ? 0 : query * columns);
    convert_.stride[CodeOf(mask.storage)][CodeOf(Storage::kI64)](BytesAt(kMask, first), columns == 1 ? 0 : 1,
                                                                 at_.mask, 1, keys_);
  }

  // e * r < 2^62, because e is at most the sum.
  void FindWeights() {
    const NormalizationLoops& loops = GetNormalizationLoops<isa>();
    const KernelOperand& table = call_.operands[kTable];
    const int64_t sum = loops.exponentials[CodeOf(table.storage)](
        at_.logits, keys_, loops.max(at_.logits, keys_), table.bytes, table.type->shape.num_elements(),
        at_.exponentials);
    const uint64_t r = ((uint64_t{1} << 61) + static_cast<uint64_t>(sum >> 1)) / static_cast<uint64_t>(sum);
    loops.scale[r <= UINT32_MAX](at_.exponentials, at_.weights, keys_, r, 61 - kProbabilityBits,
                                 std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), 0);
  }

  void FindMeans(const Index& d, int64_t row) {
    const KernelOperand& v = call_.operands[kValues];
    const KernelResult& y = call_.results[0];
    const uint8_t* values = BytesAt(kValues, MatrixOf(Dims(kValues), y_, d));
    void* const sums = narrow_means_ ? static_cast<void*>(at_.narrow_sums) : at_.sums;
    loops_.means[CodeOf(v.storage)][!narrow_means_](at_.weights, values, keys_, columns_, sums);
    if (narrow_means_)
      convert_.convert[CodeOf(Storage::kI32)][CodeOf(Storage::kI64)](sums, at_.sums, columns_);
    // The zero point joins before the clamp, as a mask does.
    const int64_t shift = Attr(&Attrs::shift), zero_out = Attr(&Attrs::zero_out);
    loops_.round(at_.sums, columns_,
                 {.multiplier = Attr(&Attrs::multiplier),
                  .half = HalfOf(shift),
                  .shift = shift,
                  .addends = &zero_out,
                  .addend_step = 0,
                  .lo = Attr(&Attrs::lo),
                  .hi = Attr(&Attrs::hi)},
                 at_.sums);
    convert_.convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        at_.sums, y.bytes + row * columns_ * SizeBytes(y.storage), columns_);
  }

  const KernelCall& call_;
  const Shape& y_;
  const int64_t depth_, keys_, columns_;
  const MaskKind mask_;
  const Buffers at_;
  bool narrow_scores_, narrow_means_;
  const AttentionLoops& loops_ = GetAttentionLoops<isa>();
  const ConvertLoops& convert_ = GetConvertLoops<isa>();
};

}  // namespace

bool AcceptsAttention(const KernelFacts& facts) { return facts.storages[kTable] <= Storage::kI32; }

int64_t AttentionScratchBytes(const KernelFacts& facts) {
  const auto& operands = facts.operands;
  return Buffers(FromLast(operands[kQuery].shape, 1), FromLast(operands[kKeys].shape, 2),
                 FromLast(operands[kValues].shape, 1), nullptr)
      .scratch.bytes();
}

template <Isa isa>
void AttentionKernel(const KernelCall& call) noexcept {
  Attention<isa> attention(call);
  const Shape& y = call.results[0].type->shape;
  const Share share = call.ShareOf(y.num_elements() / FromLast(y, 1));
  for (int64_t row = share.begin; row < share.end; ++row) attention.Run(row);
}

TALLY_INSTANTIATE_KERNEL(AttentionKernel);

}  // namespace tally
