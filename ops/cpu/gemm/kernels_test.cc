// Every kernel of kernels.inc, s64_kernels.inc, depthwise_kernels.inc and winograd_kernels.inc that this
// machine has, called directly, against the sum and the requantization as they are defined.
// //engines/cpu:fusion_execution_test runs them in plans; this needs no engine, so that it is soon built for
// another machine. With TALLY_EMULATED_ISA it has the kernels of every processor, compiled with models of
// their instructions (emulated/).
#include "ops/cpu/gemm/kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "base/int_math.h"
#include "base/rescale.h"
#include "base/testing/ran.h"
#include "base/testing/random_source.h"
#include "ops/cpu/gemm/depthwise_layouts.h"
#include "ops/cpu/gemm/pack_activation.h"
#include "ops/cpu/gemm/pack_weights.h"
#include "ops/cpu/gemm/s64_accumulation.h"

namespace tally {
namespace {

constexpr uint64_t kSeeds = 400;  // for each kernel

#if defined(TALLY_EMULATED_ISA)
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

// Any of the range, or all of them its ends.
std::vector<int64_t> Draw(RandomSource& source, int64_t count, const Interval& range) {
  return source.ValuesOrEnds(count, range, 3);
}

// Bytes in front of a page that may not be touched: what reads after them crashes, where no sanitizer is
// there too.
class BytesAtPageEnd {
 public:
  explicit BytesAtPageEnd(size_t size) : size_(size), mapped_((size + kPage - 1) / kPage * kPage + kPage) {
    void* const map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) std::abort();
    map_ = static_cast<uint8_t*>(map);
    if (mprotect(map_ + mapped_ - kPage, kPage, PROT_NONE) != 0) std::abort();
  }
  explicit BytesAtPageEnd(const std::vector<uint8_t>& bytes) : BytesAtPageEnd(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), data());
  }
  ~BytesAtPageEnd() { munmap(map_, mapped_); }
  BytesAtPageEnd(const BytesAtPageEnd&) = delete;
  BytesAtPageEnd& operator=(const BytesAtPageEnd&) = delete;

  uint8_t* data() { return map_ + mapped_ - kPage - size_; }

 private:
  static constexpr size_t kPage = 65536;  // the largest of any processor
  size_t size_, mapped_;
  uint8_t* map_;
};

std::vector<uint8_t> Stored(const std::vector<int64_t>& values, Storage storage) {
  std::vector<uint8_t> bytes(values.size() * SizeBytes(storage));
  for (size_t i = 0; i < values.size(); ++i) StoreElement(storage, bytes.data(), i, values[i]);
  return bytes;
}

// The expected results of one call's accumulators.
class Finishing {
 public:
  // `slots`: as DepthwiseLayout has them; of other kernels, the columns.
  Finishing(RandomSource& source, std::span<const int64_t> slots, int64_t columns, const Interval& acc) {
    if (source.OneIn(5)) return;
    const Storage storage = source.OneIn(3) ? Storage::kI16 : Storage::kI8;
    const Interval range = source.OneIn(3) ? Interval{-50, 77} : RangeOf(storage);
    const bool has_residual = source.OneIn(3);
    const Interval first = has_residual ? Interval{-20000, 30000} : range;
    std::optional<PackedScale> packed;
    while (!packed) {
      DrawParams(source, columns, first);
      packed = PackScale(BySlot<RescaleParams>(slots, params_, params_[0]), std::ssize(slots), acc);
    }
    if (source.OneIn(4)) UseAnyShift(*packed);
    groups_ = std::move(packed->groups);
    epilogue_ = {.scale = packed->scale,
                 .has_residual = has_residual,
                 .storage = storage,
                 .lo = static_cast<int32_t>(first.lo),
                 .hi = static_cast<int32_t>(first.hi)};
    if (has_residual) DrawResidual(source, first, range);
    if (storage == Storage::kI8 && source.OneIn(3)) table_ = Draw(source, 256, RangeOf(Storage::kI8));
    table_bytes_ = Stored(table_, Storage::kI8);
  }

  // Finishings of 64-bit accumulators: as they are, or requantized in 64 bits without more.
  static Finishing OfS64(RandomSource& source, std::span<const int64_t> slots, int64_t columns,
                         const Interval& acc, bool scaled) {
    Finishing f;
    f.epilogue_.storage = Storage::kI64;
    if (!scaled) return f;
    constexpr Storage kStorages[] = {Storage::kI8, Storage::kI16, Storage::kI32, Storage::kI64};
    f.epilogue_.storage = kStorages[source.Between(0, 3)];
    const Interval range = RangeOf(std::min(f.epilogue_.storage, Storage::kI32));
    std::optional<PackedScale> packed;
    while (!packed) {
      f.DrawParams(source, columns, range, 17);
      packed = PackScale(BySlot<RescaleParams>(slots, f.params_, f.params_[0]), std::ssize(slots), acc);
    }
    UseAnyShift(*packed);
    f.groups_ = std::move(packed->groups);
    f.epilogue_.scale = packed->scale;
    f.epilogue_.lo = static_cast<int32_t>(range.lo), f.epilogue_.hi = static_cast<int32_t>(range.hi);
    return f;
  }

  Storage storage() const { return epilogue_.storage; }
  Storage residual_storage() const { return epilogue_.residual.storage; }
  // Lives as long as this.
  Epilogue epilogue() const {
    Epilogue e = epilogue_;
    e.groups = groups_.data();
    if (!table_.empty()) e.table = reinterpret_cast<const int8_t*>(table_bytes_.data());
    return e;
  }
  int64_t Of(int64_t column, int64_t sum, int64_t residual) const {
    if (params_.empty()) return sum;
    int64_t y = Rescale<int64_t>(sum, params_[column]);
    const ResidualScale& r = epilogue_.residual;
    if (epilogue_.has_residual) {
      const int64_t products = y * r.y_multiplier + residual * r.r_multiplier + r.addend;
      y = std::clamp<int64_t>(FloorShift(products, r.shift), r.lo, r.hi);
    }
    return table_.empty() ? y : table_[y + 128];
  }

 private:
  Finishing() = default;

  void DrawParams(RandomSource& source, int64_t columns, const Interval& clamp, int most_bits = 31) {
    params_.clear();
    const bool is_short = most_bits >= 31 && source.OneIn(2);  // as quantizers write them
    const int shift = static_cast<int>(source.Between(0, 50));
    const Rounding rounding = source.OneIn(3) ? Rounding::kFloor : Rounding::kHalfUp;
    const auto zero_out = static_cast<int32_t>(source.Between(-9, 9));
    for (int64_t n = 0; n < columns; ++n) {
      const int64_t most = (int64_t{1} << (is_short ? 15 : source.Between(8, most_bits))) - 1;
      const bool is_negative = !is_short && source.OneIn(33);
      params_.push_back({.multiplier = static_cast<int32_t>(is_negative       ? -source.Between(1, 1000)
                                                            : source.OneIn(5) ? most
                                                                              : source.Between(0, most)),
                         .bias = source.OneIn(60) ? source.Between(-100000, 100000) : 0,
                         .shift = shift + static_cast<int>(source.Between(0, 3)),
                         .rounding = rounding,
                         .zero_out = zero_out,
                         .lo = clamp.lo,
                         .hi = clamp.hi});
    }
  }

  void DrawResidual(RandomSource& source, const Interval& y, const Interval& clamp) {
    const Storage storage = source.OneIn(2) ? Storage::kI8 : Storage::kI16;
    const int shift = static_cast<int>(source.Between(1, 40));
    const int64_t most = (int64_t{1} << std::min(31, shift)) - 1;
    constexpr int64_t kMostAddend = int64_t{1} << 47;  // whose high half alone fills 32 bits
    epilogue_.residual = {
        .storage = storage,
        .y_multiplier = static_cast<int32_t>(source.Between(-most, most)),
        .r_multiplier = static_cast<int32_t>(source.Between(-most, most)),
        .shift = shift,
        .lo = static_cast<int32_t>(clamp.lo),
        .hi = static_cast<int32_t>(clamp.hi),
        .addend = source.OneIn(3) ? source.Between(-kMostAddend, kMostAddend) : source.Between(0, most)};
    SplitResidual(y, RangeOf(storage), epilogue_.residual);
  }

  Epilogue epilogue_;
  std::vector<RescaleParams> params_;
  std::vector<ScaleGroup> groups_;
  std::vector<int64_t> table_;
  std::vector<uint8_t> table_bytes_;
};

// Elements whose accumulators of `terms` products, less a zero point of x, fit 30 bits.
struct Ranges {
  Interval x, w, bias = {-1000000, 1000000};

  Ranges(Element element, int64_t terms)
      : x(RangeOf(StorageOf(element))), w(RangeOf(StorageOfWeights(element))) {
    if (x == RangeOf(Storage::kI8)) return;
    const int64_t most = std::min<int64_t>(w.hi, (int64_t{1} << 30) / (terms << 16));
    w = {-most, most};
  }
};
constexpr Interval kSums = {-(int64_t{1} << 31), (int64_t{1} << 31) - 1};

// Moves the accumulators [pixels][columns] of each column to an end of 32 bits, by its bias: partial sums
// pass that end.
void MoveToEnds(RandomSource& source, std::vector<int64_t>& bias, std::vector<int64_t>& acc) {
  for (size_t n = 0; n < bias.size(); ++n) {
    Interval range = {acc[n], acc[n]};
    for (size_t i = n; i < acc.size(); i += bias.size()) range = range.Hull({acc[i], acc[i]});
    const int64_t by = source.OneIn(2) ? kSums.hi - range.hi : kSums.lo - range.lo;
    bias[n] += by;
    for (size_t i = n; i < acc.size(); i += bias.size()) acc[i] += by;
  }
}

// Elements and biases of accumulators of 64 bits: they fit 62, or 45 for a requantization to fit with them.
struct S64Ranges {
  Interval x, w, bias, acc;

  S64Ranges(Element element, int64_t terms, bool scaled) : x(RangeOf(StorageOf(element))), w(x) {
    const int64_t most = int64_t{1} << (scaled ? 44 : 61);
    acc = {-2 * most, 2 * most};
    bias = {-most, most};
    const int64_t most_w = std::min(w.hi, most / terms / (x.hi - x.lo));
    w = {std::max(w.lo, -most_w - 1), most_w};
  }
};

ConvolutionShape DrawConvolution(RandomSource& source) {
  ConvolutionShape s = {.batch = source.Between(1, 2), .channels = source.Between(1, 40)};
  s.out_channels = source.OneIn(4) ? source.Between(128, 140) : source.Between(1, 70);
  s.size = {1, source.Between(1, 6), source.Between(1, 20)};
  s.out = s.size;
  if (source.OneIn(40)) {  // deeper than what a kernel widens at once
    s.channels = source.Between(4600, 4800), s.out_channels = source.Between(1, 34);
    s.batch = s.size[1] = s.out[1] = 1, s.size[2] = s.out[2] = source.Between(1, 9);
    return s;
  }
  if (source.OneIn(2)) return s;  // a product of matrices
  for (int i = 1; i < 3; ++i) {
    s.kernel[i] = source.Between(1, 3);
    s.stride[i] = source.Between(1, 3);
    s.dilation[i] = source.OneIn(2) ? 1 : source.Between(2, 5);  // with gaps between the lines that are read
    s.pad_begin[i] = source.Between(0, 1);
    const int64_t window = s.dilation[i] * (s.kernel[i] - 1) + 1;
    s.out[i] = std::max<int64_t>(s.size[i] + s.pad_begin[i] + 2 - window, 0) / s.stride[i] + 1;
  }
  return s;
}

// Element (n, line, column, channel) of x [N, lines, columns, C], or the zero point outside of it.
int64_t At(std::span<const int64_t> x, const std::array<int64_t, 4>& dims, const std::array<int64_t, 4>& at,
           int64_t zero) {
  int64_t index = 0;
  for (int i = 0; i < 4; ++i) {
    if (at[i] < 0 || at[i] >= dims[i]) return zero;
    index = index * dims[i] + at[i];
  }
  return x[index];
}

// x [N, lines, columns, C] as [N, C, lines, columns].
std::vector<int64_t> InPlanes(std::span<const int64_t> x, const std::array<int64_t, 4>& dims) {
  const int64_t lines = dims[1], columns = dims[2], channels = dims[3];
  std::vector<int64_t> planes;
  for (int64_t i = 0; i < std::ssize(x); ++i) {
    const int64_t pixel = i % (lines * columns), plane = i / (lines * columns);
    planes.push_back(x[(plane / channels * lines * columns + pixel) * channels + plane % channels]);
  }
  return planes;
}

// Runs call(y, residual) and compares what it has left of y with what `acc`, pixel by pixel, become.
template <typename Call>
std::string Check(const Finishing& finishing, RandomSource& source, std::span<const int64_t> acc,
                  int64_t columns, Call call) {
  const std::vector<int64_t> others = Draw(source, std::ssize(acc), RangeOf(finishing.residual_storage()));
  BytesAtPageEnd residual(Stored(others, finishing.residual_storage()));
  constexpr uint8_t kFiller = 0xa5;
  constexpr int64_t kGuard = 64;
  const int64_t size = std::ssize(acc) * SizeBytes(finishing.storage());
  std::vector<uint8_t> y(size + kGuard, kFiller);
  call(y.data(), residual.data());
  for (int64_t i = 0; i < std::ssize(acc); ++i) {
    const int64_t expected = finishing.Of(i % columns, acc[i], others[i]);
    const int64_t found = LoadElement(finishing.storage(), y.data(), i);
    if (found == expected) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(found) + ", not " +
           std::to_string(expected);
  }
  const bool intact = std::all_of(y.begin() + size, y.end(), [](uint8_t byte) { return byte == kFiller; });
  return intact ? "" : "wrote behind y";
}

// `finishing_of(slots)` is drawn once x and w are.
template <typename Ranges, typename FinishingOf>
std::string CheckMicroKernel(const MicroKernel& kernel, RandomSource& source, const ConvolutionShape& s,
                             const Ranges& ranges, bool is_s64, FinishingOf finishing_of) {
  const Storage storage = StorageOf(kernel.element);
  const std::array<int64_t, 4> dims = {s.batch, s.size[1], s.size[2], s.channels};
  const auto x = Draw(source, s.batch * s.size[1] * s.size[2] * s.channels, ranges.x);
  const auto w = Draw(source, s.out_channels * s.channels * s.taps(), ranges.w);  // [OC, C, taps]
  auto bias = Draw(source, s.out_channels, ranges.bias);
  const int64_t zero = source.Between(ranges.x.lo, ranges.x.hi);
  const auto weight = [&](int64_t n, int64_t c, int64_t tap) {
    return w[(n * s.channels + c) * s.taps() + tap];
  };

  std::vector<int64_t> acc, slots;
  for (int64_t row = 0; row < s.rows(); ++row) {
    const int64_t n = row / s.out[2] / s.out[1], oh = row / s.out[2] % s.out[1], ow = row % s.out[2];
    for (int64_t oc = 0; oc < s.out_channels; ++oc) {
      acc.push_back(bias[oc]);
      for (int64_t i = 0; i < s.channels * s.taps(); ++i) {
        const int64_t tap = i / s.channels, c = i % s.channels;
        const int64_t line = oh * s.stride[1] + tap / s.kernel[2] * s.dilation[1] - s.pad_begin[1];
        const int64_t column = ow * s.stride[2] + tap % s.kernel[2] * s.dilation[2] - s.pad_begin[2];
        acc.back() += (At(x, dims, {n, line, column, c}, zero) - zero) * weight(oc, c, tap);
      }
    }
  }
  if (!is_s64 && source.OneIn(4)) MoveToEnds(source, bias, acc);
  for (int64_t n = 0; n < s.out_channels; ++n) slots.push_back(n);
  const Finishing finishing = finishing_of(slots);

  const bool in_planes = source.OneIn(2);
  const ConvolutionPlan rows = PlanConvolution(s, kernel, in_planes, !in_planes);
  const int64_t image_bytes = s.batch * rows.image.bytes();
  BytesAtPageEnd packed_x(image_bytes + rows.plan.overread_bytes);
  const std::vector<uint8_t> x_bytes = Stored(in_planes ? InPlanes(x, dims) : x, storage);
  PackActivation({.shape = &s,
                  .image = &rows.image,
                  .x = x_bytes.data(),
                  .storage = storage,
                  .channels_last = !in_planes,
                  .zero = zero,
                  .packed_x = packed_x.data(),
                  .line_end = PackedLines(s, rows.image)});
  // A matrix of signed bytes in front of the page, too, for kernels that copy its rows.
  const bool copies = kernel.element == Element::kBiasedS8 && rows.in_place && s.taps() == 1;
  std::vector<uint8_t> matrix = x_bytes;
  if (copies) matrix.resize(matrix.size() + CopiedOverread(rows.plan));
  BytesAtPageEnd signed_x(matrix);
  const bool x_is_signed = copies && source.OneIn(2);
  const PackedWeights packed = PackWeights(rows.plan, kernel.element, s.channels, zero, bias, weight);
  const Epilogue epilogue = finishing.epilogue();
  const int64_t panels = CeilDiv<int64_t>(s.out_channels, kPanel);
  S64Accumulation s64;
  if (is_s64) {
    const int64_t k_groups = std::ssize(rows.plan.segments) * rows.plan.k_groups_per_segment;
    const std::span<const uint8_t> bytes = packed.bytes;
    if (kernel.element == Element::kS16) {
      s64 = source.OneIn(2) ? LongestKBlocks(ranges.x, ranges.w, k_groups)
                            : LongestKBlocks(ranges.x, std::span(&bytes, 1), k_groups);
    }
    s64.init = packed.init_s64.data();
  }
  return Check(finishing, source, acc, s.out_channels, [&](uint8_t* y, const uint8_t* residual) {
    kernel.run({.x = x_is_signed ? signed_x.data() : packed_x.data(),
                .x_is_signed = x_is_signed,
                .row_stride = rows.plan.row_stride,
                .tiles = rows.plan.tiles.data(),
                .rows = rows.plan.rows.data(),
                .segments = rows.plan.segments.data(),
                .num_segments = static_cast<int>(rows.plan.segments.size()),
                .k_groups_per_segment = rows.plan.k_groups_per_segment,
                .weights = packed.bytes.data(),
                .init = packed.init.data(),
                .epilogue = &epilogue,
                .y = y,
                .residual = residual,
                .columns = s.out_channels,
                .s64 = is_s64 ? &s64 : nullptr,
                .tile_end = std::ssize(rows.plan.tiles),
                .panel_end = panels,
                .panels_at_once = source.Between(1, panels),
                .streams_weights = source.OneIn(2)});
  });
}

std::string CheckMicroKernel(const MicroKernel& kernel, uint64_t seed) {
  RandomSource source(seed);
  const ConvolutionShape s = DrawConvolution(source);
  const Ranges ranges(kernel.element, s.channels * s.taps());
  return CheckMicroKernel(kernel, source, s, ranges, false, [&](std::span<const int64_t> slots) {
    return Finishing(source, slots, s.out_channels, kSums);
  });
}

std::string CheckS64Kernel(const MicroKernel& kernel, uint64_t seed) {
  RandomSource source(seed);
  const ConvolutionShape s = DrawConvolution(source);
  const bool scaled = source.OneIn(2);
  const S64Ranges ranges(kernel.element, s.channels * s.taps(), scaled);
  return CheckMicroKernel(kernel, source, s, ranges, true, [&](std::span<const int64_t> slots) {
    return Finishing::OfS64(source, slots, s.out_channels, ranges.acc, scaled);
  });
}

std::string CheckDepthwise(const DepthwiseKernel& kernel, uint64_t seed) {
  RandomSource source(seed);
  DepthwiseShape s = {.batch = source.Between(1, 2),
                      .channels = source.Between(2, source.OneIn(3) ? 150 : 20),
                      .lines = source.Between(1, 6),
                      .columns = source.Between(1, 20),
                      .kernel_lines = source.Between(1, 5),
                      .kernel_columns = source.Between(1, 5),
                      .stride_lines = source.Between(1, 2),
                      .stride_columns = source.Between(1, 4),
                      .dilation_lines = source.Between(1, 2),
                      .dilation_columns = source.Between(1, 2),
                      .pad_lines = source.Between(0, 2),
                      .pad_columns = source.Between(0, 2)};
  s.out_lines = (s.lines + 1) / s.stride_lines;
  s.out_columns = std::max<int64_t>(1, (s.columns + 1) / s.stride_columns);
  const Ranges ranges(kernel.element, s.taps());
  const Storage storage = kernel.element == Element::kS16 ? Storage::kI16 : Storage::kI8;
  const std::array<int64_t, 4> dims = {s.batch, s.lines, s.columns, s.channels};
  const auto x = Draw(source, s.batch * s.lines * s.columns * s.channels, ranges.x);
  const auto w = Draw(source, s.channels * s.taps(), ranges.w);  // [C, taps]
  auto bias = Draw(source, s.channels, ranges.bias);
  const int64_t zero = source.Between(ranges.x.lo, ranges.x.hi);

  std::vector<int64_t> acc;
  for (int64_t i = 0; i < s.batch * s.out_lines * s.out_columns * s.channels; ++i) {
    const int64_t c = i % s.channels, pixel = i / s.channels;
    const int64_t n = pixel / s.out_columns / s.out_lines, oh = pixel / s.out_columns % s.out_lines;
    acc.push_back(bias[c]);
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      const int64_t line = oh * s.stride_lines + tap / s.kernel_columns * s.dilation_lines - s.pad_lines;
      const int64_t column = pixel % s.out_columns * s.stride_columns +
                             tap % s.kernel_columns * s.dilation_columns - s.pad_columns;
      acc.back() += (At(x, dims, {n, line, column, c}, zero) - zero) * w[c * s.taps() + tap];
    }
  }

  if (source.OneIn(4)) MoveToEnds(source, bias, acc);
  std::vector<int32_t> init;
  const int64_t outside = zero + (kernel.element == Element::kBiasedS8 ? 128 : 0);
  for (int64_t c = 0; c < s.channels; ++c) {
    int64_t sum = 0;
    for (int64_t tap = 0; tap < s.taps(); ++tap) sum += w[c * s.taps() + tap];
    init.push_back(static_cast<int32_t>(bias[c] - outside * sum));
  }
  const DepthwiseLayout& layout = *kernel.layout;
  const std::vector<int64_t> slots = layout.slots(s);
  const std::vector<int32_t> by_slot = BySlot<int32_t>(slots, init, 0);
  const AlignedVector<int32_t> first(by_slot.begin(), by_slot.end());
  const Finishing finishing(source, slots, s.channels, kSums);
  const Epilogue epilogue = finishing.epilogue();
  const AlignedVector<uint8_t> weights = layout.pack(s, std::vector<int16_t>(w.begin(), w.end()));
  AlignedVector<uint8_t> scratch(layout.scratch_bytes(s));
  BytesAtPageEnd x_bytes(Stored(x, storage));
  return Check(finishing, source, acc, s.channels, [&](uint8_t* y, const uint8_t* residual) {
    DepthwiseCall call = {.shape = &s,
                          .x = x_bytes.data(),
                          .zero = zero,
                          .weights = weights.data(),
                          .init = first.data(),
                          .epilogue = &epilogue,
                          .y = y,
                          .residual = residual,
                          .scratch = scratch.data()};
    // In parts, of which some are empty: lines [0, h) and [h, all) of blocks [0, k) and [k, all).
    const int64_t h = s.all_lines() / 2, k = s.blocks() / 2;
    for (const auto& [line_begin, line_end] : {std::pair{int64_t{0}, h}, {h, s.all_lines()}}) {
      for (const auto& [block_begin, block_end] : {std::pair{int64_t{0}, k}, {k, s.blocks()}}) {
        call.line_begin = line_begin, call.line_end = line_end;
        call.block_begin = block_begin, call.block_end = block_end;
        kernel.run(call);
      }
    }
  });
}

// The first and the last step by the kernel, the products between them by plain sums modulo 2^32.
std::string CheckWinograd(const WinogradKernel& kernel, uint64_t seed) {
  RandomSource source(seed);
  const int64_t batch = source.Between(1, 2), channels = source.Between(1, 40);
  const int64_t lines = source.Between(3, 9), pixels = source.Between(3, 12), columns = source.Between(1, 70);
  const int64_t out_lines = lines - 2, out_pixels = pixels - 2;
  const std::array<int64_t, 4> dims = {batch, lines, pixels, channels};
  const auto x = Draw(source, batch * lines * pixels * channels, RangeOf(Storage::kI8));
  const auto w = Draw(source, columns * channels * 9, RangeOf(Storage::kI8));  // [OC, C, 3, 3]
  auto bias = Draw(source, columns, {-1000000, 1000000});
  std::vector<int64_t> acc, slots;
  for (int64_t pixel = 0; pixel < batch * out_lines * out_pixels; ++pixel) {
    const int64_t n = pixel / out_pixels / out_lines, oh = pixel / out_pixels % out_lines;
    for (int64_t oc = 0; oc < columns; ++oc) {
      acc.push_back(bias[oc]);
      for (int64_t i = 0; i < channels * 9; ++i) {
        const int64_t c = i / 9, tap = i % 9;
        acc.back() +=
            At(x, dims, {n, oh + tap / 3, pixel % out_pixels + tap % 3, c}, 0) * w[oc * channels * 9 + i];
      }
    }
  }
  if (source.OneIn(4)) MoveToEnds(source, bias, acc);
  for (int64_t n = 0; n < columns; ++n) slots.push_back(n);
  const Finishing finishing(source, slots, columns, kSums);
  const Epilogue epilogue = finishing.epilogue();

  WinogradInput input = {.tiles = {.out_lines = out_lines, .out_columns = out_pixels},
                         .pixel_bytes = channels,
                         .line_bytes = pixels * channels,
                         .image_bytes = lines * pixels * channels,
                         .depth = RoundUp(channels, kWinogradDepth)};
  std::vector<uint8_t> image = Stored(x, Storage::kI8);
  image.resize(image.size() + WinogradOverread(input, batch), 0x5a);
  BytesAtPageEnd x_bytes(image);
  input.x = x_bytes.data();
  const int64_t tiles = batch * input.tiles.per_image(), stride = RoundUp(columns, int64_t{kPanel});
  std::vector<int16_t> points(kWinogradPoints * tiles * input.depth);
  std::vector<int32_t> sums(kWinogradPoints * tiles * stride), init(stride);
  std::copy(bias.begin(), bias.end(), init.begin());
  input.points = points.data();
  input.point_tiles = tiles;
  return Check(finishing, source, acc, columns, [&](uint8_t* y, const uint8_t* residual) {
    const GemmArgs store = {.epilogue = &epilogue, .y = y, .residual = residual, .columns = columns};
    const int64_t part = source.Between(0, tiles);  // then the others
    for (const auto& [first, count] : {std::pair{int64_t{0}, part}, {part, tiles - part}}) {
      input.tiles.first = first, input.tiles.count = count;
      kernel.input(input);
      for (int64_t oc = 0; oc < columns; ++oc) {
        std::vector<std::array<int32_t, kWinogradPoints>> weights;
        for (int64_t c = 0; c < channels; ++c) {
          std::array<int32_t, 9> taps;
          for (int tap = 0; tap < 9; ++tap)
            taps[tap] = static_cast<int32_t>(w[(oc * channels + c) * 9 + tap]);
          weights.push_back(WinogradWeights(taps));
        }
        for (int64_t i = 0; i < kWinogradPoints * count; ++i) {
          const int64_t point = i / count, row = point * tiles + i % count;
          uint32_t sum = 0;
          for (int64_t c = 0; c < channels; ++c) {
            sum += static_cast<uint32_t>(points[row * input.depth + c] * weights[c][point]);
          }
          sums[row * stride + oc] = static_cast<int32_t>(sum);
        }
      }
      kernel.output({.tiles = input.tiles,
                     .sums = sums.data(),
                     .point_tiles = tiles,
                     .sum_stride = stride,
                     .init = init.data(),
                     .store = &store});
    }
  });
}

template <typename Kernels, typename Check>
void CheckAll(const Kernels& kernels, Check check) {
  for (const auto& kernel : kernels) {
    if (!kEmulated && !DetectCpuFlags().HasAll(kernel.flags)) {
      std::cout << "skipped " << kernel.name << ": this machine has not all of "
                << CpuFlagsToString(kernel.flags) << "\n";
      SayRan("GEMM", LevelOf(kernel.flags), "not run: this machine lacks it");
      continue;
    }
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      ASSERT_EQ(check(kernel, seed), "") << kernel.name << ", seed " << seed;
    }
    std::cout << kernel.name << "\n";
    SayRan("GEMM", LevelOf(kernel.flags), kEmulated && kernel.flags != CpuFlags() ? kByModels : kHere);
  }
}

TEST(PackedKernels, OfGemmComputeTheSumAndItsRescale) {
  CheckAll(AllMicroKernels(),
           [](const MicroKernel& kernel, uint64_t seed) { return CheckMicroKernel(kernel, seed); });
}
// Whole tiles, which drawn layers of so many channels do not have.
TEST(PackedKernels, OfGemmTakeLongerRowsThanTheyCopyAtOnce) {
  constexpr uint64_t kFewSeeds = 16;
  CheckAll(AllMicroKernels(), [](const MicroKernel& kernel, uint64_t seed) -> std::string {
    if (seed > kFewSeeds) return "";
    RandomSource source(seed);
    ConvolutionShape s = {.channels = source.Between(4600, 6000), .out_channels = source.Between(1, 34)};
    s.size[2] = s.out[2] = kernel.tile_rows;
    const Ranges ranges(kernel.element, s.channels);
    return CheckMicroKernel(kernel, source, s, ranges, false, [&](std::span<const int64_t> slots) {
      return Finishing(source, slots, s.out_channels, kSums);
    });
  });
}
TEST(PackedKernels, OfGemmInS64ComputeTheSumAndItsRescale) { CheckAll(AllS64Kernels(), CheckS64Kernel); }
TEST(PackedKernels, OfDepthwiseConvolutionsComputeTheSumAndItsRescale) {
  CheckAll(AllDepthwiseKernels(), CheckDepthwise);
}
TEST(PackedKernels, OfWinogradComputeTheSumAndItsRescale) { CheckAll(AllWinogradKernels(), CheckWinograd); }

}  // namespace
}  // namespace tally
