// Shared by the kernels of attention: a call's operands, its masks, and the weights of a query.
#pragma once

#include <algorithm>
#include <limits>

#include "ops/attention/attrs.h"
#include "ops/attention/cpu/attention_loops.h"
#include "ops/attention/dims.h"
#include "ops/attention/logits.h"
#include "ops/cpu/elements.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/normalization_loops.h"
#include "ops/indexing.h"

namespace tally::attention {

inline int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// A table of exponentials of at most 32 bits.
inline bool HasNarrowTable(const KernelFacts& facts) { return facts.storages[kTable] <= Storage::kI32; }

template <Isa isa>
class AttentionCall {
 public:
  AttentionCall(const ScaledDotProductAttentionAttrs& attrs, const AttentionDims& dims,
                const KernelCall& call)
      : attrs_(attrs), dims_(dims), call_(call), y_(call.results[0].type->shape) {}

  const Shape& y() const { return y_; }
  const AttentionDims& dims() const { return dims_; }
  MaskKind mask() const { return attrs_.mask; }
  const KernelOperand& operand(int i) const { return call_.operands[i]; }

  // The first element of the matrix that operand `i` has for the batch of d, whose last two coordinates are
  // not read.
  int64_t MatrixOf(int i, const Index& d) const {
    const Shape& x = Dims(i);
    int64_t first = 0;
    for (int axis = 0; axis + 2 < x.rank(); ++axis) {
      if (x[axis] != 1) first += d[y_.rank() - x.rank() + axis] * x.stride(axis);
    }
    return first;
  }
  const uint8_t* BytesAt(int i, int64_t first) const {
    return operand(i).bytes + first * SizeBytes(operand(i).storage);
  }

  // The row of the mask for a query of the batch of d.
  void LoadMask(const Index& d, int64_t query, int64_t* to) const {
    const Shape& dims = Dims(kMask);
    const int64_t rows = dims.rank() < 2 ? 1 : FromLast(dims, 2),
                  columns = dims.rank() < 1 ? 1 : FromLast(dims, 1);
    const int64_t first = MatrixOf(kMask, d) + (rows == 1 ? 0 : query * columns);
    GetConvertLoops<isa>().stride[CodeOf(operand(kMask).storage)][CodeOf(Storage::kI64)](
        BytesAt(kMask, first), columns == 1 ? 0 : 1, to, 1, dims_.keys);
  }

  // Logits of sums of products, in place of them. `mask`: that of the query, if there is one.
  void Round(int64_t* scores, const int64_t* mask) const {
    constexpr int64_t kNothing = 0;
    const bool added = attrs_.mask == MaskKind::kAdditive;
    const int64_t shift = attrs_.logit_shift;
    GetAttentionLoops<isa>().round(scores, dims_.keys,
                                   {.multiplier = attrs_.logit_multiplier,
                                    .half = HalfOf(shift),
                                    .shift = shift,
                                    .addends = added ? mask : &kNothing,
                                    .addend_step = added ? 1 : 0,
                                    .lo = -kLargestLogit - 1,
                                    .hi = kLargestLogit},
                                   scores);
  }

  // Takes away the keys that `query` does not see.
  void HideKeys(int64_t query, const int64_t* mask, int32_t* logits) const {
    if (attrs_.mask == MaskKind::kBoolean) {
      for (int64_t s = 0; s < dims_.keys; ++s) logits[s] = mask[s] == 0 ? kUnseen : logits[s];
    }
    if (!attrs_.causal.empty()) {
      const int64_t seen = std::clamp<int64_t>(query + attrs_.causal[0] + 1, 0, dims_.keys);
      std::fill(logits + seen, logits + dims_.keys, kUnseen);
    }
  }

  // Probabilities less `zero`. e * r < 2^62, because e is at most the sum.
  void FindWeights(const int32_t* logits, int64_t zero, int32_t* exponentials, int32_t* weights) const {
    const NormalizationLoops& loops = GetNormalizationLoops<isa>();
    const KernelOperand& table = operand(kTable);
    const int64_t keys = dims_.keys;
    const int64_t sum = loops.exponentials[CodeOf(table.storage)](
        logits, keys, loops.max(logits, keys), table.bytes, table.type->shape.num_elements(), exponentials);
    const uint64_t r = ((uint64_t{1} << 61) + static_cast<uint64_t>(sum >> 1)) / static_cast<uint64_t>(sum);
    loops.scale[r <= UINT32_MAX](exponentials, weights, keys, r, 61 - kProbabilityBits,
                                 std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(),
                                 -zero);
  }

  // Elements [first, first + n) of y from as many sums of weighted values. The zero point joins before the
  // clamp, as a mask does.
  void Store(int64_t* sums, int64_t n, int64_t first) const {
    const int64_t shift = attrs_.shift, zero_out = attrs_.zero_out;
    GetAttentionLoops<isa>().round(sums, n,
                                   {.multiplier = attrs_.multiplier,
                                    .half = HalfOf(shift),
                                    .shift = shift,
                                    .addends = &zero_out,
                                    .addend_step = 0,
                                    .lo = attrs_.lo,
                                    .hi = attrs_.hi},
                                   sums);
    const KernelResult& y = call_.results[0];
    GetConvertLoops<isa>().convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        sums, y.bytes + first * SizeBytes(y.storage), n);
  }

 private:
  const Shape& Dims(int i) const { return operand(i).type->shape; }

  const ScaledDotProductAttentionAttrs& attrs_;
  const AttentionDims& dims_;
  const KernelCall& call_;
  const Shape& y_;
};

}  // namespace tally::attention
