// Depthwise convolutions with VNNI: the bytes of four lines of x are brought side by side, for all
// channels of a block, and one instruction multiplies and adds what a pixel reads of one column.
#include <immintrin.h>

#include <cstring>

#include "ops/cpu/gemm/depthwise_layouts.h"
#include "ops/cpu/gemm/epilogue.h"
#include "ops/cpu/gemm/epilogue_avx512.h"
#include "ops/cpu/gemm/kernels.h"

namespace tally {
namespace {

constexpr int kVectors = 4;  // accumulators of a block
constexpr int64_t kBytes = FourLinesBlock::kBytes;

// Lines of y of one block, whose pixels have `width` bytes, all of them channels if `full`.
template <int width, bool full>
class BlockLines {
 public:
  static constexpr int64_t kPixels = kBytes / width;

  // The lines of image n of the batch.
  BlockLines(const DepthwiseCall& c, int64_t n, int64_t block_index)
      : c_(c),
        s_(*c.shape),
        block_index_(block_index),
        block_(FourLinesBlock::At(s_.channels, block_index)),
        scratch_(s_, block_),
        n_(n),
        mask_(block_.count == 64 ? ~uint64_t{0} : (uint64_t{1} << block_.count) - 1),
        lo8_(_mm512_set1_epi8(static_cast<char>(c.epilogue->lo))),
        hi8_(_mm512_set1_epi8(static_cast<char>(c.epilogue->hi))) {
    std::memset(outside_, static_cast<uint8_t>(c.zero), kBytes);
    for (int64_t kw = 0; kw < s_.kernel_columns; ++kw) {
      const int64_t column = kw * s_.dilation_columns;
      offsets_[kw] =
          (column % s_.stride_columns * scratch_.phase_columns + column / s_.stride_columns) * width;
    }
  }

  void Run(int64_t begin, int64_t end) {
    const int64_t at_once = LinesAtOnce(s_);
    for (oh_ = begin; oh_ < end; oh_ += at_once) {
      for (int64_t four = 0; four < scratch_.fours; ++four) Interleave(four);
      if (at_once == 2 && oh_ + 1 < end) {
        Lines<2>();
      } else {
        Lines<1>();
      }
    }
  }

 private:
  // A line of x, or what is outside of x.
  struct Source {
    const uint8_t* line;  // its column 0; null: outside
    const uint8_t* at;    // where the next columns are
    int64_t step;         // between them
  };

  // kPixels columns inside.
  TALLY_INLINE __m512i Load(const Source& source) const {
    const uint8_t* const x = source.at;
    if (full && (width == 64 || s_.channels == width)) return _mm512_loadu_si512(x);
    if constexpr (width == 64) {
      return _mm512_maskz_loadu_epi8(mask_, x);
    } else if constexpr (width == 32) {
      const auto pixel = [&](int64_t p) __attribute__((always_inline)) {
        return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask_), x + p * source.step);
      };
      return _mm512_inserti64x4(_mm512_castsi256_si512(pixel(0)), pixel(1), 1);
    } else {
      const auto pixel = [&](int64_t p) __attribute__((always_inline)) {
        return _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask_), x + p * source.step);
      };
      __m512i v = _mm512_castsi128_si512(pixel(0));
      v = _mm512_inserti32x4(v, pixel(1), 1);
      v = _mm512_inserti32x4(v, pixel(2), 2);
      return _mm512_inserti32x4(v, pixel(3), 3);
    }
  }

  // kPixels columns from `column` of x on, not all of them inside.
  __m512i LoadBorder(const Source& source, int64_t column) const {
    const __m512i outside = _mm512_set1_epi8(static_cast<char>(c_.zero));
    if (source.line == nullptr || column + kPixels <= 0 || column >= s_.columns) return outside;
    alignas(64) uint8_t bytes[kBytes];
    _mm512_store_si512(bytes, outside);
    for (int64_t p = 0; p < kPixels; ++p) {
      if (column + p < 0 || column + p >= s_.columns) continue;
      std::memcpy(bytes + p * width, source.line + (column + p) * s_.channels, block_.count);
    }
    return _mm512_load_si512(bytes);
  }

  // Brings lines 4 four .. 4 four + 3 of the kernel into scratch memory, biased to unsigned bytes.
  void Interleave(int64_t four) const {
    // Groups of columns that are inside: [begin, end). A negative pad cuts x in front.
    const int64_t pad = s_.pad_columns, columns = scratch_.columns;
    const int64_t begin = pad < 0 ? 0 : (pad + kPixels - 1) / kPixels * kPixels;
    const int64_t inside = pad + s_.columns < columns ? pad + s_.columns : columns;
    const int64_t end = inside - begin < kPixels ? begin : begin + (inside - begin) / kPixels * kPixels;
    const int64_t lines_read = s_.kernel_lines + (LinesAtOnce(s_) - 1) * s_.stride_lines;
    Source sources[4];
    for (int64_t l = 0; l < 4; ++l) {
      const int64_t h = four * 4 + l, line = oh_ * s_.stride_lines + h * s_.dilation_lines - s_.pad_lines;
      if (h < lines_read && line >= 0 && line < s_.lines) {
        const uint8_t* const x = c_.x + (n_ * s_.lines + line) * s_.columns * s_.channels + block_.first;
        sources[l] = {x, x + (begin - pad) * s_.channels, s_.channels};
      } else {
        sources[l] = {nullptr, outside_, 0};
      }
    }
    uint8_t* const to = c_.scratch + four * kVectors * scratch_.vector_bytes;
    const int64_t stride = s_.stride_columns;
    const int64_t phase_columns = scratch_.phase_columns, vector_bytes = scratch_.vector_bytes;
    const __m512i bias = _mm512_set1_epi8(-128);
    int64_t phase = 0, index = 0;
    const auto put = [&](__m512i x0, __m512i x1, __m512i x2, __m512i x3) __attribute__((always_inline)) {
      x0 = _mm512_xor_si512(x0, bias), x1 = _mm512_xor_si512(x1, bias);
      x2 = _mm512_xor_si512(x2, bias), x3 = _mm512_xor_si512(x3, bias);
      const __m512i low01 = _mm512_unpacklo_epi8(x0, x1), high01 = _mm512_unpackhi_epi8(x0, x1);
      const __m512i low23 = _mm512_unpacklo_epi8(x2, x3), high23 = _mm512_unpackhi_epi8(x2, x3);
      const __m512i vectors[kVectors] = {
          _mm512_unpacklo_epi16(low01, low23), _mm512_unpackhi_epi16(low01, low23),
          _mm512_unpacklo_epi16(high01, high23), _mm512_unpackhi_epi16(high01, high23)};
      uint8_t* at[kPixels];
      for (int64_t p = 0; p < kPixels; ++p) {
        at[p] = to + (phase * phase_columns + index) * width;
        if (++phase == stride) phase = 0, ++index;
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        if (kPixels == 1 || stride == 1) {
          _mm512_storeu_si512(at[0] + v * vector_bytes, vectors[v]);
        } else {
          StorePixels(at, v * vector_bytes, vectors[v]);
        }
      }
    };
    const auto put_border = [&](int64_t column) {
      const int64_t x = column - pad;
      put(LoadBorder(sources[0], x), LoadBorder(sources[1], x), LoadBorder(sources[2], x),
          LoadBorder(sources[3], x));
    };
    int64_t column = 0;
    for (; column < begin && column < columns; column += kPixels) put_border(column);
    Source s0 = sources[0], s1 = sources[1], s2 = sources[2], s3 = sources[3];
    for (; column < end; column += kPixels) {
      put(Load(s0), Load(s1), Load(s2), Load(s3));
      s0.at += kPixels * s0.step, s1.at += kPixels * s1.step;
      s2.at += kPixels * s2.step, s3.at += kPixels * s3.step;
    }
    for (; column < columns; column += kPixels) put_border(column);
  }

  static void StorePixels(uint8_t* const* at, int64_t offset, __m512i pixels) {
    if constexpr (width == 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at[0] + offset), _mm512_castsi512_si256(pixels));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(at[1] + offset), _mm512_extracti64x4_epi64(pixels, 1));
    } else if constexpr (width == 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at[0] + offset), _mm512_castsi512_si128(pixels));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at[1] + offset), _mm512_extracti32x4_epi32(pixels, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at[2] + offset), _mm512_extracti32x4_epi32(pixels, 2));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(at[3] + offset), _mm512_extracti32x4_epi32(pixels, 3));
    }
  }

  // `lines` lines of y, from oh_ on.
  template <int lines>
  void Lines() const {
    const Epilogue& e = *c_.epilogue;
    const bool bytes = e.storage == Storage::kI8 && !e.has_residual;
    if (bytes && e.scale == Epilogue::Scale::kHighWord) {
      ForEachGroup<lines>(Bytes<Epilogue::Scale::kHighWord, lines>{*this});
    } else if (bytes && e.scale == Epilogue::Scale::kAnyShift) {
      ForEachGroup<lines>(Bytes<Epilogue::Scale::kAnyShift, lines>{*this});
    } else {
      ForEachGroup<lines>([&](int64_t ow, const __m512i(*acc)[kVectors]) {
        for (int g = 0; g < 2 * lines; ++g) StoreOneByOne(oh_ + g / 2, ow + g % 2 * kPixels, acc[g]);
      });
    }
  }

  // Calls store(ow, accumulators) for twice kPixels pixels of each line from ow on, not all of which need to
  // be there: accumulators [lines][2][vectors].
  template <int lines, typename Store>
  TALLY_INLINE void ForEachGroup(const Store& store) const {
    if (scratch_.fours == 1 && s_.kernel_columns == 3) return ForEachGroup<lines, 3>(store);
    ForEachGroup<lines, 0>(store);
  }

  template <int lines, int kernel_columns, typename Store>
  TALLY_INLINE void ForEachGroup(const Store& store) const {
    const int64_t num_columns = kernel_columns > 0 ? kernel_columns : s_.kernel_columns;
    const int64_t fours = kernel_columns > 0 ? 1 : scratch_.fours, vector_bytes = scratch_.vector_bytes;
    const int64_t line_bytes = fours * num_columns * kVectors * kBytes;  // for the weights
    const uint8_t* const weights = c_.weights + block_index_ * LinesAtOnce(s_) * line_bytes;
    const int32_t* const init = c_.init + block_index_ * kBytes;
    for (int64_t ow = 0; ow < s_.out_columns; ow += 2 * kPixels) {
      __m512i acc[2 * lines][kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const __m512i first = _mm512_load_si512(init + v * kVectorColumns);
#pragma GCC unroll 4
        for (int g = 0; g < 2 * lines; ++g) acc[g][v] = first;
      }
      const uint8_t* w = weights;
      for (int64_t four = 0; four < fours; ++four) {
        const uint8_t* const x = c_.scratch + four * kVectors * vector_bytes + ow * width;
#pragma GCC unroll 3
        for (int64_t kw = 0; kw < num_columns; ++kw, w += kVectors * kBytes) {
          const uint8_t* at = x + offsets_[kw];
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v, at += vector_bytes) {
            const __m512i x0 = _mm512_loadu_si512(at), x1 = _mm512_loadu_si512(at + kBytes);
#pragma GCC unroll 2
            for (int l = 0; l < lines; ++l) {
              const __m512i weight = _mm512_load_si512(w + l * line_bytes + v * kBytes);
              acc[2 * l][v] = _mm512_dpbusd_epi32(acc[2 * l][v], x0, weight);
              acc[2 * l + 1][v] = _mm512_dpbusd_epi32(acc[2 * l + 1][v], x1, weight);
            }
          }
        }
      }
      store(ow, acc);
    }
  }

  // Where a pixel of y begins, in elements.
  int64_t IndexOf(int64_t oh, int64_t ow) const {
    return ((n_ * s_.out_lines + oh) * s_.out_columns + ow) * s_.channels + block_.first;
  }

  // Requantized bytes. Packs bring the channels of each lane back in order.
  template <Epilogue::Scale scale, int lines>
  struct Bytes {
    const BlockLines& line;

    TALLY_INLINE void operator()(int64_t ow, const __m512i (*acc)[kVectors]) const {
      const Epilogue& e = *line.c_.epilogue;
      __m512i y[2 * lines][kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const VectorScale<scale> rescale(e.groups[line.block_index_ * kVectors + v]);
#pragma GCC unroll 4
        for (int group = 0; group < 2 * lines; ++group) {
          y[group][v] = rescale(acc[group][v]);
          if constexpr (scale != Epilogue::Scale::kHighWord) {
            y[group][v] = _mm512_max_epi32(y[group][v], _mm512_set1_epi32(e.lo));
            y[group][v] = _mm512_min_epi32(y[group][v], _mm512_set1_epi32(e.hi));
          }
        }
      }
#pragma GCC unroll 4
      for (int group = 0; group < 2 * lines; ++group) {
        __m512i bytes = _mm512_packs_epi16(_mm512_packs_epi32(y[group][0], y[group][1]),
                                           _mm512_packs_epi32(y[group][2], y[group][3]));
        bytes = _mm512_min_epi8(_mm512_max_epi8(bytes, line.lo8_), line.hi8_);
        if (e.table != nullptr) bytes = VectorTable(e.table)(bytes);
        const int64_t column = ow + group % 2 * kPixels;
        if (column < line.s_.out_columns) line.StoreBytes(line.oh_ + group / 2, column, bytes);
      }
    }
  };

  TALLY_INLINE void StoreBytes(int64_t oh, int64_t ow, __m512i bytes) const {
    uint8_t* const y = c_.y + IndexOf(oh, ow);
    const int64_t step = s_.channels, pixels = s_.out_columns - ow;
    if constexpr (width == 64) {
      if (full) return _mm512_storeu_si512(y, bytes);
      _mm512_mask_storeu_epi8(y, mask_, bytes);
    } else if constexpr (width == 32) {
      const auto mask = static_cast<__mmask32>(mask_);
      _mm256_mask_storeu_epi8(y, mask, _mm512_castsi512_si256(bytes));
      if (pixels > 1) _mm256_mask_storeu_epi8(y + step, mask, _mm512_extracti64x4_epi64(bytes, 1));
    } else {
      const auto mask = static_cast<__mmask16>(mask_);
      _mm_mask_storeu_epi8(y, mask, _mm512_castsi512_si128(bytes));
      if (pixels > 1) _mm_mask_storeu_epi8(y + step, mask, _mm512_extracti32x4_epi32(bytes, 1));
      if (pixels > 2) _mm_mask_storeu_epi8(y + 2 * step, mask, _mm512_extracti32x4_epi32(bytes, 2));
      if (pixels > 3) _mm_mask_storeu_epi8(y + 3 * step, mask, _mm512_extracti32x4_epi32(bytes, 3));
    }
  }

  // Everything else: accumulators as they are, 16 bits, residuals.
  void StoreOneByOne(int64_t oh, int64_t ow, const __m512i* vectors) const {
    alignas(64) int32_t acc[kVectors * kVectorColumns];
    for (int v = 0; v < kVectors; ++v) _mm512_store_si512(acc + v * kVectorColumns, vectors[v]);
    for (int64_t slot = 0; slot < kBytes; ++slot) {
      const int64_t byte = slot % kVectorColumns / 4 * 16 + slot / kVectorColumns * 4 + slot % 4;
      const int64_t channel = byte % width, pixel = byte / width;
      if (channel >= block_.count || ow + pixel >= s_.out_columns) continue;
      const int64_t index = IndexOf(oh, ow + pixel) + channel;
      const int32_t y =
          ApplyEpilogue(*c_.epilogue, block_index_ * kBytes + slot, acc[slot], c_.residual, index);
      StoreElement(c_.epilogue->storage, c_.y, index, y);
    }
  }

  const DepthwiseCall& c_;
  const DepthwiseShape& s_;
  const int64_t block_index_;
  const FourLinesBlock block_;
  const FourLinesScratch scratch_;
  const int64_t n_;
  const uint64_t mask_;  // for the channels of one pixel
  const __m512i lo8_, hi8_;
  alignas(64) uint8_t outside_[kBytes];                 // pixels outside of x
  int64_t oh_ = 0;                                      // the first line of y at once
  int64_t offsets_[DepthwiseShape::kMaxKernelColumns];  // for taps, in one vector for scratch memory
};

template <int width>
void Run(const DepthwiseCall& c, int64_t n, int64_t block, int64_t begin, int64_t end) {
  if (FourLinesBlock::At(c.shape->channels, block).count == width) {
    return BlockLines<width, true>(c, n, block).Run(begin, end);
  }
  BlockLines<width, false>(c, n, block).Run(begin, end);
}

}  // namespace

void DepthwiseU8Avx512Vnni(const DepthwiseCall& c) noexcept {
  const int64_t lines = c.shape->out_lines;
  for (int64_t line = c.line_begin; line < c.line_end;) {
    const int64_t n = line / lines, begin = line % lines;
    const int64_t end = c.line_end - line < lines - begin ? begin + c.line_end - line : lines;
    for (int64_t block = c.block_begin; block < c.block_end; ++block) {
      switch (FourLinesBlock::At(c.shape->channels, block).width) {
        case 64: Run<64>(c, n, block, begin, end); break;
        case 32: Run<32>(c, n, block, begin, end); break;
        default: Run<16>(c, n, block, begin, end); break;
      }
    }
    line += end - begin;
  }
}

}  // namespace tally
