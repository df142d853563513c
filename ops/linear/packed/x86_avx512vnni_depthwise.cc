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
void Sums(const DepthwiseShape& s, const uint8_t* x, const uint8_t* w, __m512i init, __m512i gather,
          __m512i* sums) {
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

using SumsFn = void (*)(const DepthwiseShape&, const uint8_t*, const uint8_t*, __m512i, __m512i, __m512i*);

SumsFn SumsFor(const DepthwiseShape& s) {
  if (s.kernel_columns <= 4 && s.kernel_lines == 3) return Sums<1, 3>;
  if (s.kernel_columns > 4 && s.kernel_columns <= 8 && s.kernel_lines == 5) return Sums<2, 5>;
  return Sums<0, 0>;
}

struct Output {
  const DepthwiseCall& c;
  int64_t first_channel;
  __mmask16 mask;

  void Store(int64_t row, __m512i y32, Storage storage) const {
    const int64_t index = row * c.shape->channels + first_channel;
    switch (storage) {
      case Storage::kI8: _mm_mask_storeu_epi8(c.y + index, mask, _mm512_cvtepi32_epi8(y32)); break;
      case Storage::kI16: _mm256_mask_storeu_epi16(c.y + 2 * index, mask, _mm512_cvtepi32_epi16(y32)); break;
      default: _mm512_mask_storeu_epi32(c.y + 4 * index, mask, y32); break;
    }
  }
};

// One line of y.
template <Epilogue::Scale scale>
void Line(const DepthwiseCall& c, int64_t i, SumsFn sums_of, __m512i gather) {
  const DepthwiseShape& s = *c.shape;
  const Epilogue& e = *c.epilogue;
  const int64_t oh = i % s.out_lines, block = i / s.out_lines % s.blocks, n = i / s.out_lines / s.blocks;
  const uint8_t* x = c.x + (n * s.blocks + block) * s.block_bytes(Element::kBiasedS8) +
                     oh * s.stride_lines * s.columns * kGroup;
  const uint8_t* w = c.weights + block * s.kernel_lines * s.granules(Element::kBiasedS8) * 64;
  const __m512i init = _mm512_loadu_si512(c.init + block * kGroup);
  const int64_t left = s.channels - block * kGroup;
  const auto mask = static_cast<__mmask16>(left >= kGroup ? 0xffff : (1 << left) - 1);
  const Output out = {c, block * kGroup, mask};
  const int64_t row0 = (n * s.out_lines + oh) * s.out_columns;
  const BlockCall residual_call = {.epilogue = &e, .residual = c.residual};
  constexpr bool scaled = scale != Epilogue::Scale::kNone;
  constexpr Epilogue::Scale vector_scale = scaled ? scale : Epilogue::Scale::kHighWord;
  static const ScaleGroup kNoScale = {};
  const VectorScale<vector_scale> rescale(scaled ? e.groups[block] : kNoScale);
  const VectorResidual residual(e.residual);
  const __m512i lo = _mm512_set1_epi32(e.lo), hi = _mm512_set1_epi32(e.hi);
  for (int64_t ow = 0; ow < s.out_columns; ow += kPixels) {
    __m512i y[kPixels];
    sums_of(s, x + ow * s.stride_columns * kGroup, w, init, gather, y);
    const int64_t count = s.out_columns - ow < kPixels ? s.out_columns - ow : kPixels;
    if constexpr (scaled) {
      for (int p = 0; p < kPixels; ++p) {
        y[p] = _mm512_min_epi32(_mm512_max_epi32(rescale(y[p]), lo), hi);
        if (e.has_residual && p < count) {
          const int64_t index = (row0 + ow + p) * s.channels + block * kGroup;
          y[p] = residual(y[p], LoadResidual(residual_call, index, mask));
        }
      }
    }
    if (e.table != nullptr) {
      // Pixels fill the four quarters of each lane's vector.
      __m512i bytes = _mm512_packs_epi16(_mm512_packs_epi32(y[0], y[1]), _mm512_packs_epi32(y[2], y[3]));
      bytes = VectorTable(e.table)(bytes);
      alignas(64) int8_t stored[64];
      _mm512_store_si512(stored, bytes);
      for (int64_t p = 0; p < count; ++p) {
        for (int64_t k = 0; k < kGroup && k < left; ++k) {
          c.y[(row0 + ow + p) * s.channels + block * kGroup + k] =
              static_cast<uint8_t>(stored[k / 4 * 16 + p * 4 + k % 4]);
        }
      }
      continue;
    }
    for (int64_t p = 0; p < count; ++p) out.Store(row0 + ow + p, y[p], e.storage);
  }
}

template <Epilogue::Scale scale>
void Lines(const DepthwiseCall& c) {
  const SumsFn sums_of = SumsFor(*c.shape);
  const __m512i gather = GatherTaps();
  for (int64_t i = c.begin; i < c.end; ++i) Line<scale>(c, i, sums_of, gather);
}

}  // namespace

void DepthwiseU8Avx512Vnni(const DepthwiseCall& c) noexcept {
  switch (c.epilogue->scale) {
    case Epilogue::Scale::kNone: return Lines<Epilogue::Scale::kNone>(c);
    case Epilogue::Scale::kHighWord: return Lines<Epilogue::Scale::kHighWord>(c);
    case Epilogue::Scale::kAnyShift: return Lines<Epilogue::Scale::kAnyShift>(c);
  }
}

}  // namespace tally

#endif
