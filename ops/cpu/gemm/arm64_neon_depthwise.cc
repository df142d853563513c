// Depthwise convolutions with NEON: four pixels by 16 channels, so that weights are read once for four
// pixels.
#include "ops/cpu/gemm/depthwise.h"
#include "ops/cpu/gemm/epilogue_neon.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {
namespace {

constexpr int kPixels = 4;

struct S16s {
  int16x8_t low, high;
};

TALLY_INLINE S16s Load(const int16_t* x) { return {vld1q_s16(x), vld1q_s16(x + 8)}; }
TALLY_INLINE S16s Load(const int8_t* x) {
  const int8x16_t bytes = vld1q_s8(x);
  return {vmovl_s8(vget_low_s8(bytes)), vmovl_high_s8(bytes)};
}

// Line oh of image n, for 16 channels from `first` on.
template <typename T, Epilogue::Scale scale>
class ChannelsOfLine {
 public:
  ChannelsOfLine(const DepthwiseCall& c, const GemmArgs& store, int64_t n, int64_t oh, int64_t first)
      : c_(c),
        s_(*c.shape),
        x_(reinterpret_cast<const T*>(c.x) + n * s_.lines * s_.columns * s_.channels + first),
        first_line_(oh * s_.stride_lines - s_.pad_lines),
        first_(first),
        count_(s_.channels - first < kVectorColumns ? s_.channels - first : int64_t{kVectorColumns}),
        finisher_(store, first / kVectorColumns) {
    for (T& element : outside_) element = static_cast<T>(c.zero);
  }

  // Pixels of y from `ow` on; rows: where they begin, or -1.
  void Run(int64_t ow, const int64_t* rows) {
    const auto* w = reinterpret_cast<const int16_t*>(c_.weights) + first_ * s_.taps();
    int32x4_t acc[kPixels][kVectors];
    TALLY_UNROLL for (int p = 0; p < kPixels; ++p) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) acc[p][v] = vld1q_s32(c_.init + first_ + kLanes * v);
    }
    for (int64_t h = 0; h < s_.kernel_lines; ++h) {
      const int64_t line = first_line_ + h * s_.dilation_lines;
      for (int64_t kw = 0; kw < s_.kernel_columns; ++kw, w += kVectorColumns) {
        const S16s weights = Load(w);
        TALLY_UNROLL for (int p = 0; p < kPixels; ++p) {
          const int64_t column = (ow + p) * s_.stride_columns + kw * s_.dilation_columns - s_.pad_columns;
          const S16s x = Load(At(line, column));
          acc[p][0] = vmlal_s16(acc[p][0], vget_low_s16(x.low), vget_low_s16(weights.low));
          acc[p][1] = vmlal_high_s16(acc[p][1], x.low, weights.low);
          acc[p][2] = vmlal_s16(acc[p][2], vget_low_s16(x.high), vget_low_s16(weights.high));
          acc[p][3] = vmlal_high_s16(acc[p][3], x.high, weights.high);
        }
      }
    }
    alignas(16) int32_t stored[kPixels][kVectorColumns];
    TALLY_UNROLL for (int p = 0; p < kPixels; ++p) {
      TALLY_UNROLL for (int v = 0; v < kVectors; ++v) vst1q_s32(stored[p] + kLanes * v, acc[p][v]);
    }
    finisher_.Rows(stored, rows, kPixels);
  }

 private:
  // 16 elements, of which those of the last channels are copied: nothing is read after x.
  TALLY_INLINE const T* At(int64_t line, int64_t column) {
    if (line < 0 || line >= s_.lines || column < 0 || column >= s_.columns) return outside_;
    const T* const pixel = x_ + (line * s_.columns + column) * s_.channels;
    if (count_ == kVectorColumns) return pixel;
    __builtin_memcpy(last_, pixel, count_ * sizeof(T));
    return last_;
  }

  const DepthwiseCall& c_;
  const DepthwiseShape& s_;
  const T* const x_;  // the image's, at the first channel
  const int64_t first_line_, first_, count_;
  const VectorEpilogue<scale> finisher_;
  T outside_[kVectorColumns], last_[kVectorColumns] = {};
};

template <typename T>
void Run(const DepthwiseCall& c) {
  const DepthwiseShape& s = *c.shape;
  const GemmArgs store = {.epilogue = c.epilogue, .y = c.y, .residual = c.residual, .columns = s.channels};
  WithScale(*c.epilogue, [&]<Epilogue::Scale scale>() {
    for (int64_t i = c.line_begin; i < c.line_end; ++i) {
      for (int64_t first = c.first_channel(); first < c.end_channel(); first += kVectorColumns) {
        ChannelsOfLine<T, scale> line(c, store, i / s.out_lines, i % s.out_lines, first);
        for (int64_t ow = 0; ow < s.out_columns; ow += kPixels) {
          int64_t rows[kPixels];
          for (int64_t p = 0; p < kPixels; ++p) {
            rows[p] = ow + p < s.out_columns ? (i * s.out_columns + ow + p) * s.channels : -1;
          }
          line.Run(ow, rows);
        }
      }
    }
  });
}

}  // namespace

void DepthwiseS8Neon(const DepthwiseCall& c) noexcept { Run<int8_t>(c); }
void DepthwiseS16Neon(const DepthwiseCall& c) noexcept { Run<int16_t>(c); }

}  // namespace tally
