// The first and the last step of winograd.h by vectors of channels. V: a simd_*.h of x86.
#pragma once

#include "ops/cpu/gemm/epilogue_vectors.h"
#include "ops/cpu/gemm/winograd.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// The place of a tile, from tile to tile.
struct TilePlace {
  int64_t image, line, column;  // in tiles

  TilePlace(const WinogradTiles& tiles, int64_t tile)
      : image(tile / tiles.per_image()),
        line(tile % tiles.per_image() / tiles.per_line()),
        column(tile % tiles.per_line()) {}
  void Next(const WinogradTiles& tiles) {
    if (++column < tiles.per_line()) return;
    column = 0;
    if (++line * tiles.per_line() < tiles.per_image()) return;
    line = 0, ++image;
  }
};

// B^T [a, b, c, d].
template <typename V>
TALLY_INLINE void InputPoints(typename V::Int a, typename V::Int b, typename V::Int c, typename V::Int d,
                              typename V::Int (&points)[4]) {
  points[0] = V::Sub16(a, c);
  points[1] = V::Add16(b, c);
  points[2] = V::Sub16(c, b);
  points[3] = V::Sub16(b, d);
}

template <typename V>
void RunWinogradInput(const WinogradInput& c) {
  using Int = typename V::Int;
  constexpr int64_t kChannels = V::kBytes / 2;
  TilePlace place(c.tiles, c.tiles.first);
  const int64_t plane = c.point_tiles * c.depth;
  for (int64_t t = 0; t < c.tiles.count; ++t, place.Next(c.tiles)) {
    const uint8_t* const patch =
        c.x + place.image * c.image_bytes + 2 * place.line * c.line_bytes + 2 * place.column * c.pixel_bytes;
    for (int64_t channel = 0; channel < c.depth; channel += kChannels) {
      Int lines[4][4];  // by column, then by point of a line
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const uint8_t* const at = patch + j * c.pixel_bytes + channel;
        const auto load = [&](int i) __attribute__((always_inline)) {
          return V::WidenS8(at + i * c.line_bytes);
        };
        InputPoints<V>(load(0), load(1), load(2), load(3), lines[j]);
      }
      int16_t* const to = c.points + t * c.depth + channel;
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        Int points[4];
        InputPoints<V>(lines[0][i], lines[1][i], lines[2][i], lines[3][i], points);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) V::StoreUnaligned(to + (4 * i + j) * plane, points[j]);
      }
    }
  }
}

// A^T [a, b, c, d].
template <typename V>
TALLY_INLINE void OutputSums(typename V::Int a, typename V::Int b, typename V::Int c, typename V::Int d,
                             typename V::Int (&sums)[2]) {
  sums[0] = V::Add32(V::Add32(a, b), c);
  sums[1] = V::Sub32(V::Sub32(b, c), d);
}

template <typename V>
class WinogradFinish {
 public:
  explicit WinogradFinish(const WinogradOutput& c)
      : c_(c), finish_(FinishRowsOf<V>(*c.store->epilogue)), plane_(c.point_tiles * c.sum_stride) {}

  void Run() {
    for (int64_t n = 0; n * kPanel < c_.store->columns; ++n) {
      TilePlace place(c_.tiles, c_.tiles.first);
      for (int64_t t = 0; t < c_.tiles.count; t += kTilesAtOnce) {
        int64_t rows[kRows];
        for (int i = 0; i < kTilesAtOnce; ++i, place.Next(c_.tiles)) {
          const bool is_there = t + i < c_.tiles.count;
          RowsOf(place, is_there, rows + 4 * i);
          if (is_there) Sum(c_.sums + (t + i) * c_.sum_stride + n * kPanel, n, sums_[4 * i]);
        }
        finish_(*c_.store, sums_[0], rows, kRows, n);
      }
    }
  }

 private:
  using Int = typename V::Int;
  static constexpr int kTilesAtOnce = 4;
  static constexpr int kRows = 4 * kTilesAtOnce;

  // Where the four pixels of a tile begin in y.
  void RowsOf(const TilePlace& place, bool is_there, int64_t* rows) const {
    for (int i = 0; i < 4; ++i) {
      const int64_t line = 2 * place.line + i / 2, column = 2 * place.column + i % 2;
      const bool in_y = is_there && line < c_.tiles.out_lines && column < c_.tiles.out_columns;
      const int64_t pixel = (place.image * c_.tiles.out_lines + line) * c_.tiles.out_columns + column;
      rows[i] = in_y ? pixel * c_.store->columns : -1;
    }
  }

  // The sums of the four pixels of one tile, of the columns of panel `n`.
  TALLY_INLINE void Sum(const int32_t* points, int64_t n, int32_t* sums) const {
#pragma GCC unroll 1
    for (int first = 0; first < kPanel; first += V::kLanes) {
      Int lines[4][2];  // by column of points
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const auto load = [&](int i) __attribute__((always_inline)) {
          return V::LoadUnaligned(points + (4 * i + j) * plane_ + first);
        };
        OutputSums<V>(load(0), load(1), load(2), load(3), lines[j]);
      }
      const Int init = c_.init == nullptr ? V::Zero() : V::LoadUnaligned(c_.init + n * kPanel + first);
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        Int pixels[2];
        OutputSums<V>(lines[0][i], lines[1][i], lines[2][i], lines[3][i], pixels);
#pragma GCC unroll 2
        for (int j = 0; j < 2; ++j) {
          V::Store(sums + (2 * i + j) * kPanel + first, V::Add32(V::ShiftRightSigned32(pixels[j], 2), init));
        }
      }
    }
  }

  const WinogradOutput& c_;
  const FinishRows finish_;
  const int64_t plane_;
  alignas(64) int32_t sums_[kRows + 1][kPanel] = {};  // kAccumulatorOverread, and a whole line
};

template <typename V>
void RunWinogradOutput(const WinogradOutput& c) {
  WinogradFinish<V>(c).Run();
}

}  // namespace
}  // namespace tally
