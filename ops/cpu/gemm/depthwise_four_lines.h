// Depthwise convolutions of bytes by vectors: the bytes of four lines of x are brought side by side, for all
// channels of a block, and multiplied and added where a pixel reads one column of them. V: a simd_*.h.
#pragma once

#include <cstring>

#include "ops/cpu/gemm/depthwise_layouts.h"
#include "ops/cpu/gemm/epilogue_vectors.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// Lines of y of one block, whose pixels have `width` bytes, all of them channels if `full`.
template <typename V, int width, bool full>
class BlockLines {
 public:
  using Int = typename V::Int;
  static constexpr int kVectors = 4;  // accumulators of a block
  static constexpr int64_t kBytes = V::kBytes, kPixels = kBytes / width;

  // The lines of image n of the batch.
  BlockLines(const DepthwiseCall& c, int64_t n, int64_t block_index)
      : c_(c),
        s_(*c.shape),
        block_index_(block_index),
        block_(FourLinesBlock::At(s_.channels, block_index, kBytes)),
        scratch_(s_, block_),
        n_(n),
        has_gaps_(s_.stride_columns > s_.kernel_columns),
        mask_(V::ByteMaskOf(block_.count)),
        lo8_(V::Set8(static_cast<int8_t>(c.epilogue->lo))),
        hi8_(V::Set8(static_cast<int8_t>(c.epilogue->hi))) {
    std::memset(outside_, static_cast<uint8_t>(c.zero), kBytes);
    for (int64_t kw = 0; kw < s_.kernel_columns; ++kw) {
      const int64_t column = kw * s_.dilation_columns;
      offsets_[kw] =
          (column % s_.stride_columns * scratch_.phase_columns + column / s_.stride_columns) * width;
    }
  }

  void Run(int64_t begin, int64_t end) {
    if (!StoresBytes()) PrepareRows();
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
  TALLY_INLINE Int Load(const Source& source) const {
    if (full && (width == kBytes || s_.channels == width)) return V::LoadUnaligned(source.at);
    return V::template LoadPixels<width>(source.at, source.step, mask_);
  }

  // kPixels columns from `column` of x on, not all of them inside.
  Int LoadBorder(const Source& source, int64_t column) const {
    const Int outside = V::Set8(static_cast<int8_t>(c_.zero));
    if (source.line == nullptr || column + kPixels <= 0 || column >= s_.columns) return outside;
    alignas(64) uint8_t bytes[kBytes];
    V::Store(bytes, outside);
    for (int64_t p = 0; p < kPixels; ++p) {
      if (column + p < 0 || column + p >= s_.columns) continue;
      std::memcpy(bytes + p * width, source.line + (column + p) * s_.channels, block_.count);
    }
    return V::Load(bytes);
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
    const Int bias = V::Set8(-128);
    int64_t phase = 0, index = 0;
    const auto put = [&](Int x0, Int x1, Int x2, Int x3) __attribute__((always_inline)) {
      x0 = V::Xor(x0, bias), x1 = V::Xor(x1, bias), x2 = V::Xor(x2, bias), x3 = V::Xor(x3, bias);
      const Int low01 = V::UnpackLow8(x0, x1), high01 = V::UnpackHigh8(x0, x1);
      const Int low23 = V::UnpackLow8(x2, x3), high23 = V::UnpackHigh8(x2, x3);
      const Int vectors[kVectors] = {V::UnpackLow16(low01, low23), V::UnpackHigh16(low01, low23),
                                     V::UnpackLow16(high01, high23), V::UnpackHigh16(high01, high23)};
      uint8_t* at[kPixels];
      for (int64_t p = 0; p < kPixels; ++p) {
        at[p] = to + (phase * phase_columns + index) * width;
        if (++phase == stride) phase = 0, ++index;
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        if (kPixels == 1 || stride == 1) {
          V::StoreUnaligned(at[0] + v * vector_bytes, vectors[v]);
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
    // Columns between the windows stay unread.
    const auto skip = [&] {
      if (!has_gaps_ || Reads(phase)) return false;
      for (phase += kPixels; phase >= stride; phase -= stride) ++index;
      return true;
    };
    int64_t column = 0;
    for (; column < begin && column < columns; column += kPixels) {
      if (!skip()) put_border(column);
    }
    Source s0 = sources[0], s1 = sources[1], s2 = sources[2], s3 = sources[3];
    for (; column < end; column += kPixels) {
      if (!skip()) put(Load(s0), Load(s1), Load(s2), Load(s3));
      s0.at += kPixels * s0.step, s1.at += kPixels * s1.step;
      s2.at += kPixels * s2.step, s3.at += kPixels * s3.step;
    }
    for (; column < columns; column += kPixels) {
      if (!skip()) put_border(column);
    }
  }

  // Whether a tap reads one of kPixels columns, the first of which is in `phase`.
  bool Reads(int64_t phase) const {
    for (int64_t kw = 0; kw < s_.kernel_columns; ++kw) {
      const int64_t after = kw * s_.dilation_columns % s_.stride_columns - phase;
      if (after >= 0 ? after < kPixels : after + s_.stride_columns < kPixels) return true;
    }
    return false;
  }

  TALLY_INLINE static void StorePixels(uint8_t* const* at, int64_t offset, Int pixels) {
    V::template StorePixel<width, 0>(at[0] + offset, pixels);
    if constexpr (kPixels > 1) V::template StorePixel<width, 1>(at[1] + offset, pixels);
    if constexpr (kPixels > 2) V::template StorePixel<width, 2>(at[2] + offset, pixels);
    if constexpr (kPixels > 2) V::template StorePixel<width, 3>(at[3] + offset, pixels);
  }

  // Whether packs of requantized bytes bring channels back in order.
  bool StoresBytes() const {
    const Epilogue& e = *c_.epilogue;
    return e.storage == Storage::kI8 && !e.has_residual && e.scale != Epilogue::Scale::kNone;
  }

  // `lines` lines of y, from oh_ on.
  template <int lines>
  void Lines() const {
    const Epilogue& e = *c_.epilogue;
    if (StoresBytes() && e.scale == Epilogue::Scale::kShort) {
      ForEachGroup<lines>(Bytes<Epilogue::Scale::kShort, lines>{*this});
    } else if (StoresBytes() && e.scale == Epilogue::Scale::kHighWord) {
      ForEachGroup<lines>(Bytes<Epilogue::Scale::kHighWord, lines>{*this});
    } else if (StoresBytes()) {
      ForEachGroup<lines>(Bytes<Epilogue::Scale::kAnyShift, lines>{*this});
    } else {
      ForEachGroup<lines>([&](int64_t ow, const Int(*acc)[kVectors]) {
        for (int g = 0; g < 2 * lines; ++g) StoreRows(oh_ + g / 2, ow + g % 2 * kPixels, acc[g]);
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
    constexpr int64_t kWeightBytes = V::kLanes * V::kFourWeightBytes;  // for one vector
    const int64_t line_bytes = fours * num_columns * kVectors * kWeightBytes;
    const uint8_t* const weights = c_.weights + block_index_ * LinesAtOnce(s_) * line_bytes;
    const int32_t* const init = c_.init + block_index_ * kBytes;
    constexpr int kAtOnce = V::kDepthwiseVectors;
    for (int64_t ow = 0; ow < s_.out_columns; ow += 2 * kPixels) {
      Int acc[2 * lines][kVectors];
#pragma GCC unroll 4
      for (int first = 0; first < kVectors; first += kAtOnce) {
#pragma GCC unroll 4
        for (int v = first; v < first + kAtOnce; ++v) {
          const Int start = V::Load(init + v * V::kLanes);
#pragma GCC unroll 4
          for (int g = 0; g < 2 * lines; ++g) acc[g][v] = start;
        }
        const uint8_t* w = weights;
        for (int64_t four = 0; four < fours; ++four) {
          const uint8_t* const x = c_.scratch + four * kVectors * vector_bytes + ow * width;
#pragma GCC unroll 3
          for (int64_t kw = 0; kw < num_columns; ++kw, w += kVectors * kWeightBytes) {
            const uint8_t* at = x + offsets_[kw] + first * vector_bytes;
#pragma GCC unroll 4
            for (int v = first; v < first + kAtOnce; ++v, at += vector_bytes) {
              const typename V::FourBytes x0(V::LoadUnaligned(at)), x1(V::LoadUnaligned(at + kBytes));
#pragma GCC unroll 2
              for (int l = 0; l < lines; ++l) {
                const uint8_t* const of_line = w + l * line_bytes + v * kWeightBytes;
                acc[2 * l][v] = V::DotFour(acc[2 * l][v], x0, of_line);
                acc[2 * l + 1][v] = V::DotFour(acc[2 * l + 1][v], x1, of_line);
              }
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

    TALLY_INLINE void operator()(int64_t ow, const Int (*acc)[kVectors]) const {
      const Epilogue& e = *line.c_.epilogue;
      constexpr int kOfGroup = kVectorColumns / V::kLanes;
      const ScaleGroup* const groups = e.groups + line.block_index_ * (kVectors / kOfGroup);
      Int y[2 * lines][kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const VectorScale<V, scale> rescale(groups[v / kOfGroup], v % kOfGroup * V::kLanes);
#pragma GCC unroll 4
        for (int group = 0; group < 2 * lines; ++group) {
          y[group][v] = rescale(acc[group][v]);
          if constexpr (scale == Epilogue::Scale::kAnyShift) {
            y[group][v] = V::Clamp32(y[group][v], V::Set32(e.lo), V::Set32(e.hi));
          }
        }
      }
#pragma GCC unroll 4
      for (int group = 0; group < 2 * lines; ++group) {
        Int bytes = V::Packs16(V::Packs32(y[group][0], y[group][1]), V::Packs32(y[group][2], y[group][3]));
        bytes = V::Clamp8(bytes, line.lo8_, line.hi8_);
        if (e.table != nullptr) bytes = V::LookUp(e.table, bytes);
        const int64_t column = ow + group % 2 * kPixels;
        if (column < line.s_.out_columns) line.StoreBytes(line.oh_ + group / 2, column, bytes);
      }
    }
  };

  TALLY_INLINE void StoreBytes(int64_t oh, int64_t ow, Int bytes) const {
    uint8_t* const y = c_.y + IndexOf(oh, ow);
    const int64_t pixels = s_.out_columns - ow;
    StorePixel<0>(y, bytes);
    if constexpr (kPixels > 1) {
      if (pixels > 1) StorePixel<1>(y + s_.channels, bytes);
    }
    if constexpr (kPixels > 2) {
      if (pixels > 2) StorePixel<2>(y + 2 * s_.channels, bytes);
      if (pixels > 3) StorePixel<3>(y + 3 * s_.channels, bytes);
    }
  }

  template <int p>
  TALLY_INLINE void StorePixel(uint8_t* y, Int bytes) const {
    if constexpr (full) return V::template StorePixel<width, p>(y, bytes);
    V::template StorePixel<width, p>(y, bytes, mask_);
  }

  // Everything else: accumulators as they are, 16 bits, residuals. Channels are brought back in order.
  void StoreRows(int64_t oh, int64_t ow, const Int* vectors) const {
    constexpr int kRowsAtOnce = StoredRows<V>(1);
    alignas(64) int32_t slots[kBytes], acc[kBytes + kRowsAtOnce * kPanel] = {};
    for (int v = 0; v < kVectors; ++v) V::Store(slots + v * V::kLanes, vectors[v]);
    for (int64_t slot = 0; slot < kBytes; slot += 4) std::memcpy(acc + ByteOf(slot), slots + slot, 16);
    for (int64_t p = 0; p < kPixels && ow + p < s_.out_columns; ++p) {
      const int64_t rows[2] = {IndexOf(oh, ow + p) - block_.first, -1};
      for (int64_t first = 0; first < block_.count; first += kPanel) {
        finish_rows_(rows_, acc + p * width + first, rows, kRowsAtOnce, first / kPanel);
      }
    }
  }

  // The place of a slot's channel in a vector of bytes.
  static int64_t ByteOf(int64_t slot) { return slot % V::kLanes / 4 * 16 + slot / V::kLanes * 4 + slot % 4; }

  // The scales in the order of channels, and a row of y that begins with this block.
  void PrepareRows() {
    const Epilogue& e = *c_.epilogue;
    in_order_ = e;
    in_order_.groups = scales_;
    const ScaleGroup* const groups = e.groups + block_index_ * (kBytes / kVectorColumns);
    for (int64_t slot = 0; slot < kBytes && e.scale != Epilogue::Scale::kNone; ++slot) {
      const ScaleGroup& from = groups[slot / kVectorColumns];
      ScaleGroup& to = scales_[ByteOf(slot) % width / kVectorColumns];
      const int64_t i = slot % kVectorColumns, k = ByteOf(slot) % kVectorColumns;
      to.multiplier[k] = from.multiplier[i];
      if (k % 2 == 1) to.multiplier_odd[k - 1] = from.multiplier[i];
      (k % 2 == 0 ? to.addend_even : to.addend_odd)[k / 2] =
          (i % 2 == 0 ? from.addend_even : from.addend_odd)[i / 2];
      to.shift[k] = from.shift[i];
      to.multiplier_high[k] = from.multiplier_high[i];
      to.addend_high[k] = from.addend_high[i];
    }
    finish_rows_ = FinishRowsOf<V>(e);
    rows_ = {
        .epilogue = &in_order_,
        .y = c_.y + block_.first * SizeBytes(e.storage),
        .residual = e.has_residual ? c_.residual + block_.first * SizeBytes(e.residual.storage) : nullptr,
        .columns = block_.count};
  }

  const DepthwiseCall& c_;
  const DepthwiseShape& s_;
  const int64_t block_index_;
  const FourLinesBlock block_;
  const FourLinesScratch scratch_;
  const int64_t n_;
  const bool has_gaps_;              // between the columns that windows read
  const typename V::ByteMask mask_;  // for the channels of one pixel
  const Int lo8_, hi8_;
  alignas(64) uint8_t outside_[kBytes];  // pixels outside of x
  int64_t oh_ = 0;                       // the first line of y at once
  Epilogue in_order_;                    // PrepareRows'
  ScaleGroup scales_[kBytes / kVectorColumns];
  GemmArgs rows_;
  FinishRows finish_rows_ = nullptr;
  int64_t offsets_[DepthwiseShape::kMaxKernelColumns];  // for taps, in one vector for scratch memory
};

template <typename V, int width>
void RunBlock(const DepthwiseCall& c, int64_t n, int64_t block, int64_t begin, int64_t end) {
  if (FourLinesBlock::At(c.shape->channels, block, V::kBytes).count == width) {
    return BlockLines<V, width, true>(c, n, block).Run(begin, end);
  }
  BlockLines<V, width, false>(c, n, block).Run(begin, end);
}

template <typename V>
void RunDepthwiseBytes(const DepthwiseCall& c) {
  const int64_t lines = c.shape->out_lines, channels = c.shape->channels;
  for (int64_t line = c.line_begin; line < c.line_end;) {
    const int64_t n = line / lines, begin = line % lines;
    const int64_t end = c.line_end - line < lines - begin ? begin + c.line_end - line : lines;
    const int64_t block_end = CeilDiv<int64_t>(c.end_channel(), V::kBytes);
    for (int64_t block = c.first_channel() / V::kBytes; block < block_end; ++block) {
      const int64_t width = FourLinesBlock::At(channels, block, V::kBytes).width;
      if (width == V::kBytes) {
        RunBlock<V, V::kBytes>(c, n, block, begin, end);
      } else if (width == V::kBytes / 2) {
        RunBlock<V, V::kBytes / 2>(c, n, block, begin, end);
      } else if constexpr (V::kBytes == 64) {
        RunBlock<V, 16>(c, n, block, begin, end);
      }
    }
    line += end - begin;
  }
}

}  // namespace
}  // namespace tally
