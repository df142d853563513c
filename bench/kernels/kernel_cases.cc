#include "bench/kernels/kernel_cases.h"

#include <vector>

#include "fuzz/generators/values.h"
#include "ops/all_attrs.h"

namespace tally {
namespace {

constexpr Interval kS8 = {-128, 127};
constexpr Interval kS16 = {-32768, 32767};

Shape Dims(std::initializer_list<int64_t> dims) { return *Shape::Create(dims); }

DraftId List(CallContext& c, const std::vector<int64_t>& values) {
  return c.Constant(Dims({static_cast<int64_t>(values.size())}), values);
}

Attempt Rescaled(CallContext& c, const Shape& shape, const Interval& x, int64_t channels, int64_t axis) {
  const std::vector<int64_t> m(channels, 1518500250), b(channels, 12345), s(channels, 42);
  const RescaleAttrs attrs = {.axis = axis, .lo = -128, .hi = 127};
  return {{c.draft.AddParam({shape, x}), List(c, m), List(c, b), List(c, s)}, Pack(attrs)};
}

Attempt Pair(CallContext& c, const Shape& a, const Shape& b) {
  return {{c.draft.AddParam({a, kS8}), c.draft.AddParam({b, kS8})}, Attributes{}};
}

std::vector<int64_t> Exponentials(int64_t n) {
  std::vector<int64_t> table(n);
  for (int64_t i = 0, e = int64_t{1} << 30; i < n; ++i, e -= e >> 4) table[i] = e;
  return table;
}

// Two taps for each of `out` places, as a linear resize by two has them.
Attempt Doubled(CallContext& c, const Shape& shape, int64_t axis) {
  const int64_t in = shape[static_cast<int>(axis)], out = 2 * in;
  std::vector<int64_t> index, weight;
  for (int64_t o = 0; o < out; ++o) {
    const int64_t below = std::max<int64_t>((o - 1) / 2, 0);
    for (const int64_t i : {below, std::min(below + 1, in - 1)}) index.push_back(i);
    for (const int64_t w : {512 + o % 2 * 1024, 1536 - o % 2 * 1024}) weight.push_back(w);
  }
  return {
      {c.draft.AddParam({shape, kS8}), c.Constant(Dims({out, 2}), index), c.Constant(Dims({out, 2}), weight)},
      Pack(ResampleAttrs{.axis = axis})};
}

// x, regions of up to 64 pixels a side in 1/16 pixels, and the images that they are in.
std::vector<DraftId> Regions(CallContext& c, const Shape& x, int64_t count) {
  std::vector<int64_t> boxes, images(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t x1 = i * 37 % 400, y1 = i * 53 % 400;
    for (const int64_t v : {x1, y1, x1 + 64 + i * 29 % 300, y1 + 64 + i * 31 % 300}) boxes.push_back(v);
  }
  return {c.draft.AddParam({x, kS8}), c.Constant(Dims({count, 4}), boxes), c.Constant(Dims({count}), images)};
}

// Rows of 768, as a layer of a BERT has them.
template <typename Attrs>
Attempt Normalized(CallContext& c, Attrs attrs, int64_t m, int64_t b, int64_t shift) {
  attrs.epsilon = 1000;
  attrs.shift = shift;
  attrs.lo = -128;
  attrs.hi = 127;
  return {{c.draft.AddParam({Dims({128, 768}), {-8000, 8000}}), List(c, std::vector<int64_t>(768, m)),
           List(c, std::vector<int64_t>(768, b))},
          Pack(attrs)};
}

PoolAttrs SquareWindows(int64_t size, int64_t stride, int64_t pad) {
  return {{size, size}, {stride, stride}, {1, 1}, {pad, pad}, {pad, pad}};
}

}  // namespace

std::span<const KernelCase> KernelCases() {
  static const std::vector<KernelCase> cases = {
      {"s8_128x256x128", Opcode::kMatmul,
       [](auto& c) {
         return Attempt{
             {c.draft.AddParam({Dims({128, 256}), kS8}), c.draft.AddParam({Dims({256, 128}), kS8})},
             Pack(MatmulAttrs{})};
       }},
      {"s8_3x3_64x14x14", Opcode::kConvolution,
       [](auto& c) {
         const ConvolutionAttrs attrs = {
             .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
         return Attempt{
             {c.draft.AddParam({Dims({1, 64, 14, 14}), kS8}), c.draft.AddParam({Dims({64, 64, 3, 3}), kS8})},
             Pack(attrs)};
       }},
      {"s32_s8_64x56x56", Opcode::kRescale,
       [](auto& c) {
         return Rescaled(c, Dims({1, 64, 56, 56}), {-1000000, 1000000}, 1, 0);
       }},
      {"s32_s8_per_channel_256x56x56", Opcode::kRescale,
       [](auto& c) {
         return Rescaled(c, Dims({1, 256, 56, 56}), {-1000000, 1000000}, 256, 1);
       }},
      {"s8_s8_256x56x56", Opcode::kRescale,
       [](auto& c) {
         return Rescaled(c, Dims({1, 256, 56, 56}), kS8, 1, 0);
       }},
      {"s8_s8_256x56x56", Opcode::kLincomb,
       [](auto& c) {
         const Shape shape = Dims({1, 256, 56, 56});
         const LincombAttrs attrs = {
             .multipliers = {40000, 50000}, .zero_points = {3, -7}, .shift = 16, .lo = -128, .hi = 127};
         return Attempt{{c.draft.AddParam({shape, kS8}), c.draft.AddParam({shape, kS8})}, Pack(attrs)};
       }},
      {"s8_s8_30bit_256x56x56", Opcode::kLincomb,
       [](auto& c) {
         const Shape shape = Dims({1, 256, 56, 56});
         const LincombAttrs attrs = {
             .multipliers = {1 << 30, 1 << 29}, .zero_points = {3, -7}, .shift = 31, .lo = -128, .hi = 127};
         return Attempt{{c.draft.AddParam({shape, kS8}), c.draft.AddParam({shape, kS8})}, Pack(attrs)};
       }},
      {"s8_64x112x112", Opcode::kRelu,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 112, 112}), kS8})}, Attributes{}};
       }},
      {"s8_s8_256x56x56", Opcode::kElemwiseAdd,
       [](auto& c) {
         return Pair(c, Dims({1, 256, 56, 56}), Dims({1, 256, 56, 56}));
       }},
      {"s8_s8_128x3072_by_row", Opcode::kBroadcastAdd,
       [](auto& c) {
         return Pair(c, Dims({128, 3072}), Dims({3072}));
       }},
      {"s8_s8_64x56x56_by_channel", Opcode::kBroadcastMul,
       [](auto& c) {
         return Pair(c, Dims({1, 64, 56, 56}), Dims({1, 64, 1, 1}));
       }},
      {"s8_s8_128x3072", Opcode::kTable,
       [](auto& c) {
         std::vector<int64_t> table(256);
         for (int64_t i = 0; i < 256; ++i) table[i] = 127 - i;
         return Attempt{{c.draft.AddParam({Dims({128, 3072}), kS8}), List(c, table)},
                        Pack(TableAttrs{.offset = -128})};
       }},
      {"s8_s16_128x3072", Opcode::kTable,
       [](auto& c) {
         std::vector<int64_t> table(256);
         for (int64_t i = 0; i < 256; ++i) table[i] = i * 100 - 12000;
         return Attempt{{c.draft.AddParam({Dims({128, 3072}), kS8}), List(c, table)},
                        Pack(TableAttrs{.offset = -128})};
       }},
      {"3x3s2_64x112x112", Opcode::kMaxPool,
       [](auto& c) {
         const PoolAttrs attrs = {{3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}};
         return Attempt{{c.draft.AddParam({Dims({1, 64, 112, 112}), kS8})}, Pack(attrs)};
       }},
      {"global_2048x7x7", Opcode::kAveragePool,
       [](auto& c) {
         AveragePoolAttrs attrs;
         attrs.kernel = {7, 7};
         attrs.stride = attrs.dilation = {1, 1};
         attrs.pad_begin = attrs.pad_end = {0, 0};
         attrs.lo = -128;
         attrs.hi = 127;
         return Attempt{{c.draft.AddParam({Dims({1, 2048, 7, 7}), kS8})}, Pack(attrs)};
       }},
      {"spatial_2048x7x7", Opcode::kReduce,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 2048, 7, 7}), kS8})}, Pack(ReduceAttrs{.axes = {2, 3}})};
       }},
      {"s8_q7_12x128x128", Opcode::kSoftmax,
       [](auto& c) {
         const SoftmaxAttrs attrs = {.axis = -1, .bits = 7, .lo = 0, .hi = 127};
         return Attempt{{c.draft.AddParam({Dims({1, 12, 128, 128}), kS8}), List(c, Exponentials(256))},
                        Pack(attrs)};
       }},
      {"s16_q15_12x128x128", Opcode::kSoftmax,
       [](auto& c) {
         const SoftmaxAttrs attrs = {.axis = -1, .bits = 15, .lo = 0, .hi = 32767};
         std::vector<int64_t> table(8192);
         for (int64_t i = 0; i < 8192; ++i) table[i] = (int64_t{1} << 30) / (i * i / 64 + 1);
         return Attempt{{c.draft.AddParam({Dims({1, 12, 128, 128}), {-3000, 3000}}), List(c, table)},
                        Pack(attrs)};
       }},
      {"s16_s8_long_shift_128x768", Opcode::kLayerNorm,
       [](auto& c) {
         LayerNormAttrs attrs;
         attrs.guard = 0;
         return Normalized(c, attrs, 30000000, int64_t{1} << 44, 45);
       }},
      {"s16_s8_128x768", Opcode::kLayerNorm,
       [](auto& c) {
         LayerNormAttrs attrs;
         attrs.guard = 0;
         return Normalized(c, attrs, 9000, 100000, 28);
       }},
      {"s8_nchw_to_nhwc_64x56x56", Opcode::kTranspose,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 56, 56}), kS8})}, Pack(TransposeAttrs{{0, 2, 3, 1}})};
       }},
      {"s8_heads_128x12x64", Opcode::kTranspose,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({128, 12, 64}), kS8})}, Pack(TransposeAttrs{{1, 0, 2}})};
       }},
      {"s16_128x768", Opcode::kTranspose,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({128, 768}), kS16})}, Pack(TransposeAttrs{{1, 0}})};
       }},
      {"s8_1x1_64x56x56", Opcode::kPad,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 56, 56}), kS8})},
                        Pack(PadAttrs{{0, 0, 1, 1}, {0, 0, 1, 1}})};
       }},
      {"s8_by2_64x56x56", Opcode::kUpsampling,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 56, 56}), kS8})}, Pack(UpsamplingAttrs{.scale = 2})};
       }},
      {"s8_rows_64x56x56", Opcode::kResample,
       [](auto& c) {
         return Doubled(c, Dims({1, 64, 56, 56}), 2);
       }},
      {"s8_columns_64x56x56", Opcode::kResample,
       [](auto& c) {
         return Doubled(c, Dims({1, 64, 56, 56}), 3);
       }},
      {"s8_bilinear_64x56x56", Opcode::kGridSample,
       [](auto& c) {
         const GridSampleAttrs attrs = {.fraction = 12};
         return Attempt{{c.draft.AddParam({Dims({1, 64, 56, 56}), kS8}),
                         c.draft.AddParam({Dims({1, 56, 56, 2}), {-4096, 4096}})},
                        Pack(attrs)};
       }},
      {"s8_100_of_14x14_64x50x50", Opcode::kCropResize,
       [](auto& c) {
         CropResizeAttrs attrs;
         attrs.size = {14, 14};
         attrs.fraction = 4;
         return Attempt{Regions(c, Dims({1, 64, 50, 50}), 100), Pack(attrs)};
       }},
      {"s8_100_of_7x7_256x50x50", Opcode::kRoiAlign,
       [](auto& c) {
         RoiAlignAttrs attrs;
         attrs.pooled_size = {7, 7};
         attrs.fraction = 4;
         attrs.sampling_ratio = 2;
         return Attempt{Regions(c, Dims({1, 256, 50, 50}), 100), Pack(attrs)};
       }},
      {"s8_100_of_7x7_256x50x50", Opcode::kRoiMaxPool,
       [](auto& c) {
         RoiAttrs attrs;
         attrs.pooled_size = {7, 7};
         attrs.fraction = 4;
         return Attempt{Regions(c, Dims({1, 256, 50, 50}), 100), Pack(attrs)};
       }},
      {"s8_2x2s2_64x112x112", Opcode::kMaxPoolIndices,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 112, 112}), kS8})}, Pack(SquareWindows(2, 2, 0))};
       }},
      {"s8_3x3s2_64x112x112", Opcode::kMaxPool2d,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 64, 112, 112}), kS8})},
                        Pack(MaxPool2dAttrs{{3, 3}, {2, 2}, {1}})};
       }},
      {"3x3s1_256x28x28", Opcode::kAveragePool,
       [](auto& c) {
         const PoolAttrs windows = SquareWindows(3, 1, 1);
         AveragePoolAttrs attrs = {windows.kernel, windows.stride, windows.dilation, windows.pad_begin,
                                   windows.pad_end};
         attrs.lo = -128;
         attrs.hi = 127;
         return Attempt{{c.draft.AddParam({Dims({1, 256, 28, 28}), kS8})}, Pack(attrs)};
       }},
      {"s8_of_5_96x55x55", Opcode::kLocalResponseNorm,
       [](auto& c) {
         LocalResponseNormAttrs attrs;
         attrs.before = attrs.after = {2};
         attrs.alpha = 100;
         attrs.bias = 1 << 20;
         attrs.shift = 30;
         attrs.lo = -128;
         attrs.hi = 127;
         std::vector<int64_t> mantissas(1025), exponents(62);
         for (int64_t i = 0; i < 1025; ++i) mantissas[i] = (int64_t{1} << 31) - i * 800000;
         for (int64_t i = 0; i < 62; ++i) exponents[i] = int64_t{1} << (31 - i / 2);
         return Attempt{
             {c.draft.AddParam({Dims({1, 96, 55, 55}), kS8}), List(c, mantissas), List(c, exponents)},
             Pack(attrs)};
       }},
      {"s32_s16_128x768", Opcode::kNormalizedTable,
       [](auto& c) {
         NormalizedTableAttrs attrs;
         attrs.shift = 30;
         attrs.lo = -32768;
         attrs.hi = 32767;
         std::vector<int64_t> mantissas(1025), exponents(47);
         for (int64_t i = 0; i < 1025; ++i) mantissas[i] = (1 << 30) + i * 1000000;
         for (int64_t i = 0; i < 47; ++i) exponents[i] = 1 << i / 4;
         return Attempt{
             {c.draft.AddParam({Dims({128, 768}), {1, 1 << 30}}), List(c, mantissas), List(c, exponents)},
             Pack(attrs)};
       }},
      {"s16_s16_65536_entries_128x3072", Opcode::kTable,
       [](auto& c) {
         std::vector<int64_t> table(65536);
         for (int64_t i = 0; i < 65536; ++i) table[i] = 32767 - i;
         return Attempt{{c.draft.AddParam({Dims({128, 3072}), kS16}), List(c, table)},
                        Pack(TableAttrs{.offset = -32768})};
       }},
      {"s8_s8_4096_entries_128x3072", Opcode::kTable,
       [](auto& c) {
         std::vector<int64_t> table(4096);
         for (int64_t i = 0; i < 4096; ++i) table[i] = i / 16 - 128;
         return Attempt{{c.draft.AddParam({Dims({128, 3072}), {-2048, 2047}}), List(c, table)},
                        Pack(TableAttrs{.offset = -2048})};
       }},
      {"s16_128x1000", Opcode::kLogSoftmax,
       [](auto& c) {
         LogSoftmaxAttrs attrs;
         attrs.multiplier = 1 << 20;
         attrs.shift = 24;
         attrs.lo = -32768;
         attrs.hi = 32767;
         std::vector<int64_t> logarithms(1025);
         for (int64_t i = 0; i < 1025; ++i) logarithms[i] = i << 20;
         return Attempt{{c.draft.AddParam({Dims({128, 1000}), {-3000, 3000}}), List(c, Exponentials(4096)),
                         List(c, logarithms)},
                        Pack(attrs)};
       }},
      {"s16_s8_128x768", Opcode::kRmsNorm,
       [](auto& c) { return Normalized(c, RmsNormAttrs(), 9000, 100000, 28); }},
      {"s8_128_rows_of_768", Opcode::kTake,
       [](auto& c) {
         return Attempt{
             {c.draft.AddParam({Dims({4096, 768}), kS8}), c.draft.AddParam({Dims({128}), {0, 4095}})},
             Pack(TakeAttrs{{0}})};
       }},
      {"s8_128x3072", Opcode::kGatherElements,
       [](auto& c) {
         const Shape shape = Dims({128, 3072});
         return Attempt{{c.draft.AddParam({shape, kS8}), c.draft.AddParam({shape, {0, 3071}})},
                        Pack(GatherAttrs{.axis = 1})};
       }},
      {"s8_128x3072", Opcode::kScatterElements,
       [](auto& c) {
         const Shape shape = Dims({128, 3072});
         return Attempt{{c.draft.AddParam({shape, kS8}), c.draft.AddParam({shape, {0, 3071}}),
                         c.draft.AddParam({shape, kS8})},
                        Pack(ScatterAttrs{.axis = 1})};
       }},
      {"s8_512_rows_of_768", Opcode::kScatterNd,
       [](auto& c) {
         return Attempt{
             {c.draft.AddParam({Dims({4096, 768}), kS8}), c.draft.AddParam({Dims({512, 1}), {0, 4095}}),
              c.draft.AddParam({Dims({512, 768}), kS8})},
             Pack(ScatterNdAttrs{})};
       }},
      {"s16_64x8192", Opcode::kSort,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({64, 8192}), kS16})}, Pack(SortAttrs{.axis = 1})};
       }},
      {"s16_1000_of_100000", Opcode::kTopK,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({100000}), kS16})}, Pack(TopKAttrs{.k = 1000})};
       }},
      {"s8_5_of_1000_128_lines", Opcode::kTopK,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({128, 1000}), kS8})}, Pack(TopKAttrs{.k = 5, .axis = 1})};
       }},
      {"s32_25200x6", Opcode::kGetValidCounts,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 25200, 6}), {-100000, 100000}})},
                        Pack(GetValidCountsAttrs{.score_threshold = 50000})};
       }},
      {"s32_1000x6", Opcode::kNonMaxSuppression,
       [](auto& c) {
         return Attempt{{c.draft.AddParam({Dims({1, 1000, 6}), {0, 100000}}), List(c, {1000})},
                        Pack(NonMaxSuppressionAttrs{.force_suppress = true})};
       }},
      {"s8_12x128x64", Opcode::kScaledDotProductAttention,
       [](auto& c) {
         ScaledDotProductAttentionAttrs attrs;
         attrs.logit_multiplier = 1 << 20;
         attrs.logit_shift = 24;
         attrs.lo = -128;
         attrs.hi = 127;
         const TensorType x = {Dims({1, 12, 128, 64}), kS8};
         return Attempt{
             {c.draft.AddParam(x), c.draft.AddParam(x), c.draft.AddParam(x), List(c, Exponentials(4096))},
             Pack(attrs)};
       }},
  };
  return cases;
}

std::shared_ptr<DrawnCall> CallOfCase(const KernelCase& given) {
  const std::vector<uint8_t> noise = NoiseBytes(7, 4096);
  EntropySource e(noise);
  ModuleDraft draft(Profile::kCore, {.max_elements = 1 << 26, .max_gas = int64_t{1} << 40, .max_depth = 0});
  CallContext context = {InfoOf(given.op), draft, e};
  const Attempt attempt = given.shape(context);
  const auto result = static_cast<DraftId>(draft.mark().values);
  if (!draft.TryEmit(given.op, attempt.operands, *attempt.attributes)) return nullptr;
  auto call = CallOf(draft, {result}, e);
  return call.has_value() ? std::make_shared<DrawnCall>(*std::move(call)) : nullptr;
}

}  // namespace tally
