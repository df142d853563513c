// The rows of a tile of signed bytes as a kernel multiplies them: as 16 bits (kS8Pairs), or plus 128
// (kBiasedS8). They are copied once for all panels that are visited together, and as much of K as the
// second-level cache holds easily.
#pragma once

#include <cstring>

#include "ops/cpu/gemm/always_inline.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// For a row at once: the 3x3 taps of 512 channels.
inline constexpr int64_t kMostCopiedKGroups = 1168;

template <typename V, Element element, int tile_rows>
class CopiedRows {
 public:
  // K-groups first .. of the rows of a tile, all segments one after the other. Panels that follow each other
  // find those of the last one.
  TALLY_INLINE void Read(const GemmArgs& c, int64_t tile, int64_t first, int64_t count) {
    if (tile == tile_ && first == first_) return;
    tile_ = tile, first_ = first;
    Copy(c, c.tiles[tile], first, count);
  }

  TALLY_INLINE const uint8_t* rows() const { return bytes_; }
  TALLY_INLINE int64_t row_stride() const { return row_stride_; }

 private:
  static constexpr int64_t kBytes = IsWidened(element) ? 2 : 1;  // for each of x
  static constexpr int64_t kLine = 64;

  [[gnu::noinline]] void Copy(const GemmArgs& c, const MTile& tile, int64_t first, int64_t count) {
    const int64_t per_segment = c.k_groups_per_segment, bytes = count * kKGroup;
    if (c.num_segments == 1 && count == per_segment && c.row_stride <= kMostInOne) {
      row_stride_ = c.row_stride * kBytes;
      return CopyBytes(c.x + tile.x_offset + c.segments[0], (tile.rows - 1) * c.row_stride + bytes, bytes_);
    }
    // An odd number of lines, so that rows use all sets of a cache.
    row_stride_ = ((bytes * kBytes + kLine - 1) / kLine | 1) * kLine;
    int64_t segment = first / per_segment, from = first % per_segment;
    for (int64_t done = 0; done < count; ++segment, from = 0) {
      const int64_t n = per_segment - from < count - done ? per_segment - from : count - done;
      const uint8_t* x = c.x + tile.x_offset + c.segments[segment] + from * kKGroup;
      for (int r = 0; r < tile.rows; ++r, x += c.row_stride) {
        CopyBytes(x, n * kKGroup, bytes_ + r * row_stride_ + done * kKGroup * kBytes);
      }
      done += n;
    }
  }

  static TALLY_INLINE void CopyBytes(const uint8_t* x, int64_t count, uint8_t* to) {
    if constexpr (IsWidened(element)) return Widen(x, count, to);
    const auto bias = V::Set8(-128);
    for (; count >= V::kBytes; count -= V::kBytes, x += V::kBytes, to += V::kBytes) {
      V::StoreUnaligned(to, V::Xor(V::LoadUnaligned(x), bias));
    }
    if constexpr (V::kBytes > 32) {
      if (count >= 32) V::Tails::FlipSigns32(x, to), count -= 32, x += 32, to += 32;
    }
    for (; count >= 4; count -= 4, x += 4, to += 4) {
      uint32_t four;
      std::memcpy(&four, x, sizeof four);
      four ^= 0x80808080;
      std::memcpy(to, &four, sizeof four);
    }
    for (; count > 0; --count) *to++ = *x++ ^ 0x80;
  }

  static TALLY_INLINE void Widen(const uint8_t* x, int64_t count, uint8_t* to) {
    for (constexpr int kBytes = V::kBytes / 2; count >= kBytes;
         count -= kBytes, x += kBytes, to += V::kBytes) {
      V::StoreUnaligned(to, V::WidenS8(x));
    }
    if constexpr (V::kBytes > 32) {
      if (count >= 16) V::Tails::Widen16(x, to), count -= 16, x += 16, to += 32;
    }
    if constexpr (V::kBytes > 16) {
      if (count >= 8) V::Tails::Widen8(x, to), count -= 8, x += 8, to += 16;
      if (count >= 4) V::Tails::Widen4(x, to), count -= 4, x += 4, to += 8;
    }
    for (; count > 0; --count, to += 2) {
      const int16_t one = static_cast<int8_t>(*x++);
      std::memcpy(to, &one, sizeof one);
    }
  }

  // Rows of so many bytes are copied with what is between them.
  static constexpr int64_t kMostInOne = 512;

  int64_t tile_ = -1, first_ = 0, row_stride_ = 0;
  alignas(64) uint8_t bytes_[tile_rows * (kMostCopiedKGroups * kKGroup * kBytes / kLine + 1) * kLine];
};

}  // namespace
}  // namespace tally
