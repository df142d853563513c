// Depthwise convolutions with VNNI: one permutation brings four neighbouring taps of 16 channels side by side, and one
// instruction multiplies and adds them.
#if defined(__x86_64__)
#include <immintrin.h>

#include "ops/linear/packed/epilogue_avx512.h"
#include "ops/linear/packed/kernels.h"

namespace tally {
namespace {

constexpr int kPixels = 4;  // of y at once: what one vector of bytes holds

// Byte 4 c + t of the result is channel c of tap t, which lies at 16 t + c.
__m512i GatherTaps() {
  alignas(64) uint8_t index[64];
  for (int i = 0; i < 64; ++i) index[i] = static_cast<uint8_t>(i % 4 * 16 + i / 4);
  return _mm512_load_si512(index);
}

// The sums of kPixels pixels. `granules` vectors of weights for each of `lines` lines.
template <int granules, int lines>
__attribute__((always_inline)) inline void Sums(const DepthwiseShape& s, const uint8_t* x, const uint8_t* w,
                                                __m512i init, __m512i gather, __m512i* sums) {
  const int64_t line_bytes = s.columns * s.dilation_lines * kGroup, pixel_bytes = s.stride_columns * kGroup;
  const int64_t num_lines = lines > 0 ? lines : s.kernel_lines;
  const int64_t num_granules = granules > 0 ? granules : s.granules(Element::kBiasedS8);
  for (int p = 0; p < kPixels; ++p) sums[p] = init;
#pragma GCC unroll 5
  for (int64_t h = 0; h < num_lines; ++h, x += line_bytes) {
#pragma GCC unroll 2
    for (int64_t g = 0; g < num_granules; ++g, w += 64) {
      const __m512i weights = _mm512_loadu_si512(w);
#pragma GCC unroll 4
      for (int p = 0; p < kPixels; ++p) {
        const __m512i taps = _mm512_loadu_si512(x + p * pixel_bytes + g * 64);
        sums[p] = _mm512_dpbusd_epi32(sums[p], _mm512_permutexvar_epi8(gather, taps), weights);
      }
    }
  }
}

// What a line stores: four pixels of 16 channels.
class Output {
 public:
  Output(const DepthwiseCall& c, int64_t block)
      : c_(c), channel_(block * kGroup), mask_(MaskOf(c.shape->channels - channel_)) {
    const Epilogue& e = *c.epilogue;
    lo_ = _mm512_set1_epi8(static_cast<char>(e.has_residual ? e.residual.lo : e.lo));
    hi_ = _mm512_set1_epi8(static_cast<char>(e.has_residual ? e.residual.hi : e.hi));
  }

  int64_t index(int64_t row) const { return row * c_.shape->channels + channel_; }
  __mmask16 mask() const { return mask_; }

  // Bytes: saturation to 16 and then to 8 bits keeps the order, and the clamp lies within. A pack leaves the pixels in
  // the four quarters of each lane.
  void StoreBytes(int64_t row, int64_t count, const __m512i* y, bool clamp) const {
    __m512i bytes = _mm512_packs_epi16(_mm512_packs_epi32(y[0], y[1]), _mm512_packs_epi32(y[2], y[3]));
    if (clamp) bytes = _mm512_min_epi8(_mm512_max_epi8(bytes, lo_), hi_);
    if (c_.epilogue->table != nullptr) bytes = VectorTable(c_.epilogue->table)(bytes);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    bytes = _mm512_permutexvar_epi32(order, bytes);
    uint8_t* to = c_.y + index(row);
    const int64_t step = c_.shape->channels;
    _mm_mask_storeu_epi8(to, mask_, _mm512_castsi512_si128(bytes));
    if (count > 1) _mm_mask_storeu_epi8(to + step, mask_, _mm512_extracti32x4_epi32(bytes, 1));
    if (count > 2) _mm_mask_storeu_epi8(to + 2 * step, mask_, _mm512_extracti32x4_epi32(bytes, 2));
    if (count > 3) _mm_mask_storeu_epi8(to + 3 * step, mask_, _mm512_extracti32x4_epi32(bytes, 3));
  }

  void StoreWide(int64_t row, int64_t count, const __m512i* y, Storage storage) const {
    for (int64_t p = 0; p < count; ++p) {
      if (storage == Storage::kI16) {
        _mm256_mask_storeu_epi16(c_.y + 2 * index(row + p), mask_, _mm512_cvtepi32_epi16(y[p]));
      } else {
        _mm512_mask_storeu_epi32(c_.y + 4 * index(row + p), mask_, y[p]);
      }
    }
  }

 private:
  static __mmask16 MaskOf(int64_t channels) {
    return static_cast<__mmask16>(channels >= kGroup ? 0xffff : (1 << channels) - 1);
  }

  const DepthwiseCall& c_;
  int64_t channel_;
  __mmask16 mask_;
  __m512i lo_, hi_;
};

// One line of y.
template <Epilogue::Scale scale, int granules, int lines>
void Line(const DepthwiseCall& c, int64_t i, __m512i gather) {
  const DepthwiseShape& s = *c.shape;
  const Epilogue& e = *c.epilogue;
  const int64_t oh = i % s.out_lines, block = i / s.out_lines % s.blocks, n = i / s.out_lines / s.blocks;
  const uint8_t* x = c.x + (n * s.blocks + block) * s.block_bytes(Element::kBiasedS8) +
                     oh * s.stride_lines * s.columns * kGroup;
  const uint8_t* w = c.weights + block * s.kernel_lines * s.granules(Element::kBiasedS8) * 64;
  const __m512i init = _mm512_loadu_si512(c.init + block * kGroup);
  const Output out(c, block);
  const int64_t row0 = (n * s.out_lines + oh) * s.out_columns;
  const BlockCall residual_call = {.epilogue = &e, .residual = c.residual};
  constexpr bool scaled = scale != Epilogue::Scale::kNone;
  static const ScaleGroup kNoScale = {};
  const VectorScale<scaled ? scale : Epilogue::Scale::kHighWord> rescale(scaled ? e.groups[block] : kNoScale);
  const VectorResidual residual(e.residual);
  const __m512i lo = _mm512_set1_epi32(e.lo), hi = _mm512_set1_epi32(e.hi);
  const bool bytes = e.storage == Storage::kI8;
  for (int64_t ow = 0; ow < s.out_columns; ow += kPixels) {
    __m512i y[kPixels];
    Sums<granules, lines>(s, x + ow * s.stride_columns * kGroup, w, init, gather, y);
    const int64_t count = s.out_columns - ow < kPixels ? s.out_columns - ow : kPixels;
    if constexpr (scaled) {
#pragma GCC unroll 4
      for (int p = 0; p < kPixels; ++p) {
        y[p] = rescale(y[p]);
        if (scale != Epilogue::Scale::kHighWord || e.has_residual || !bytes) {
          y[p] = _mm512_min_epi32(_mm512_max_epi32(y[p], lo), hi);
        }
        if (e.has_residual && p < count) {
          y[p] = residual(y[p], LoadResidual(residual_call, out.index(row0 + ow + p), out.mask()));
        }
      }
    }
    if (bytes) {
      out.StoreBytes(row0 + ow, count, y, scaled);
    } else {
      out.StoreWide(row0 + ow, count, y, e.storage);
    }
  }
}

template <Epilogue::Scale scale, int granules, int lines>
void Lines(const DepthwiseCall& c) {
  const __m512i gather = GatherTaps();
  for (int64_t i = c.begin; i < c.end; ++i) Line<scale, granules, lines>(c, i, gather);
}

// The usual kernels of 3x3 and 5x5 are unrolled.
template <Epilogue::Scale scale>
void Run(const DepthwiseCall& c) {
  const int64_t granules = c.shape->granules(Element::kBiasedS8);
  if (granules == 1 && c.shape->kernel_lines == 3) return Lines<scale, 1, 3>(c);
  if (granules == 2 && c.shape->kernel_lines == 5) return Lines<scale, 2, 5>(c);
  Lines<scale, 0, 0>(c);
}

}  // namespace

void DepthwiseU8Avx512Vnni(const DepthwiseCall& c) noexcept {
  switch (c.epilogue->scale) {
    case Epilogue::Scale::kNone: return Run<Epilogue::Scale::kNone>(c);
    case Epilogue::Scale::kHighWord: return Run<Epilogue::Scale::kHighWord>(c);
    case Epilogue::Scale::kAnyShift: return Run<Epilogue::Scale::kAnyShift>(c);
  }
}

}  // namespace tally

#endif
