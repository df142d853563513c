#include "vm/engines/cpu/linear_builder.h"

#include <algorithm>
#include <optional>

#include "base/int_math.h"
#include "ops/linear/attrs.h"
#include "ops/linear/packed/long_sums.h"
#include "ops/pooling/attrs.h"
#include "vm/engines/cpu/depthwise_step.h"
#include "vm/engines/cpu/pooled_sums_step.h"
#include "vm/engines/cpu/sums_step.h"

namespace tally::cpu {
namespace {

// An image that the second-level cache holds is pooled as fast by a step of its own (docs/performance.md).
constexpr int64_t kLeastPooledBytes = 2 << 20;

constexpr Interval kI8 = RangeOf(Storage::kI8);
constexpr Interval kI16 = RangeOf(Storage::kI16);
constexpr Interval kI32 = RangeOf(Storage::kI32);

// What an operand becomes before a kernel reads it: elements of 8, 16 or 32 bits, less `base`.
struct Elements {
  Storage storage = Storage::kI8;
  int64_t base = 0;
};

std::optional<Elements> FitElements(const Interval& range, bool may_move) {
  if (kI8.Contains(range)) return Elements{};
  if (may_move && range.hi - range.lo <= 255) return Elements{Storage::kI8, range.lo + 128};
  if (kI16.Contains(range)) return Elements{Storage::kI16};
  if (may_move && range.hi - range.lo <= 65535) return Elements{Storage::kI16, range.lo + 32768};
  if (kI32.Contains(range)) return Elements{Storage::kI32};
  return std::nullopt;
}

Interval Less(const Interval& range, int64_t zero) { return {range.lo - zero, range.hi - zero}; }

struct Factors {
  Elements x, w;
  bool is_long = false;       // sums of 64 bits: 32 do not hold them, or the elements have 32 bits
  Interval x_range, w_range;  // of x before `base` is taken away; of a matrix w less its zero point

  Factors(const Elements& of_x, const Elements& of_w, const Interval& accumulator) : x(of_x), w(of_w) {
    is_long = !kI32.Contains(accumulator) || storage() == Storage::kI32;
  }
  // Of the elements that a kernel reads.
  Storage storage() const { return std::max({x.storage, w.storage, is_long ? Storage::kI16 : Storage::kI8}); }
  bool wide() const { return storage() > Storage::kI8; }
};

const BlockKernel& KernelFor(const ProgramBuilder& builder, const Factors& factors, int64_t rows) {
  const CpuFlags flags = builder.context().flags;
  if (!factors.is_long) return SelectBlockKernel(factors.wide(), rows, flags);
  return SelectLongKernel(factors.storage() == Storage::kI32 ? Element::kS32 : Element::kS16, flags);
}

const Instruction& InstructionOf(const ProgramBuilder& builder, size_t step) {
  return builder.module().module().functions[builder.function()].body[step];
}

bool IsStaged(const ProgramBuilder& builder, const ValueRef& x, const BlockKernel& kernel,
              const Elements& elements) {
  return kernel.element == Element::kBiasedS8 || x.storage != StorageOf(kernel.element) ||
         elements.base != 0 ||
         // A kernel reads behind the end, which is safe in the arena only.
         builder.IsConstant(x.buffer);
}

// The zero points and groups of either kind of convolution.
struct Zeros {
  int64_t x, w, groups;
};

Zeros ZerosOf(const Instruction& instruction) {
  if (instruction.op == Opcode::kConvTranspose) {
    const auto attrs = Unpack<ConvTransposeAttrs>(instruction.attributes);
    return {attrs.zero_x, attrs.zero_w, attrs.groups};
  }
  const auto attrs = Unpack<ConvolutionAttrs>(instruction.attributes);
  return {attrs.zero_x, attrs.zero_w, attrs.groups};
}

std::optional<Factors> ConvolutionFactors(const ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = InstructionOf(builder, step);
  const Zeros attrs = ZerosOf(instruction);
  const TensorView* w = builder.constant(instruction.operands[1]);
  if (w == nullptr ||
      (instruction.operands.size() > 2 && builder.constant(instruction.operands[2]) == nullptr)) {
    return std::nullopt;
  }
  Interval x = builder.type(instruction.operands[0]).interval;
  x = x.Hull({attrs.x, attrs.x});  // stands where there is padding
  const auto fit_x = FitElements(x, true);
  const auto fit_w = FitElements(Less(builder.type(instruction.operands[1]).interval, attrs.w), false);
  if (!fit_x || !fit_w) return std::nullopt;
  Factors factors(*fit_x, *fit_w, builder.facts().instructions[step].accumulator);
  if (RangeOf(factors.storage()).Contains(x)) factors.x.base = 0;
  // A panel of 32 columns would have one: kernels that go along pixels are faster.
  const bool depthwise = w->shape[0] == attrs.groups && w->shape[1] == 1;
  if (factors.is_long && depthwise) return std::nullopt;
  factors.x_range = x;
  return factors;
}

struct MatrixProduct {
  int64_t matrices = 1;  // b's; each has `rows` rows of a
  int64_t rows = 1;
  int64_t depth = 1;
  int64_t columns = 1;
};

std::optional<MatrixProduct> ProductOf(const ProgramBuilder& builder, const Instruction& instruction) {
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  const Shape &a = builder.type(instruction.operands[0]).shape,
              &b = builder.type(instruction.operands[1]).shape;
  if (attrs.transpose_a) return std::nullopt;
  MatrixProduct p;
  p.depth = a[a.rank() - 1];
  p.columns = attrs.transpose_b ? b[b.rank() - 2] : b[b.rank() - 1];
  p.matrices = b.num_elements() / (p.depth * p.columns);
  if (p.matrices > 1) {
    if (a.rank() != b.rank() ||
        !std::ranges::equal(a.dims().first(a.rank() - 2), b.dims().first(b.rank() - 2))) {
      return std::nullopt;
    }
  }
  p.rows = a.num_elements() / p.depth / p.matrices;
  return p;
}

std::optional<Factors> MatmulFactors(const ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = InstructionOf(builder, step);
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  if (!ProductOf(builder, instruction)) return std::nullopt;
  const Interval range = builder.type(instruction.operands[0]).interval;
  const auto a = FitElements(range, true);
  const Interval w = Less(builder.type(instruction.operands[1]).interval, attrs.zero_b);
  const auto b = FitElements(w, false);
  if (!a || !b) return std::nullopt;
  Factors factors(*a, *b, builder.facts().instructions[step].accumulator);
  factors.x_range = range;
  factors.w_range = w;
  const bool packed_in_run =
      builder.constant(instruction.operands[1]) == nullptr || ProductOf(builder, instruction)->matrices > 1;
  if (!factors.is_long || !packed_in_run) return factors;
  // What such long sums start with has no part of zero_a.
  const auto less = FitElements(Less(range, attrs.zero_a), false);
  if (!less) return std::nullopt;
  factors.x = {less->storage, attrs.zero_a};
  return factors;
}

// `weights`: of the groups, or empty when they are known only in a run. What their sums start with joins the scale
// where that fits, and is then cleared.
EpilogueSpec EpilogueOf(const SumChain& chain, int64_t columns, Storage storage, int64_t depth,
                        const Factors& factors, std::span<PackedWeights> weights) {
  EpilogueSpec spec;
  Epilogue& e = spec.epilogue;
  e.storage = storage;
  spec.table = chain.table;
  if (!chain.scaled) return spec;
  e.lo = static_cast<int32_t>(chain.scale[0].lo);
  e.hi = static_cast<int32_t>(chain.scale[0].hi);
  if (chain.residual) {
    e.has_residual = true;
    e.residual = chain.residual_scale;
  }
  // The proven interval may be narrower than the clamp, and the storage with it: kernels clamp in the storage.
  const Interval range = RangeOf(storage);
  int32_t& lo = chain.residual ? e.residual.lo : e.lo;
  int32_t& hi = chain.residual ? e.residual.hi : e.hi;
  lo = static_cast<int32_t>(std::clamp<int64_t>(lo, range.lo, range.hi));
  hi = static_cast<int32_t>(std::clamp<int64_t>(hi, range.lo, range.hi));
  const Interval sums = chain.scaled_interval;
  const size_t groups = std::max<size_t>(1, weights.size());
  const auto pack = [&](const Interval& bounds, bool fold) -> std::vector<PackedScale> {
    std::vector<PackedScale> scales;
    for (size_t g = 0; g < groups; ++g) {
      std::span<const RescaleParams> params = chain.scale;
      if (params.size() > 1) params = params.subspan(g * columns, columns);
      auto scale = PackScale(params, columns, bounds, fold ? weights[g].init : std::span<const int32_t>());
      if (!scale) return {};
      scales.push_back(*std::move(scale));
    }
    return scales;
  };
  std::vector<PackedScale> scales;
  if (!factors.wide() && !weights.empty() && kI32.Contains(RawSums(depth)))
    scales = pack(RawSums(depth), true);
  if (!scales.empty()) {
    for (PackedWeights& w : weights) w.init.clear();
  } else {
    scales = pack(sums, false);
  }
  // All channels share the form of the shift, whatever group they are in.
  const bool any = factors.is_long || std::ranges::any_of(scales, [](const auto& s) {
                     return s.scale == Epilogue::Scale::kAnyShift;
                   });
  e.scale = any ? Epilogue::Scale::kAnyShift : Epilogue::Scale::kHighWord;
  for (PackedScale& scale : scales) {
    if (any) UseAnyShift(scale);
    spec.groups.insert(spec.groups.end(), scale.groups.begin(), scale.groups.end());
  }
  return spec;
}

// A block reads its part of the residual before it stores its part of y, which then takes no other memory.
void AddInPlace(ProgramBuilder& builder, const SumChain& chain, const ValueRef& x, SumsSpec& spec) {
  const ValueRef others[] = {x};
  const auto y = builder.Reuse(spec.residual, spec.y, chain.last, others);
  if (y) spec.y = *y;
}

// The blocks of long sums, and what these start with; `bias` where weights are packed in a run.
void AddLongSums(const Factors& factors, const BlockKernel& kernel, const TensorView* bias, SumsSpec& spec) {
  if (!factors.is_long) return;
  LongSums& sums = spec.long_sums.emplace();
  const Interval x = Less(factors.x_range, factors.x.base);
  const int64_t granules = static_cast<int64_t>(spec.rows.runs.size()) * spec.rows.granules_per_run;
  const bool in_blocks = kernel.element == Element::kS16;
  if (spec.weights.empty()) {
    if (in_blocks) sums = LongestBlocks(x, factors.w_range, granules);
    if (bias == nullptr) return;
    spec.long_init.emplace_back(RoundUp(spec.columns, int64_t{kPanel}));
    for (int64_t n = 0; n < spec.columns; ++n) spec.long_init[0][n] = bias->at(n);
    return;
  }
  std::vector<std::span<const uint8_t>> groups;
  for (const PackedWeights& group : spec.weights) groups.emplace_back(group.bytes);
  if (in_blocks) sums = LongestBlocks(x, groups, granules);
  for (PackedWeights& group : spec.weights) spec.long_init.push_back(std::move(group.long_init));
}

void AddDepthwise(ProgramBuilder& builder, const SumChain& chain, const ConvolutionShape& source,
                  const Factors& factors) {
  const Instruction& instruction = InstructionOf(builder, chain.sum);
  const Zeros zeros = ZerosOf(instruction);
  const ValueId last = builder.facts().instructions[chain.last].first_result;
  const TensorView& w = *builder.constant(instruction.operands[1]);
  const TensorView* bias =
      instruction.operands.size() > 2 ? builder.constant(instruction.operands[2]) : nullptr;
  DepthwiseSpec spec;
  spec.kernel = &SelectDepthwiseKernel(factors.wide(), builder.context().flags);
  spec.shape = DepthwiseOf(source);
  spec.zero = zeros.x - factors.x.base;
  const int threads = builder.context().threads;
  const Element element = spec.kernel->element == Element::kS16 ? Element::kS16 : Element::kS8;
  const ValueRef x = builder.Get(instruction.operands[0], Layout::kChannelsLast);
  spec.x = x.buffer;
  if (x.storage != (element == Element::kS16 ? Storage::kI16 : Storage::kI8) || factors.x.base != 0) {
    spec.x = builder.NewBuffer(x.type.shape.num_elements() * SizeBytes(element));
    builder.Add(MakeStageMatrixStep({x, factors.x.base, element, spec.x}, threads));
  }

  const int64_t taps = spec.shape.taps();
  const int64_t outside = spec.zero + (spec.kernel->element == Element::kBiasedS8 ? 128 : 0);
  std::vector<int16_t> weights;
  std::vector<int32_t> init;
  for (int64_t c = 0; c < source.channels; ++c) {
    uint64_t sum = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      weights.push_back(static_cast<int16_t>(w.at(c * taps + tap) - zeros.w));
      sum += static_cast<uint64_t>(weights.back());
    }
    const int64_t first = bias == nullptr ? 0 : bias->at(c);
    init.push_back(static_cast<int32_t>(static_cast<uint64_t>(first) - static_cast<uint64_t>(outside) * sum));
  }
  const DepthwiseLayout& kernel_layout = *spec.kernel->layout;
  spec.weights = kernel_layout.pack(spec.shape, weights);
  const std::vector<int64_t> slots = kernel_layout.slots(spec.shape);
  SumChain by_slot = chain;
  if (chain.scaled) by_slot.scale = BySlot<RescaleParams>(slots, chain.scale, chain.scale[0]);
  std::vector<PackedWeights> sums(1);
  const std::vector<int32_t> init_by_slot = BySlot<int32_t>(slots, init, 0);
  sums[0].init.assign(init_by_slot.begin(), init_by_slot.end());

  const Layout layout = chain.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
  spec.y = builder.NewValue(builder.type(last), layout);
  spec.epilogue =
      EpilogueOf(by_slot, static_cast<int64_t>(slots.size()), spec.y.storage, taps, factors, sums);
  spec.init = sums[0].init.empty() ? AlignedVector<int32_t>(slots.size()) : std::move(sums[0].init);
  if (chain.residual) spec.residual = builder.Get(*chain.residual, layout);
  spec.scratch_bytes = RoundUp(kernel_layout.scratch_bytes(spec.shape), kBufferAlignment);
  if (spec.scratch_bytes > 0) spec.scratch = builder.NewBuffer(spec.scratch_bytes * threads);
  const ValueRef y = spec.y;
  builder.Add(MakeDepthwiseStep(std::move(spec), threads));
  builder.Set(last, y);
}

// Where the result of a joined chain begins; `rows` are moved to where its rows are.
ValueRef JoinedRows(ProgramBuilder& builder, const SumChain& chain, RowPlan& rows) {
  if (!builder.Has(*chain.joined, Layout::kChannelsLast)) {
    builder.Set(*chain.joined, builder.NewValue(builder.type(*chain.joined), Layout::kChannelsLast));
  }
  const ValueRef whole = builder.Get(*chain.joined, Layout::kChannelsLast);
  const TensorType& part = builder.type(builder.facts().instructions[chain.last].first_result);
  for (int64_t& row : rows.rows) {
    if (row >= 0) row = row / part.shape[1] * whole.type.shape[1];
  }
  return builder.View(whole, part, chain.joined_channel * SizeBytes(whole.storage));
}

// As attributes of max_pool.
PoolAttrs PoolOf(const Instruction& instruction) {
  if (instruction.op == Opcode::kMaxPool) return Unpack<PoolAttrs>(instruction.attributes);
  const auto attrs = Unpack<MaxPool2dAttrs>(instruction.attributes);
  const std::vector<int64_t> padding = {attrs.padding_of(0), attrs.padding_of(1)};
  return {.kernel = attrs.pool_size,
          .stride = attrs.strides,
          .dilation = {1, 1},
          .pad_begin = padding,
          .pad_end = padding,
          .ceil_mode = attrs.ceil_mode};
}

OperatorCall PoolCall(const PoolAttrs& pool, const TensorType& image, const TensorType& y) {
  return {Opcode::kMaxPool,
          Pack(pool),
          {{-1, image, image.storage(), Layout::kChannelsLast}},
          {{-1, y, y.storage(), Layout::kChannelsLast}}};
}

void AddPooledSums(ProgramBuilder& builder, const SumChain& chain, SumsSpec sums) {
  const ValueId last = builder.facts().instructions[*chain.pool].first_result;
  PooledSumsSpec spec = {.pool = PoolOf(InstructionOf(builder, *chain.pool)),
                         .y = builder.NewValue(builder.type(last), Layout::kChannelsLast)};
  const OperatorCall call = PoolCall(spec.pool, sums.y.type, spec.y.type);
  spec.sums = std::move(sums);
  spec.pool_kernel = builder.FindKernel(call, Layout::kChannelsLast, {});
  spec.pool_scratch_bytes = builder.ScratchBytes(*spec.pool_kernel, call, {});
  PlanBands(spec, builder.context().threads);
  spec.memory = builder.NewBuffer(spec.memory_bytes() * builder.context().threads);
  const ValueRef y = spec.y;
  builder.Add(MakePooledSumsStep(std::move(spec)));
  builder.Set(last, y);
}

void AddConvolution(ProgramBuilder& builder, const SumChain& chain) {
  const Instruction& instruction = InstructionOf(builder, chain.sum);
  const Zeros zeros = ZerosOf(instruction);
  const Factors factors = *ConvolutionFactors(builder, chain.sum);
  const ValueId last = builder.facts().instructions[chain.last].first_result;
  const TensorView& w = *builder.constant(instruction.operands[1]);
  const bool transposed = instruction.op == Opcode::kConvTranspose;
  const Shape& x_shape = builder.type(instruction.operands[0]).shape;
  const Shape& y_shape = builder.type(builder.facts().instructions[chain.sum].first_result).shape;
  const ConvolutionShape shape =
      transposed
          ? ShapeOfConvTranspose(x_shape, w.shape, y_shape,
                                 Unpack<ConvTransposeAttrs>(instruction.attributes))
          : ShapeOfConvolution(x_shape, w.shape, y_shape, Unpack<ConvolutionAttrs>(instruction.attributes));

  if (IsDepthwise(shape)) return AddDepthwise(builder, chain, shape, factors);
  const BlockKernel& kernel = KernelFor(builder, factors, shape.rows());

  // The first layer of a network on images reads its few channels where they are.
  const bool few = shape.channels <= 4 && builder.Has(instruction.operands[0], Layout::kRowMajor);
  const ValueRef x = builder.Get(instruction.operands[0], few ? Layout::kRowMajor : Layout::kChannelsLast);
  const bool is_element = !IsStaged(builder, x, kernel, factors.x) && x.layout == Layout::kChannelsLast;
  ConvolutionRows rows = PlanConvolution(shape, kernel, x.layout == Layout::kRowMajor, is_element);

  SumsSpec spec;
  spec.kernel = &kernel;
  spec.columns = shape.group_out_channels();
  spec.x = x.buffer;
  if (!rows.in_place) {
    const int64_t bytes = shape.batch * shape.groups * rows.image.bytes();
    spec.x = builder.NewBuffer(bytes);
    spec.x_group_bytes = rows.image.bytes();
    builder.Add(
        MakeStageStep({shape, rows.image, x, factors.x.base, zeros.x, spec.x}, builder.context().threads));
  }
  builder.NoteOverread(spec.x, rows.plan.overread_bytes);
  const TensorView* bias =
      instruction.operands.size() > 2 ? builder.constant(instruction.operands[2]) : nullptr;
  const int64_t channels = shape.group_channels(), taps = shape.taps();
  for (int64_t g = 0; g < shape.groups; ++g) {
    spec.weights.push_back(PackWeights(
        rows.plan, kernel.element, spec.columns, channels, zeros.x - factors.x.base,
        [&](int64_t n, int64_t c, int64_t tap) {
          const int64_t index = transposed ? ((g * channels + c) * spec.columns + n) * taps + (taps - 1 - tap)
                                           : ((g * spec.columns + n) * channels + c) * taps + tap;
          return w.at(index) - zeros.w;
        },
        [&](int64_t n) { return bias == nullptr ? 0 : bias->at(g * spec.columns + n); }));
  }
  spec.rows = std::move(rows.plan);
  AddLongSums(factors, kernel, nullptr, spec);
  const Layout layout = chain.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
  if (chain.pool) {
    spec.y = {-1, builder.type(last), builder.type(last).storage(), layout};
  } else {
    spec.y =
        chain.joined ? JoinedRows(builder, chain, spec.rows) : builder.NewValue(builder.type(last), layout);
  }
  spec.y_group = spec.columns;
  spec.epilogue = EpilogueOf(chain, spec.columns, spec.y.storage, channels * taps, factors, spec.weights);
  if (chain.residual) {
    spec.residual = builder.Get(*chain.residual, layout);
    AddInPlace(builder, chain, x, spec);
  }
  if (chain.pool) return AddPooledSums(builder, chain, std::move(spec));
  const ValueRef y = spec.y;
  builder.Add(MakeSumsStep(std::move(spec), builder.context().threads));
  if (!chain.joined) builder.Set(last, y);
}

void AddMatmul(ProgramBuilder& builder, const SumChain& chain) {
  const Instruction& instruction = InstructionOf(builder, chain.sum);
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  const Factors factors = *MatmulFactors(builder, chain.sum);
  const MatrixProduct product = *ProductOf(builder, instruction);
  const BlockKernel& kernel = KernelFor(builder, factors, product.rows);
  const ValueId last = builder.facts().instructions[chain.last].first_result;
  const ValueRef a = builder.Get(instruction.operands[0], Layout::kRowMajor);
  const ValueRef b = builder.Get(instruction.operands[1], Layout::kRowMajor);

  SumsSpec spec;
  spec.kernel = &kernel;
  spec.rows = PlanMatrix(product.rows, product.depth, product.columns, kernel);
  spec.columns = product.columns;
  spec.x = a.buffer;
  spec.x_group_bytes = product.rows * spec.rows.row_stride;
  if (IsStaged(builder, a, kernel, factors.x)) {
    spec.x = builder.NewBuffer(product.matrices * spec.x_group_bytes);
    builder.Add(MakeStageMatrixStep({a, factors.x.base, kernel.element, spec.x}, builder.context().threads));
  }
  builder.NoteOverread(spec.x, spec.rows.overread_bytes);
  const int64_t zero_x = attrs.zero_a - factors.x.base;
  const TensorView* w = builder.constant(instruction.operands[1]);
  const TensorView* bias = chain.bias ? builder.constant(*chain.bias) : nullptr;
  if (w != nullptr && product.matrices == 1) {
    const int64_t column = attrs.transpose_b ? product.depth : 1,
                  depth = attrs.transpose_b ? 1 : product.columns;
    spec.weights.push_back(PackWeights(
        spec.rows, kernel.element, product.columns, product.depth, zero_x,
        [&](int64_t n, int64_t k, int64_t) { return w->at(n * column + k * depth) - attrs.zero_b; },
        [&](int64_t n) { return bias == nullptr ? 0 : bias->at(n); }));
  } else {
    PackSpec pack = {.b = b,
                     .transposed = attrs.transpose_b,
                     .base = attrs.zero_b,
                     .depth = product.depth,
                     .columns = product.columns,
                     .matrices = product.matrices,
                     .zero_x = zero_x,
                     .bias = bias,
                     .element = kernel.element,
                     .granules = spec.rows.granules_per_run};
    pack.packed = spec.packed = builder.NewBuffer(product.matrices * PackedMatrixBytes(pack));
    builder.Add(MakePackStep(std::move(pack), builder.context().threads));
  }
  AddLongSums(factors, kernel, bias, spec);
  spec.y = builder.NewValue(builder.type(last), Layout::kRowMajor);
  spec.y_group = product.rows * product.columns;
  spec.epilogue = EpilogueOf(chain, product.columns, spec.y.storage, product.depth, factors, spec.weights);
  if (chain.residual) {
    spec.residual = builder.Get(*chain.residual, Layout::kRowMajor);
    AddInPlace(builder, chain, a, spec);
  }
  const ValueRef y = spec.y;
  builder.Add(MakeSumsStep(std::move(spec), builder.context().threads));
  builder.Set(last, y);
}

}  // namespace

std::optional<SumForm> FindSum(const ProgramBuilder& builder, size_t step) {
  const auto form = [](const std::optional<Factors>& factors, int axis) -> std::optional<SumForm> {
    if (!factors) return std::nullopt;
    return SumForm{axis, factors->is_long};
  };
  const int rank = builder.type(builder.facts().instructions[step].first_result).shape.rank();
  switch (InstructionOf(builder, step).op) {
    case Opcode::kConvolution:
    case Opcode::kConvTranspose: return form(ConvolutionFactors(builder, step), 1);
    case Opcode::kMatmul: return form(MatmulFactors(builder, step), rank - 1);
    default: return std::nullopt;
  }
}

std::optional<size_t> FindPool(const ProgramBuilder& builder, const SumChain& chain,
                               const std::vector<int>& uses) {
  const auto& facts = builder.facts();
  const ValueId x = facts.instructions[chain.last].first_result;
  const auto step = static_cast<size_t>(facts.last_steps[x]);
  if (!CanJoin(builder, chain) || uses[x] != 1 || step >= facts.instructions.size()) return std::nullopt;
  const Instruction& pool = InstructionOf(builder, step);
  if (pool.op != Opcode::kMaxPool2d && pool.op != Opcode::kMaxPool) return std::nullopt;
  const TensorType &image = builder.type(x), &y = builder.type(facts.instructions[step].first_result);
  const int64_t line_bytes = y.shape.rank() == 4 ? y.shape[1] * y.shape[3] * SizeBytes(y.storage()) : 1;
  // Bands of y must begin where kernels want them, and threads share some lines at least.
  if (line_bytes % kBufferAlignment != 0 || image.size_bytes() < kLeastPooledBytes) return std::nullopt;
  if (y.shape[0] * y.shape[2] < 4 * builder.context().threads) return std::nullopt;
  if (ZerosOf(InstructionOf(builder, chain.sum)).groups != 1) return std::nullopt;
  const KernelRow* const kernel =
      builder.FindKernel(PoolCall(PoolOf(pool), image, y), Layout::kChannelsLast, {});
  if (kernel == nullptr || kernel->layout != Layout::kChannelsLast) return std::nullopt;
  return step;
}

bool CanJoin(const ProgramBuilder& builder, const SumChain& chain) {
  const Instruction& instruction = InstructionOf(builder, chain.sum);
  if (instruction.op == Opcode::kMatmul || chain.viewed || chain.residual) return false;
  if (instruction.op == Opcode::kConvTranspose) return true;
  const Shape& y = builder.type(builder.facts().instructions[chain.sum].first_result).shape;
  return !IsDepthwise(ShapeOfConvolution(builder.type(instruction.operands[0]).shape,
                                         builder.constant(instruction.operands[1])->shape, y,
                                         Unpack<ConvolutionAttrs>(instruction.attributes)));
}

void AddSums(ProgramBuilder& builder, const SumChain& chain) {
  if (InstructionOf(builder, chain.sum).op == Opcode::kMatmul) return AddMatmul(builder, chain);
  AddConvolution(builder, chain);
}

}  // namespace tally::cpu
