// Convolutions and matrix products with everything that the cpu engine fuses into them, of random shapes,
// against the reference: on every level of instructions that this machine has, and on 1, 2, 3 and 8 threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "base/aligned_vector.h"
#include "base/cpu_flags.h"
#include "base/testing/random_source.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/testing/test_devices.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

class Source : public RandomSource {
 public:
  explicit Source(uint64_t seed, bool wide = false)
      : RandomSource(seed), wide_(wide), tight_(!wide && OneIn(8)), falls_(OneIn(2)) {}

  // Sizes around the tiles of kernels: 14, 16, 32, 64 and their neighbours, and small ones.
  int64_t Size(int64_t most) {
    const int64_t tiles[] = {14, 16, 32, 64};
    const int64_t size = OneIn(2) ? Between(1, 9) : tiles[Between(0, 3)] + Between(-1, 1);
    return std::min(size, most);
  }
  // Every element, or only the ends of the range.
  Tensor Values(const Shape& shape, const Interval& range) {
    return *Tensor::FromValues(shape, ValuesOrEnds(shape.num_elements(), range, 4));
  }
  Interval Range() {
    if (wide_) return WideRange();
    if (tight_) return {-3, 90};
    switch (Between(0, 5)) {
      case 0: return {0, 255};
      case 1: return {-3, 90};
      case 2: return {-32768, 32767};
      case 3: return {1000, 1255};
      default: return {-128, 127};
    }
  }
  // The interval of weights: bytes, and one time in `n` more.
  Interval Weights(int n) {
    if (wide_) return WideRange();
    if (tight_) return falls_ ? Interval{-128, -100} : Interval{100, 127};
    return OneIn(n) ? Interval{-300, 300} : Interval{-128, 127};
  }
  // The interval of biases. Tight ones leave less of the 32 bits than weights of one sign take when a zero
  // point joins the bias.
  Interval Biases() {
    constexpr Interval kI32 = RangeOf(Storage::kI32);
    if (!tight_) return {-100000, 100000};
    return falls_ ? Interval{kI32.hi - (1 << 18), kI32.hi - (1 << 17)}
                  : Interval{kI32.lo + (1 << 17), kI32.lo + (1 << 18)};
  }
  // Zero points at the ends of a range, and where `near` says.
  int64_t Zero(const Interval& range, const Interval& near) {
    if (!wide_) return Between(near.lo, near.hi);
    return OneIn(2)   ? (OneIn(2) ? range.lo : range.hi)
           : OneIn(2) ? Between(-40000, 40000)
                      : Between(-900, 900);
  }

 private:
  // Sums of few products leave 32 bits; pairs of -2^15 have exactly 2^31.
  Interval WideRange() {
    switch (Between(0, 7)) {
      case 0: return {-32768, -32768};
      case 1: return {-32768, -32700};
      case 2: return {0, 65535};
      case 3: return OneIn(2) ? Interval{-100000, 100000} : RangeOf(Storage::kI32);
      case 4: return {-128, 127};
      default: return {-32768, 32767};
    }
  }

  bool wide_, tight_, falls_;
};

Shape Dims(std::vector<int64_t> dims) { return *Shape::Create(dims); }

// A module with one fusion group, or nothing where the draw is no valid module (a kernel larger than its
// image, say).
class FusionWriter {
 public:
  FusionWriter(uint64_t seed, bool wide) : source_(seed, wide), b_(Profile::kCore) {}

  Module Write() {
    if (source_.OneIn(8)) {
      b_.Result("y", Concat());
      return std::move(b_).Build();
    }
    if (source_.OneIn(3)) {
      WriteMatmul();
    } else if (source_.OneIn(4)) {
      WriteDense();
    } else {
      WriteConvolution();
    }
    if (is_one_pixel() && source_.OneIn(2)) Flatten();
    if (channel_axis_ == shape_.rank() - 1 && source_.OneIn(2)) AddConstant();
    if (source_.OneIn(2)) {  // in the plan's memory, which y may take; but not where it is read once more
      residual_ = b_.Op(Opcode::kNegative, {residual_});
      if (source_.OneIn(3)) b_.Result("r", residual_);
    }
    b_.Result("y", Tail());
    if (source_.OneIn(5)) b_.Result("again", b_.Op(Opcode::kNegative, {residual_}));
    return std::move(b_).Build();
  }

 private:
  void WriteMatmul() {
    const int64_t m = source_.Size(64), k = source_.Size(200), n = source_.Size(100),
                  batch = source_.Between(1, 3);
    const bool constant = source_.OneIn(2), transposed = source_.OneIn(2);
    const Interval x = source_.Range(), w = source_.Weights(4);
    const Shape b_shape = constant ? (transposed ? Dims({n, k}) : Dims({k, n}))
                                   : (transposed ? Dims({batch, n, k}) : Dims({batch, k, n}));
    const ValueId a = b_.Param("a", {Dims({batch, m, k}), x});
    shape_ = Dims({batch, m, n});
    residual_ = b_.Param("r", {shape_, source_.OneIn(2) ? Interval{-128, 127} : Interval{-20000, 20000}});
    ValueId b = 0;
    if (!constant) b = b_.Param("b", {b_shape, w});
    if (constant) b = b_.Constant(source_.Values(b_shape, w));
    const MatmulAttrs attrs = {.transpose_b = transposed,
                               .zero_a = source_.OneIn(2) ? source_.Zero(x, x) : 0,
                               .zero_b = source_.OneIn(4) ? source_.Zero(w, {-2, 2}) : 0};
    y_ = b_.Op(Opcode::kMatmul, {a, b}, attrs);
    channel_axis_ = 2;
  }

  void WriteDense() {
    const int64_t rows = source_.Size(64), inputs = source_.Size(200), units = source_.Size(100);
    const ValueId x = b_.Param("x", {Dims({rows, inputs}), {-128, 127}});
    shape_ = Dims({rows, units});
    residual_ = b_.Param("r", {shape_, {-128, 127}});
    const ValueId w = b_.Constant(source_.Values(Dims({units, inputs}), {-128, 127}));
    const ValueId bias = b_.Constant(source_.Values(Dims({units}), source_.Biases()));
    y_ = b_.Op(Opcode::kDense,
               source_.OneIn(2) ? std::vector<ValueId>{x, w, bias} : std::vector<ValueId>{x, w});
    channel_axis_ = 1;
  }

  void WriteConvolution() {
    const int axes = static_cast<int>(source_.Between(1, 3));
    const bool transposed = source_.OneIn(4), depthwise = source_.OneIn(3), one_pixel = source_.OneIn(6);
    const int64_t groups = depthwise ? source_.Size(70) : source_.OneIn(4) ? source_.Between(1, 3) : 1;
    const int64_t ic = depthwise ? 1 : source_.Size(axes == 3 ? 20 : 70),
                  oc = depthwise ? 1 : source_.Size(70);
    std::vector<int64_t> x_dims = {source_.Between(1, 2), ic * groups}, w_dims = {oc * groups, ic};
    std::vector<int64_t> y_dims = {x_dims[0], oc * groups};
    if (transposed) w_dims = {ic * groups, oc};
    ConvolutionAttrs attrs = {.groups = groups};
    std::vector<int64_t> output_padding;
    for (int i = 0; i < axes; ++i) {
      // Such an axis is one that is missing, but for its end.
      const bool flat = axes == 3 && i == 0 && source_.OneIn(2);
      const int64_t kernel = flat ? 1 : source_.Between(1, axes == 3 ? 2 : 5);
      const int64_t stride = transposed && source_.OneIn(2) ? 1 : source_.Between(1, 3);
      const int64_t dilation = source_.Between(1, 2), extent = dilation * (kernel - 1) + 1;
      const int64_t most = axes == 1 ? 60 : axes == 2 ? 17 : 4;
      const int64_t size = flat || (one_pixel && transposed) ? 1
                           : one_pixel                       ? extent
                                                             : extent + source_.Between(0, most);
      output_padding.push_back(source_.Between(0, stride - 1));
      // The sizes of a transposed convolution: what may be cut. It may be more than the kernel reaches beyond
      // x.
      const int64_t whole = (size - 1) * stride + extent + output_padding.back();
      int64_t begin = source_.Between(0, 2), end = source_.Between(0, 2);
      if (one_pixel) begin = end = 0;
      if (transposed) {
        begin = source_.Between(0, std::min<int64_t>(6, whole - 1));
        end = one_pixel ? whole - 1 - begin : source_.Between(0, std::min<int64_t>(2, whole - 1 - begin));
      }
      x_dims.push_back(size);
      w_dims.push_back(kernel);
      y_dims.push_back(transposed ? whole - begin - end : (size + begin + end - extent) / stride + 1);
      attrs.stride.push_back(stride);
      attrs.dilation.push_back(dilation);
      attrs.pad_begin.push_back(begin);
      attrs.pad_end.push_back(end);
    }
    const Interval x = source_.Range(), w = source_.Weights(6);
    attrs.zero_x = source_.OneIn(2) ? source_.Zero(x, x) : 0;
    attrs.zero_w = source_.OneIn(5) ? source_.Zero(w, {-1, 3}) : 0;
    shape_ = Dims(y_dims);
    const ValueId image = b_.Param("x", {Dims(x_dims), x});
    residual_ = b_.Param("r", {shape_, source_.OneIn(2) ? Interval{-128, 127} : Interval{-20000, 20000}});
    std::vector<ValueId> operands = {image, b_.Constant(source_.Values(Dims(w_dims), w))};
    if (source_.OneIn(2))
      operands.push_back(b_.Constant(source_.Values(Dims({oc * groups}), source_.Biases())));
    if (transposed) {
      y_ = b_.Op(Opcode::kConvTranspose, operands,
                 ConvTransposeAttrs{.stride = attrs.stride,
                                    .dilation = attrs.dilation,
                                    .pad_begin = attrs.pad_begin,
                                    .pad_end = attrs.pad_end,
                                    .output_padding = output_padding,
                                    .groups = groups,
                                    .zero_x = attrs.zero_x,
                                    .zero_w = attrs.zero_w});
    } else {
      y_ = b_.Op(Opcode::kConvolution, operands, attrs);
    }
    channel_axis_ = 1;
  }

  // Convolutions of one image, each channel by itself among them, whose results are joined by channels.
  ValueId Concat() {
    const int64_t channels = source_.Size(70), lines = source_.Size(16), columns = source_.Size(16);
    const ValueId x =
        b_.Param("x", {Dims({source_.Between(1, 2), channels, lines, columns}), source_.Range()});
    const bool to_bytes = !source_.OneIn(3);
    const auto one = [&](int64_t v) { return b_.Constant(*Tensor::FromValues(Dims({1}), {v})); };
    std::vector<ValueId> parts;
    for (int64_t left = source_.Between(2, 3); left > 0; --left) {
      const bool depthwise = source_.OneIn(2), transposed = source_.OneIn(2);
      const int64_t kernel = source_.OneIn(2) ? 1 : 3, units = depthwise ? 1 : source_.Size(40);
      const std::vector<int64_t> pad(2, kernel / 2), ones(2, 1);
      const std::vector<int64_t> dims = depthwise || transposed
                                            ? std::vector{channels, units, kernel, kernel}
                                            : std::vector{units, channels, kernel, kernel};
      const ValueId w = b_.Constant(source_.Values(Dims(dims), source_.Weights(6)));
      const int64_t groups = depthwise ? channels : 1;
      ValueId y = transposed ? b_.Op(Opcode::kConvTranspose, {x, w},
                                     ConvTransposeAttrs{.stride = ones,
                                                        .dilation = ones,
                                                        .pad_begin = pad,
                                                        .pad_end = pad,
                                                        .output_padding = {0, 0},
                                                        .groups = groups})
                             : b_.Op(Opcode::kConvolution, {x, w},
                                     ConvolutionAttrs{.stride = ones,
                                                      .dilation = ones,
                                                      .pad_begin = pad,
                                                      .pad_end = pad,
                                                      .groups = groups});
      if (to_bytes) {
        y = b_.Op(Opcode::kRescale, {y, one(1 << 30), one(0), one(source_.Between(36, 42))},
                  RescaleAttrs{.lo = -128, .hi = 127});
      }
      parts.push_back(y);
    }
    return b_.Op(Opcode::kConcatenate, parts, ConcatenateAttrs{.axis = source_.OneIn(2) ? 1 : -3});
  }

  bool is_one_pixel() const {
    const auto pixels = shape_.dims().subspan(channel_axis_ + 1);
    return !pixels.empty() && std::ranges::all_of(pixels, [](int64_t dim) { return dim == 1; });
  }

  // A convolution of one pixel is a layer of vectors.
  void Flatten() {
    std::vector<int64_t> dims = {shape_[0], shape_[1]};
    if (source_.OneIn(3)) dims.insert(dims.begin() + source_.Between(0, 1), 1);
    channel_axis_ = static_cast<int>(dims.size()) - 1;
    shape_ = Dims(dims);
    y_ = b_.Op(Opcode::kReshape, {y_}, ReshapeAttrs{.shape = dims});
    residual_ = b_.Op(Opcode::kReshape, {residual_}, ReshapeAttrs{.shape = dims});
  }

  // As exporters write the bias of a layer of vectors; now and then it is wide.
  void AddConstant() {
    const Interval wide = {-(int64_t{1} << 33), int64_t{1} << 33};
    const int64_t columns = shape_[channel_axis_];
    const Shape shape = source_.OneIn(2) ? Dims({columns}) : Dims({1, columns});
    const ValueId bias = b_.Constant(source_.Values(shape, source_.OneIn(6) ? wide : source_.Biases()));
    y_ = b_.Op(Opcode::kBroadcastAdd, source_.OneIn(2) ? std::vector{y_, bias} : std::vector{bias, y_});
  }

  // The instructions that a quantizer writes after a sum, or some of them.
  ValueId Tail() {
    if (source_.OneIn(8)) return y_;
    const bool i16 = source_.OneIn(4);
    const Interval clamp = i16 ? Interval{-20000, 20000} : Interval{-128, source_.OneIn(3) ? 100 : 127};
    const int64_t channels = source_.OneIn(3) ? 1 : shape_[channel_axis_];
    const bool low_shifts = source_.OneIn(3);
    std::vector<int64_t> m(channels), b(channels), s(channels);
    for (int64_t c = 0; c < channels; ++c) {
      s[c] = low_shifts ? source_.Between(0, 40) : source_.Between(32, 45);
      m[c] =
          low_shifts && s[c] < 20 ? source_.Between(-3, 3) : source_.Between(1 << 28, (int64_t{1} << 31) - 1);
      b[c] = source_.OneIn(2) ? 0 : source_.Between(-(int64_t{1} << 40), int64_t{1} << 40);
    }
    const Shape list = Dims({channels});
    const auto constant = [&](const std::vector<int64_t>& v) {
      return b_.Constant(*Tensor::FromValues(list, v));
    };
    const RescaleAttrs attrs = {.axis = channel_axis_,
                                .zero_in = source_.OneIn(3) ? source_.Between(-5, 5) : 0,
                                .zero_out = source_.Between(-10, 10),
                                .lo = clamp.lo,
                                .hi = clamp.hi,
                                .rounding = source_.OneIn(4)   ? Rounding::kHalfEven
                                            : source_.OneIn(3) ? Rounding::kFloor
                                                               : Rounding::kHalfUp};
    ValueId y = b_.Op(Opcode::kRescale, {y_, constant(m), constant(b), constant(s)}, attrs);
    if (source_.OneIn(6)) y = b_.Op(Opcode::kRelu, {y});
    if (source_.OneIn(4)) {
      y = b_.Op(Opcode::kBroadcastAdd, {y, residual_});
      const auto one = [&](int64_t v) { return b_.Constant(*Tensor::FromValues(Dims({1}), {v})); };
      if (source_.OneIn(2)) {
        const RescaleAttrs sum = {
            .zero_in = source_.Between(-9, 9), .zero_out = source_.Between(-9, 9), .lo = -127, .hi = 127};
        const bool power = source_.OneIn(2);
        y = b_.Op(Opcode::kRescale,
                  {y, one(power ? 1 : source_.Between(1 << 28, 1 << 30)), one(source_.Between(-99, 99)),
                   one(power ? source_.Between(0, 6) : source_.Between(29, 36))},
                  sum);
      }
    } else if (source_.OneIn(2)) {
      const bool first = source_.OneIn(2);
      const LincombAttrs sum = {.multipliers = {source_.Between(-(int64_t{1} << 30), (int64_t{1} << 31) - 1),
                                                source_.Between(1, 1 << 30)},
                                .zero_points = {source_.Between(-9, 9), source_.Between(-9, 9)},
                                .bias = source_.Between(-1000, 1000),
                                .shift = source_.OneIn(3) ? source_.Between(0, 15) : source_.Between(28, 40),
                                .rounding = source_.OneIn(3) ? Rounding::kFloor : Rounding::kHalfUp,
                                .zero_out = source_.Between(-9, 9),
                                .lo = -128,
                                .hi = 127};
      y = b_.Op(Opcode::kLincomb,
                first ? std::vector<ValueId>{y, residual_} : std::vector<ValueId>{residual_, y}, sum);
    }
    if (source_.OneIn(3)) y = b_.Op(Opcode::kRelu, {y});
    if (source_.OneIn(4)) y = b_.Op(Opcode::kClip, {y}, ClipAttrs{.a_min = -50, .a_max = 77});
    if (source_.OneIn(3)) {
      const ValueId table = b_.Constant(source_.Values(Dims({256}), {-128, 127}));
      y = b_.Op(Opcode::kTable, {y, table}, TableAttrs{.offset = source_.OneIn(2) ? -128 : -100});
    }
    return y;
  }

  Source source_;
  ModuleBuilder b_;
  Shape shape_;
  ValueId y_ = 0, residual_ = 0;
  int channel_axis_ = 1;
};

struct FusionRuns {
  int fusions = 0;
  std::map<std::string, int> kernels;  // how often each one ran
};

constexpr int64_t kQuickGas = 1 << 20;

// Runs the fusion groups of seeds 1 to `seeds`, on every level of instructions.
void RunFusions(uint64_t seeds, bool wide, FusionRuns& runs) {
  const std::vector<std::string_view> levels = CpuLevelsOf(DetectCpuFlags());
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    auto valid = Validate(FusionWriter(seed, wide).Write());
    if (!valid.ok()) continue;  // a draw that is no module: too wide somewhere
    const auto module = std::make_shared<const ValidModule>(*std::move(valid));
    Source source(seed + 1000000);
    std::vector<Tensor> inputs;
    std::vector<TensorView> views;
    for (const TensorType& type : module->entry().params)
      inputs.push_back(source.Values(type.shape, type.interval));
    for (const Tensor& input : inputs) views.push_back(input.view());
    const auto expected = (*MakePlan("reference", module))->Execute(views, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const std::string_view level : levels) {
      const int threads[] = {1, 2, 3, 8};
      const auto plan = *MakePlan("cpu", module, {.threads = threads[seed % 4], .level = level});
      for (const std::string& kernel : plan->kernels()) ++runs.kernels[kernel];
      // Half of them where memory of the caller stands for the arena: exactly as large as the values.
      std::vector<AlignedVector<uint8_t>> inputs_in_place, memory;
      std::vector<TensorView> in_place = views;
      std::vector<std::span<uint8_t>> results;
      for (TensorView& view : in_place) {
        view.bytes = inputs_in_place.emplace_back(view.bytes.begin(), view.bytes.end());
      }
      for (const Tensor& result : expected->results) {
        results.emplace_back(memory.emplace_back(result.bytes().size()));
      }
      // Observed, a run fuses nothing: on one level of each seed.
      ExecuteOptions observed;
      observed.observer = [](std::span<const CallSite>, ValueId, const TensorView&) {};
      const bool both = level == levels[seed % levels.size()];
      for (const ExecuteOptions& options : {ExecuteOptions(), both ? observed : ExecuteOptions()}) {
        const absl::Status status = plan->ExecuteInto(seed % 2 == 0 ? views : in_place, results, options);
        ASSERT_TRUE(status.ok()) << status;
        for (size_t r = 0; r < expected->results.size(); ++r) {
          ASSERT_TRUE(std::ranges::equal(results[r], expected->results[r].bytes()))
              << "seed " << seed << ", " << level << ", " << threads[seed % 4] << " threads"
              << (options.observer ? ", observed: " : ": ") << testing::PrintToString(plan->kernels());
        }
      }
    }
    // An emulated GPU is slow: the large ones run there now and then.
    for (const auto& device : cuda::TestDevices()) {
      if (module->gas() > kQuickGas && seed % 16 != 0) break;
      const auto plan = MakeCudaPlan(module, device);
      ASSERT_TRUE(plan.ok()) << plan.status();
      const auto outcome = (*plan)->Execute(views, {});
      ASSERT_TRUE(outcome.ok()) << "seed " << seed << ", cuda: " << outcome.status();
      for (size_t r = 0; r < expected->results.size(); ++r) {
        ASSERT_TRUE(SameValues(outcome->results[r].view(), expected->results[r].view()))
            << "seed " << seed << ", cuda: " << testing::PrintToString((*plan)->kernels());
      }
    }
    ++runs.fusions;
  }
  std::cout << runs.fusions << " fusion groups; steps that ran:\n";
  for (const auto& [name, count] : runs.kernels) std::cout << "  " << name << " " << count << "\n";
}

TEST(FusionGroups, AreTheReferenceOnEveryLevelAndNumberOfThreads) {
  FusionRuns runs;
  RunFusions(1000, false, runs);
  EXPECT_GT(runs.fusions, 900);
}

TEST(FusionGroups, BeyondThirtyTwoBitsAreTheReference) {
  FusionRuns runs;
  RunFusions(1500, true, runs);
  EXPECT_GT(runs.fusions, 700);
  for (const char* kernel : {"gemm_s16s16s64_2x8", "gemm_s32s32s64_2x8"}) {
    EXPECT_GE(runs.kernels[kernel], 50) << kernel;
  }
}

}  // namespace
}  // namespace tally
