// Attention for operands of any width, one query at a time.
#include "ops/attention/cpu/attention_call.h"
#include "ops/attention/cpu/kernel_tables.h"
#include "ops/cpu/scratch.h"

namespace tally {
namespace {

using attention::AttentionCall;
using attention::AttentionDims;
using attention::DimsOf;
using attention::FromLast;
using attention::HasNarrowTable;
using attention::MeansFitI32;
using attention::ScoresFitI32;
using enum attention::AttentionOperand;

struct AttentionBuffers {
  ScratchLayout scratch;
  int64_t *query, *scores, *mask, *sums;
  int32_t *narrow_sums, *logits, *exponentials, *weights;

  AttentionBuffers(const AttentionDims& d, uint8_t* first)
      : scratch(first),
        query(scratch.Take<int64_t>(d.depth)),
        scores(scratch.Take<int64_t>(d.keys)),
        mask(scratch.Take<int64_t>(d.keys)),
        sums(scratch.Take<int64_t>(d.columns)),
        narrow_sums(scratch.Take<int32_t>(d.columns)),
        logits(scratch.Take<int32_t>(d.keys)),
        exponentials(scratch.Take<int32_t>(d.keys)),
        weights(scratch.Take<int32_t>(d.keys)) {}
};

struct QueryAttentionParams {
  ScaledDotProductAttentionAttrs attrs;
  AttentionDims dims;
  bool narrow_scores, narrow_means;  // products of 16 bits, and sums of 32
};

// Scratch: what belongs to one query.
std::optional<Prepared<QueryAttentionParams>> PrepareQueryAttention(const KernelFacts& facts) {
  if (!HasNarrowTable(facts)) return std::nullopt;
  const auto& operands = facts.operands;
  const AttentionDims dims = DimsOf(operands);
  const bool narrow_scores = facts.storages[kQuery] <= Storage::kI16 &&
                             facts.storages[kKeys] <= Storage::kI16 &&
                             ScoresFitI32(operands[kQuery].interval, operands[kKeys].interval, dims);
  return Prepared<QueryAttentionParams>{{facts.attrs<ScaledDotProductAttentionAttrs>(), dims, narrow_scores,
                                         MeansFitI32(operands[kValues].interval, dims)},
                                        AttentionBuffers(dims, nullptr).scratch.bytes()};
}

template <Isa isa>
class QueryAttention {
 public:
  QueryAttention(const QueryAttentionParams& p, const KernelCall& call)
      : c_(p.attrs, p.dims, call),
        dims_(p.dims),
        at_(dims_, call.scratch),
        narrow_scores_(p.narrow_scores),
        narrow_means_(p.narrow_means) {}

  // Row `row` of the result.
  void Run(int64_t row) {
    const Index d = Unflatten(row * dims_.columns, c_.y());
    const int64_t query = d[c_.y().rank() - 2];
    FindScores(d, query);
    if (c_.mask() != MaskKind::kNone) c_.LoadMask(d, query, at_.mask);
    c_.Round(at_.scores, at_.mask);
    convert_.convert[CodeOf(Storage::kI64)][CodeOf(Storage::kI32)](at_.scores, at_.logits, dims_.keys);
    c_.HideKeys(query, at_.mask, at_.logits);
    c_.FindWeights(at_.logits, 0, at_.exponentials, at_.weights);
    FindMeans(d);
    c_.Store(at_.sums, dims_.columns, row * dims_.columns);
  }

 private:
  void FindScores(const Index& d, int64_t query) {
    const uint8_t* from = c_.BytesAt(kQuery, c_.MatrixOf(kQuery, d) + query * dims_.depth);
    const uint8_t* keys = c_.BytesAt(kKeys, c_.MatrixOf(kKeys, d));
    const int code = CodeOf(c_.operand(kKeys).storage);
    const Storage type = narrow_scores_ ? Storage::kI16 : Storage::kI64;
    convert_.convert[CodeOf(c_.operand(kQuery).storage)][CodeOf(type)](from, at_.query, dims_.depth);
    if (narrow_scores_) {
      loops_.narrow_scores[code](reinterpret_cast<const int16_t*>(at_.query), keys, dims_.depth, dims_.keys,
                                 at_.scores);
    } else {
      loops_.scores[code](at_.query, keys, dims_.depth, dims_.keys, at_.scores);
    }
  }

  void FindMeans(const Index& d) {
    const uint8_t* values = c_.BytesAt(kValues, c_.MatrixOf(kValues, d));
    void* const sums = narrow_means_ ? static_cast<void*>(at_.narrow_sums) : at_.sums;
    loops_.means[CodeOf(c_.operand(kValues).storage)][!narrow_means_](at_.weights, values, dims_.keys,
                                                                      dims_.columns, sums);
    if (narrow_means_)
      convert_.convert[CodeOf(Storage::kI32)][CodeOf(Storage::kI64)](sums, at_.sums, dims_.columns);
  }

  const AttentionCall<isa> c_;
  const AttentionDims& dims_;
  const AttentionBuffers at_;
  const bool narrow_scores_, narrow_means_;
  const AttentionLoops& loops_ = GetAttentionLoops<isa>();
  const ConvertLoops& convert_ = GetConvertLoops<isa>();
};

// Threads share the queries.
template <Isa isa>
void AttendByQuery(const QueryAttentionParams& p, const KernelCall& call) noexcept {
  QueryAttention<isa> attention(p, call);
  const Shape& y = call.results[0].type->shape;
  const Share share = call.ShareOf(y.num_elements() / FromLast(y, 1));
  for (int64_t row = share.begin; row < share.end; ++row) attention.Run(row);
}

constexpr auto kQueryAttentionKernels = EveryIsa<"scaled_dot_product_attention">(
    {.op = Opcode::kScaledDotProductAttention},
    []<Isa isa>() { return kKernel<PrepareQueryAttention, AttendByQuery<isa>>; });

}  // namespace

KernelTable QueryAttentionKernels() { return kQueryAttentionKernels; }

}  // namespace tally
