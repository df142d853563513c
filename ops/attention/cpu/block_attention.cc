// Attention on the micro-kernels of ops/cpu/gemm: the keys and the values of a batch are packed once, and
// blocks of queries are multiplied with them.
//
// A probability is a number of 0 to 2^15. Less 1 it is an element of 16 bits, and the values' sum joins
// again. Less 2^14 it is 256 h + l with two elements of 8 bits, for a matrix unit that has no others: two
// products of a quarter of the time.
#include "base/int_math.h"
#include "ops/attention/cpu/attention_call.h"
#include "ops/attention/cpu/kernel_tables.h"
#include "ops/cpu/gemm/kernels.h"
#include "ops/cpu/gemm/pack_activation.h"
#include "ops/cpu/gemm/pack_weights.h"
#include "ops/cpu/scratch.h"

namespace tally {
namespace {

using attention::AttentionCall;
using attention::AttentionDims;
using attention::DimsOf;
using attention::FromLast;
using attention::HalfOf;
using attention::HasNarrowTable;
using attention::MeansFitI32;
using attention::ScoresFitI32;
using enum attention::AttentionOperand;

constexpr int64_t kMostQueries = 32;  // a block's
constexpr int64_t kLine = 64;

// The micro-kernels of ops/cpu/gemm that an entry is for.
enum class BlockUnit : uint8_t { kAvx2, kAvxVnni, kAvx512, kVnni, kAmx };

constexpr CpuFlags FlagsOf(BlockUnit unit) {
  switch (unit) {
    case BlockUnit::kAvx2: return kAvx2;
    case BlockUnit::kAvxVnni: return kAvxVnni;
    case BlockUnit::kAvx512: return kAvx512;
    case BlockUnit::kVnni: return kVnni;
    case BlockUnit::kAmx: return kAmx;
  }
  return kAvx2;
}

// One of the two products: rows by a packed matrix of `columns` columns.
struct PackedProduct {
  const MicroKernel* kernel;
  int64_t depth, columns, row_bytes, k_groups, panels;

  PackedProduct(const MicroKernel& k, int64_t of_depth, int64_t of_columns)
      : kernel(&k),
        depth(of_depth),
        columns(of_columns),
        row_bytes(RoundUp(depth * SizeBytes(k.element), kLine)),
        k_groups(k.KGroupsOf(depth)),
        panels(CeilDiv<int64_t>(columns, kPanel)) {}

  int64_t queries() const { return kMostQueries / kernel->tile_rows * kernel->tile_rows; }
  int64_t packed_bytes() const { return panels * k_groups * kPanel * kKGroup; }
  // A kernel reads whole K-groups, and whole tiles of rows.
  int64_t rows_bytes() const {
    return (kMostQueries + kMaxTileRows) * row_bytes + k_groups * XBytesOfKGroup(kernel->element);
  }
};

struct Plan {
  AttentionDims dims;
  PackedProduct scores, means;

  bool halves() const { return means.kernel->element == Element::kS8; }

  Plan(const AttentionDims& d, const Interval& q, const Interval& k, const Interval& v, CpuFlags flags)
      : dims(d),
        scores(SelectMicroKernel(!IsByte(q), !IsByte(k), d.queries, flags), d.depth, d.keys),
        means(MeansKernel(v, d.queries, flags), d.keys, d.columns) {}

 private:
  static bool IsByte(const Interval& x) { return RangeOf(Storage::kI8).Contains(x); }
  static const MicroKernel& MeansKernel(const Interval& v, int64_t rows, CpuFlags flags) {
    const MicroKernel& bytes = SelectMicroKernel(false, false, rows, flags);
    return IsByte(v) && bytes.element == Element::kS8 ? bytes
                                                      : SelectMicroKernel(true, !IsByte(v), rows, flags);
  }
};

struct BlockAttentionBuffers {
  ScratchLayout scratch;
  uint8_t *keys, *values, *queries, *weights[2];
  int32_t *keys_init, *values_init;
  ScaleGroup* groups;
  int32_t *logits, *exponentials, *row, *means[2];
  int64_t *mask, *scores, *sums;

  BlockAttentionBuffers(const Plan& p, uint8_t* first)
      : scratch(first),
        keys(scratch.Take<uint8_t>(p.scores.packed_bytes())),
        values(scratch.Take<uint8_t>(p.means.packed_bytes())),
        queries(scratch.Take<uint8_t>(p.scores.rows_bytes())),
        weights{scratch.Take<uint8_t>(p.means.rows_bytes()), scratch.Take<uint8_t>(p.means.rows_bytes())},
        keys_init(scratch.Take<int32_t>(p.scores.panels * kPanel)),
        values_init(scratch.Take<int32_t>(p.means.panels * kPanel)),
        groups(scratch.Take<ScaleGroup>(p.scores.panels * (kPanel / kVectorColumns))),
        logits(scratch.Take<int32_t>(kMostQueries * p.dims.keys)),
        exponentials(scratch.Take<int32_t>(p.dims.keys)),
        row(scratch.Take<int32_t>(p.dims.keys)),
        means{scratch.Take<int32_t>(kMostQueries * p.dims.columns),
              scratch.Take<int32_t>(kMostQueries * p.dims.columns)},
        mask(scratch.Take<int64_t>(p.dims.keys)),
        scores(scratch.Take<int64_t>(p.dims.keys)),
        sums(scratch.Take<int64_t>(kMostQueries * p.dims.columns)) {}
};

struct BlockAttentionParams {
  ScaledDotProductAttentionAttrs attrs;
  Plan plan;
  Epilogue scale;    // for logits where no mask is added, but for its groups,
  ScaleGroup group;  // which are all this one
};

// clamp((sum * multiplier + half) >> shift), the same for every key.
void SetScale(BlockAttentionParams& p) {
  const int64_t multiplier = p.attrs.logit_multiplier, shift = p.attrs.logit_shift;
  p.scale.scale = Epilogue::Scale::kAnyShift;
  int64_t factor = 1, left = shift;
  // A shift of 32 or more leaves a high word; a shorter one is made so where the multiplier has room.
  if (shift >= 32) {
    p.scale.scale = Epilogue::Scale::kHighWord;
  } else if (std::abs(multiplier) << (32 - shift) <= RangeOf(Storage::kI32).hi) {
    p.scale.scale = Epilogue::Scale::kHighWord;
    factor = int64_t{1} << (32 - shift);
  }
  if (p.scale.scale == Epilogue::Scale::kHighWord) left = std::max<int64_t>(shift - 32, 0);
  for (int i = 0; i < kVectorColumns; ++i) {
    p.group.multiplier[i] = static_cast<int32_t>(multiplier * factor);
    if (i % 2 == 1) p.group.multiplier_odd[i - 1] = p.group.multiplier[i];
    int64_t* const addends = i % 2 == 0 ? p.group.addend_even : p.group.addend_odd;
    addends[i / 2] = HalfOf(shift) * factor;
    p.group.shift[i] = static_cast<int32_t>(left);
  }
  p.scale.lo = -kLargestLogit - 1;
  p.scale.hi = kLargestLogit;
}

// Elements of at most 16 bits, sums of 32, and more than a few queries. Scratch: the packed keys and values,
// and what belongs to a block of queries.
template <BlockUnit unit>
std::optional<Prepared<BlockAttentionParams>> PrepareBlockAttention(const KernelFacts& facts) {
  constexpr Interval kElement = RangeOf(Storage::kI16);
  constexpr int64_t kMostScratch = 32 << 20;
  const auto& operands = facts.operands;
  const Interval &q = operands[kQuery].interval, &k = operands[kKeys].interval,
                 &v = operands[kValues].interval;
  const AttentionDims dims = DimsOf(operands);
  if (!HasNarrowTable(facts)) return std::nullopt;
  if (!kElement.Contains(q) || !kElement.Contains(k) || !kElement.Contains(v)) return std::nullopt;
  if (!ScoresFitI32(q, k, dims) || !MeansFitI32(v, dims)) return std::nullopt;
  // Few queries do not pay for the packing, and short vectors are mostly padding.
  if (dims.queries < 8 || dims.depth < 4 || dims.columns < 4 || dims.keys < 4) return std::nullopt;
  BlockAttentionParams p = {.attrs = facts.attrs<ScaledDotProductAttentionAttrs>(),
                            .plan = Plan(dims, q, k, v, FlagsOf(unit)),
                            .scale = {},
                            .group = {}};
  const int64_t scratch = BlockAttentionBuffers(p.plan, nullptr).scratch.bytes();
  if (scratch > kMostScratch) return std::nullopt;
  SetScale(p);
  return Prepared<BlockAttentionParams>{std::move(p), scratch};
}

template <Isa isa>
class BlockAttention {
 public:
  BlockAttention(const BlockAttentionParams& p, const KernelCall& call)
      : c_(p.attrs, p.plan.dims, call),
        plan_(p.plan),
        dims_(plan_.dims),
        at_(plan_, call.scratch),
        scale_(p.scale) {
    std::fill_n(at_.groups, plan_.scores.panels * (kPanel / kVectorColumns), p.group);
    scale_.groups = at_.groups;
  }

  int64_t blocks() const { return CeilDiv(dims_.queries, plan_.scores.queries()); }

  // Block `block` of the queries of matrix `matrix` of the result.
  void Run(int64_t matrix, int64_t block) {
    const int64_t first = matrix * dims_.queries * dims_.columns;
    const Index d = Unflatten(first, c_.y());
    PackOnce(plan_.scores, kKeys, c_.MatrixOf(kKeys, d), true, 0, at_.keys, at_.keys_init, packed_keys_);
    PackOnce(plan_.means, kValues, c_.MatrixOf(kValues, d), false, -ZeroOfWeights(), at_.values,
             at_.values_init, packed_values_);
    const int64_t begin = block * plan_.scores.queries(),
                  count = std::min(plan_.scores.queries(), dims_.queries - begin);
    PackQueries(d, begin, count);
    const bool rounded = c_.mask() != MaskKind::kAdditive;
    Multiply(plan_.scores, count, at_.queries, at_.keys, at_.keys_init, rounded ? scale_ : Epilogue{},
             at_.logits);
    for (int64_t i = 0; i < count; ++i) FindWeights(d, begin + i, i, !rounded);
    FindMeans(count);
    c_.Store(at_.sums, count * dims_.columns, first + begin * dims_.columns);
  }

 private:
  // The amount by which a weight is less than its probability.
  int64_t ZeroOfWeights() const { return plan_.halves() ? 1 << 14 : 1; }

  // Packs a matrix that is another one than the last.
  void PackOnce(const PackedProduct& p, int operand, int64_t first, bool transposed, int64_t zero_x,
                uint8_t* packed, int32_t* init, int64_t& last) {
    if (first == last) return;
    last = first;
    for (int64_t panel = 0; panel < p.panels; ++panel) {
      PackPanel({.b = c_.BytesAt(operand, first),
                 .storage = c_.operand(operand).storage,
                 .transposed = transposed,
                 .depth = p.depth,
                 .columns = p.columns,
                 .zero_x = zero_x,
                 .element = p.kernel->element,
                 .k_groups = p.k_groups,
                 .panel = panel,
                 .packed = packed,
                 .init = init});
    }
  }

  void PackQueries(const Index& d, int64_t begin, int64_t count) {
    const int64_t first = c_.MatrixOf(kQuery, d) + begin * dims_.depth;
    for (int64_t i = 0; i < count; ++i) {
      PackElements(c_.BytesAt(kQuery, first + i * dims_.depth), c_.operand(kQuery).storage, 0, dims_.depth,
                   plan_.scores.kernel->element, at_.queries + i * plan_.scores.row_bytes);
    }
  }

  // y [count, columns]: rows by a packed matrix.
  void Multiply(const PackedProduct& p, int64_t count, const uint8_t* x, const uint8_t* packed,
                const int32_t* init, const Epilogue& epilogue, int32_t* y) const {
    const int64_t tile_rows = p.kernel->tile_rows, tiles = CeilDiv(count, tile_rows);
    MTile tile[kMostQueries];
    int64_t rows[kMostQueries + kMaxTileRows];
    for (int64_t i = 0; i < tiles * tile_rows; ++i) rows[i] = i < count ? i * p.columns : -1;
    for (int64_t t = 0; t < tiles; ++t) {
      tile[t] = {t * tile_rows * p.row_bytes,
                 static_cast<int32_t>(std::min(tile_rows, count - t * tile_rows))};
    }
    const int64_t run = 0;
    p.kernel->run({.x = x,
                   .row_stride = p.row_bytes,
                   .tiles = tile,
                   .rows = rows,
                   .segments = &run,
                   .k_groups_per_segment = p.k_groups,
                   .weights = packed,
                   .init = init,
                   .epilogue = &epilogue,
                   .y = reinterpret_cast<uint8_t*>(y),
                   .columns = p.columns,
                   .tile_end = tiles,
                   .panel_end = p.panels,
                   .panels_at_once = p.panels});
  }

  // Row `i` of the block: logits, or sums that a mask is still to be added to, become weights.
  void FindWeights(const Index& d, int64_t query, int64_t i, bool sums) {
    const ConvertLoops& convert = GetConvertLoops<isa>();
    constexpr int kWord = 2, kLong = 3;
    int32_t* const logits = at_.logits + i * dims_.keys;
    if (c_.mask() != MaskKind::kNone) c_.LoadMask(d, query, at_.mask);
    if (sums) {
      convert.convert[kWord][kLong](logits, at_.scores, dims_.keys);
      c_.Round(at_.scores, at_.mask);
      convert.convert[kLong][kWord](at_.scores, logits, dims_.keys);
    }
    c_.HideKeys(query, at_.mask, logits);
    c_.FindWeights(logits, ZeroOfWeights(), at_.exponentials, at_.row);
    const int64_t place = i * plan_.means.row_bytes;
    if (plan_.halves()) {
      GetAttentionLoops<isa>().split(at_.row, dims_.keys, at_.weights[0] + place, at_.weights[1] + place);
    } else {
      convert.convert[kWord][1](at_.row, at_.weights[0] + place, dims_.keys);
    }
  }

  void FindMeans(int64_t count) {
    const int64_t n = count * dims_.columns;
    Multiply(plan_.means, count, at_.weights[0], at_.values, at_.values_init, {}, at_.means[0]);
    if (plan_.halves()) {
      Multiply(plan_.means, count, at_.weights[1], at_.values, nullptr, {}, at_.means[1]);
      GetAttentionLoops<isa>().join(at_.means[0], at_.means[1], n);
    }
    GetConvertLoops<isa>().convert[2][3](at_.means[0], at_.sums, n);
  }

  const AttentionCall<isa> c_;
  const Plan& plan_;
  const AttentionDims& dims_;
  const BlockAttentionBuffers at_;
  Epilogue scale_;
  int64_t packed_keys_ = -1, packed_values_ = -1;
};

// Threads share the blocks of queries.
template <Isa isa>
void AttendByBlocks(const BlockAttentionParams& p, const KernelCall& call) noexcept {
  BlockAttention<isa> attention(p, call);
  const int64_t blocks = attention.blocks();
  const Shape& y = call.results[0].type->shape;
  const Share share = call.ShareOf(y.num_elements() / (FromLast(y, 1) * FromLast(y, 2)) * blocks);
  for (int64_t i = share.begin; i < share.end; ++i) attention.Run(i / blocks, i % blocks);
}

#if defined(__x86_64__)
template <Isa isa, BlockUnit unit>
constexpr auto KernelOf(std::string_view name, CpuFlags flags) {
  return OneKernel(name, {.op = Opcode::kScaledDotProductAttention}, flags, Layout::kRowMajor,
                   kKernel<PrepareBlockAttention<unit>, AttendByBlocks<isa>>);
}

constexpr auto kBlockAttentionKernels = JoinKernels(
    KernelOf<Isa::kAvx512, BlockUnit::kAmx>("scaled_dot_product_attention_blocks_amx", kFlagsAmx),
    KernelOf<Isa::kAvx512, BlockUnit::kVnni>("scaled_dot_product_attention_blocks_vnni", kFlagsVnni),
    KernelOf<Isa::kAvx2, BlockUnit::kAvxVnni>("scaled_dot_product_attention_blocks_avxvnni", kFlagsAvxVnni),
    KernelOf<Isa::kAvx512, BlockUnit::kAvx512>("scaled_dot_product_attention_blocks_avx512", kFlagsAvx512),
    KernelOf<Isa::kAvx2, BlockUnit::kAvx2>("scaled_dot_product_attention_blocks_avx2", kFlagsAvx2));
#else
constexpr std::array<KernelEntry, 0> kBlockAttentionKernels = {};
#endif

}  // namespace

KernelTable BlockAttentionKernels() { return kBlockAttentionKernels; }

}  // namespace tally
