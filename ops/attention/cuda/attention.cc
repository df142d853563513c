#include "ops/attention/attrs.h"
#include "ops/attention/cuda/attention_device.h"
#include "ops/attention/cuda/kernel_tables.h"
#include "ops/attention/dims.h"
#include "ops/cuda/gemm/byte_gemm.h"
#include "ops/cuda/prepare_map.h"

namespace tally::cuda {
namespace {

using attention::AttentionDims;
using attention::DimsOf;
using attention::FromLast;
using attention::MeansFitI32;
using attention::ScoresFitI32;
using enum attention::AttentionOperand;

using Strides = std::array<int64_t, kMaxRank>;

// The strides of `x` along the axes of a result of `rank`, aligned at the right; 0 where x has one element.
// The last two are `row` and `column`.
Strides BatchStrides(const Shape& x, int rank, int64_t row, int64_t column) {
  Strides strides = {};
  for (int axis = 0; axis + 2 < x.rank(); ++axis) {
    strides[rank - x.rank() + axis] = x[axis] == 1 ? 0 : x.stride(axis);
  }
  strides[rank - 2] = row;
  strides[rank - 1] = column;
  return strides;
}

// The stride of the axis that is `after` axes from the last; 0 where it is missing or has one element.
int64_t StrideFromEnd(const Shape& x, int behind) {
  const int axis = x.rank() - 1 - behind;
  return axis < 0 || x[axis] == 1 ? 0 : x.stride(axis);
}

LogitRule RuleOf(const KernelFacts& facts, const ScaledDotProductAttentionAttrs& attrs) {
  return {.multiplier = attrs.logit_multiplier,
          .shift = static_cast<int>(attrs.logit_shift),
          .mask = attrs.mask,
          .mask_storage = attrs.mask == MaskKind::kNone ? Storage::kI8 : facts.storages[kMask],
          .causal = !attrs.causal.empty(),
          .causal_offset = attrs.causal.empty() ? 0 : attrs.causal[0]};
}

// `rows` vectors of each matrix as signed bytes, in rows of `chunks`.
Ref PackVectors(Work& work, const KernelFacts& facts, int operand, const Limbs& limbs, int64_t chunks,
                bool along_columns) {
  const Shape& x = facts.operands[operand].shape;
  const int64_t rows = FromLast(x, 2), columns = FromLast(x, 1);
  return AddPackActivation(work, OperandAt(operand),
                           {.positions = along_columns ? columns : rows,
                            .groups = 1,
                            .depth = along_columns ? rows : columns,
                            .chunks = chunks,
                            .limbs = limbs.count,
                            .x_image = rows * columns,
                            .x_position = along_columns ? 1 : columns,
                            .x_group = 0,
                            .x_element = along_columns ? columns : 1,
                            .base = limbs.base,
                            .storage = facts.storages[operand]},
                           x.num_elements() / (rows * columns));
}

// A product of a batch into `y`, in the storage of the epilogue.
struct ProductRefs {
  Ref x, w, y;
  std::optional<Ref> init;
};
bool AddProduct(Work& work, const ByteGemm& product, const ProductRefs& refs, const RescaleParams* scale,
                Storage storage, Arch arch) {
  auto params = GemmParamsOf(product);
  if (!params) return false;
  params->has_init = refs.init.has_value();
  params->epilogue = {.storage = storage, .scaled = scale != nullptr};
  const Ref columns = work.AddConstant(std::vector<Column>(
      product.columns, {.init = 0, .scale = scale == nullptr ? RescaleParams{} : *scale}));
  const Ref taps = work.AddConstant(std::vector<Tap>{{{0, 0, 0}}});
  return AddGemm(work, *params,
                 {refs.x, refs.w, columns, refs.y, taps, refs.y, refs.y, refs.init.value_or(columns)},
                 product.groups(), {arch});
}

// For q, k and v of at most 16 bits whose sums fit 32.
std::optional<Work> PrepareOnMatrixUnit(const KernelFacts& facts, Arch arch) {
  const auto attrs = facts.attrs<ScaledDotProductAttentionAttrs>();
  const AttentionDims dims = DimsOf(facts.operands);
  const Shape& y = facts.results[0].shape;
  const int rank = y.rank();
  const Interval &q_range = facts.operands[kQuery].interval, &k_range = facts.operands[kKeys].interval,
                 &v_range = facts.operands[kValues].interval;
  // Few queries leave the unit to zeros.
  if (dims.queries < 8 || !ScoresFitI32(q_range, k_range, dims) || !MeansFitI32(v_range, dims)) {
    return std::nullopt;
  }
  const auto q = LimbsFor(q_range, true), k = LimbsFor(k_range, false), v = LimbsFor(v_range, false);
  if (!q || !k || !v) return std::nullopt;
  const auto matrices_of = [&](int operand) {
    const Shape& x = facts.operands[operand].shape;
    return x.num_elements() / (FromLast(x, 1) * FromLast(x, 2));
  };
  const int64_t matrices = y.num_elements() / (dims.queries * dims.columns), k_matrices = matrices_of(kKeys),
                v_matrices = matrices_of(kValues);
  if (matrices_of(kQuery) != matrices || (k_matrices != 1 && k_matrices != matrices) ||
      (v_matrices != 1 && v_matrices != matrices)) {
    return std::nullopt;
  }
  const ByteGemm scores = {matrices, dims.queries, dims.keys, dims.depth, k_matrices == 1, *q, *k};
  const ByteGemm means = {matrices, dims.queries, dims.columns, dims.keys, v_matrices == 1, {2, kWeightBase},
                          *v};

  Work work;
  const Ref queries = PackVectors(work, facts, kQuery, *q, scores.chunks(), false),
            keys = PackVectors(work, facts, kKeys, *k, LimbBytes(scores.chunks()) / kChunk, false),
            values = PackVectors(work, facts, kValues, *v, LimbBytes(means.chunks()) / kChunk, true);
  const int64_t rows = matrices * dims.queries, row_bytes = means.chunks() * kChunk;
  const Ref logits = work.AddScratch(rows * dims.keys * SizeBytes(Storage::kI32)),
            weights = work.AddScratch(rows * 2 * row_bytes);
  std::optional<Ref> scores_init;
  if (q->base != 0) scores_init = AddZeroPointInit(work, scores, keys, -q->base);
  if (!AddProduct(work, scores, {queries, keys, logits, scores_init}, nullptr, Storage::kI32, arch)) {
    return std::nullopt;
  }

  const bool masked = attrs.mask != MaskKind::kNone;
  const Shape mask = masked ? facts.operands[kMask].shape : Shape();
  auto of_rows = BatchStrides(mask, rank, StrideFromEnd(mask, 1), 0);
  std::vector<int64_t> row_dims(y.dims().begin(), y.dims().end() - 1);
  Folded f(*Shape::Create(row_dims), Layout::kRowMajor);
  f.AddStrided(of_rows);
  f.Fold();
  const AttentionWeightsParams weight_params = {
      .rows = LoopsOf<1>(f),
      .mask_key = StrideFromEnd(mask, 0),
      .keys = dims.keys,
      .queries = dims.queries,
      .row_bytes = row_bytes,
      .rule = RuleOf(facts, attrs),
      .exponentials = {facts.operands[kTable].shape.num_elements(), facts.storages[kTable]}};
  work.Add(KernelId::kAttentionWeights, GridOver(rows * kWarp), weight_params,
           {logits, OperandAt(kTable), weights, OperandAt(masked ? kMask : kQuery)});

  const RescaleParams scale = {.multiplier = static_cast<int32_t>(attrs.multiplier),
                               .shift = static_cast<int>(attrs.shift),
                               .zero_out = static_cast<int32_t>(attrs.zero_out),
                               .lo = attrs.lo,
                               .hi = attrs.hi};
  const Ref means_init = AddZeroPointInit(work, means, values, -kWeightBase);
  if (!AddProduct(work, means, {weights, values, ResultAt(0), means_init}, &scale, facts.results[0].storage(),
                  arch)) {
    return std::nullopt;
  }
  return work;
}

std::optional<Work> PrepareAttentionOnWarps(const KernelFacts& facts) {
  return PrepareOnMatrixUnit(facts, Arch::kSm80);
}
std::optional<Work> PrepareAttentionOnWarpgroups(const KernelFacts& facts) {
  return PrepareOnMatrixUnit(facts, Arch::kSm90a);
}

// One thread for each logit and for each mean, any storage.
std::optional<Work> PrepareAttention(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ScaledDotProductAttentionAttrs>();
  const Shape &q = facts.operands[0].shape, &k = facts.operands[1].shape, &v = facts.operands[2].shape,
              &y = facts.results[0].shape;
  const int rank = y.rank();
  const int64_t queries = y[rank - 2], keys = k[k.rank() - 2], depth = q[q.rank() - 1];
  std::vector<int64_t> dims(y.dims().begin(), y.dims().end());
  dims.back() = keys;
  const auto logit_shape = Shape::Create(dims);
  if (!logit_shape.ok()) return std::nullopt;  // more than a tensor may have

  Work work;
  const int64_t logit_bytes = logit_shape->num_elements() * SizeBytes(Storage::kI32);
  const Ref logits = work.AddScratch(logit_bytes), weights = work.AddScratch(logit_bytes);
  const bool masked = attrs.mask != MaskKind::kNone;
  Folded f(*logit_shape, Layout::kRowMajor);
  f.AddStrided(BatchStrides(q, rank, q.stride(q.rank() - 2), 0));
  f.AddStrided(BatchStrides(k, rank, 0, k.stride(k.rank() - 2)));
  const Shape mask = masked ? facts.operands[4].shape : Shape();
  f.AddStrided(BatchStrides(mask, rank, StrideFromEnd(mask, 1), StrideFromEnd(mask, 0)));
  f.Fold();
  const AttentionLogitsParams logit_params = {.loops = LoopsOf<3>(f),
                                              .keys = keys,
                                              .queries = queries,
                                              .depth = depth,
                                              .rule = RuleOf(facts, attrs),
                                              .q = facts.storages[0],
                                              .k = facts.storages[1]};
  work.Add(KernelId::kAttentionLogits, GridOver(logit_params.loops.count), logit_params,
           {OperandAt(0), OperandAt(1), logits, OperandAt(masked ? 4 : 0)});

  const auto lines = [](int64_t count, int64_t stride) {
    return Loops<2>{.count = count, .rank = 1, .dims = {count}, .strides = {{stride}, {0}}};
  };
  const int64_t rows = logit_shape->num_elements() / keys;
  const SoftmaxParams softmax = {
      .shape = {lines(rows, keys), lines(keys, 1), Storage::kI32, Storage::kI32},
      .exponentials = {facts.operands[3].shape.num_elements(), facts.storages[3]},
      .requantization = {61 - kProbabilityBits, 0, 0, int64_t{1} << kProbabilityBits}};
  work.Add(KernelId::kSoftmax, GridOver(rows * kWarp), softmax, {logits, OperandAt(3), weights});

  Folded means(y, Layout::kRowMajor);
  means.AddStrided(BatchStrides(*logit_shape, rank, keys, 0));
  means.AddStrided(BatchStrides(v, rank, 0, v.stride(v.rank() - 1)));
  means.Fold();
  const AttentionMeansParams mean_params = {.loops = LoopsOf<2>(means),
                                            .keys = keys,
                                            .v_key = v.stride(v.rank() - 2),
                                            .multiplier = attrs.multiplier,
                                            .requantization = RequantizationOf(attrs),
                                            .v = facts.storages[2],
                                            .y = facts.results[0].storage()};
  work.Add(KernelId::kAttentionMeans, GridOver(mean_params.loops.count), mean_params,
           {weights, OperandAt(2), ResultAt(0)});
  return work;
}

constexpr KernelEntry kAttentionKernels[] = {
    {Opcode::kScaledDotProductAttention, "scaled_dot_product_attention_wgmma", Arch::kSm90a,
     Layouts::kRowMajor, PrepareAttentionOnWarpgroups},
    {Opcode::kScaledDotProductAttention, "scaled_dot_product_attention_mma", Arch::kSm80, Layouts::kRowMajor,
     PrepareAttentionOnWarps},
    {Opcode::kScaledDotProductAttention, "scaled_dot_product_attention", Arch::kSm80, Layouts::kRowMajor,
     PrepareAttention},
};

}  // namespace

std::vector<KernelTable> AllAttentionKernels() { return {kAttentionKernels}; }

}  // namespace tally::cuda
