// Weighted sums of signed bytes on the matrix unit: an implicit product of matrices.
//
// Row r of the left side is what result r reads: for each tap of the kernel the channels of one pixel, a multiple of 16
// bytes. It is never written out: blocks copy chunks of 16 bytes from where they lie. The right side is packed by
// columns. A block computes a tile of kM rows and kN columns in steps of 64 bytes of depth; copies of the next steps
// fly while a step is multiplied.
//
// Operands of 16 bits are two planes of bytes each: the products of planes are terms, which the depth holds one after the
// other, those of the highest weight first; ahead of the next weight the sums are multiplied by 256. All of it is exact
// modulo 2^32.
#pragma once

#include "ops/linear/direct_device.h"
#include "ops/linear/epilogue_device.h"
#include "ops/linear/stage_device.h"

namespace tally::cuda {

inline constexpr int kStepBytes = 64;  // of depth
inline constexpr int kChunksOfStep = kStepBytes / kChunk;
inline constexpr int kStages = 3;  // steps in shared memory

// Of a block; each of its warps computes kWarpM x kWarpN of it.
template <int kRows, int kColumns, int kRowsOfWarp, int kColumnsOfWarp>
struct SumsTile {
  static constexpr int kM = kRows, kN = kColumns, kWarpM = kRowsOfWarp, kWarpN = kColumnsOfWarp;
  static constexpr int kWarpsN = kN / kWarpN;
  static constexpr int kThreads = kM / kWarpM * kWarpsN * kWarp;
  static constexpr int kStageBytes = (kM + kN) * kStepBytes;
  static constexpr int kSharedBytes = kStages * kStageBytes;
  static constexpr int kRowsAtOnce = kThreads / kChunksOfStep;  // that one round of copies brings
  static constexpr int kSumsStride = kN + 8;  // of rows of finished sums: rows begin in different banks
  static_assert(kM % kRowsAtOnce == 0 && kN % kRowsAtOnce == 0);
  static_assert(kThreads % kN == 0 && kM / 2 * kSumsStride * 4 <= kSharedBytes);
};
using LargeTile = SumsTile<128, 128, 64, 32>;
using SmallTile = SumsTile<64, 64, 32, 32>;

// By how much a tap is away from the first position of a window, in stretched positions.
struct Tap {
  int at[3];
};

// A product of one plane of x and one of w.
struct Term {
  int64_t x_offset;  // bytes from plane 0
  int w_plane;
  uint32_t fill;  // four times the byte outside of x
  bool scales;    // the sums so far are multiplied by 256
};
inline constexpr int kMaxTerms = 4;

struct SumsParams {
  ConvolutionGeometry geometry;  // x in bytes
  Term terms[kMaxTerms];
  int64_t rows, pixels;  // pixels of an image
  int columns;
  int taps, chunks;  // chunks of a tap
  int steps, steps_of_term;
  int64_t x_group, w_group, w_column, y_group;  // groups: blocks along z
  int columns_group, init_group;                // columns between groups
  int64_t y_image, y_pixel, y_column;

  bool has_init;  // in SumsMemory::kInit, besides that of the columns
  Epilogue epilogue;
};

// 16-byte chunk `chunk` of a row of a step. Rows that ldmatrix reads together lie in different banks.
TALLY_DEVICE int ChunkOffset(int row, int chunk) {
  return row * kStepBytes + (chunk ^ (row / 2 % kChunksOfStep)) * kChunk;
}

// The first position that a row reads.
struct RowPlace {
  int64_t image;  // byte of its image; -1 behind the last row
  int first[3];
};

TALLY_DEVICE RowPlace PlaceOfRow(const SumsParams& p, int64_t row) {
  if (row >= p.rows) return {-1, {0, 0, 0}};
  const ConvolutionGeometry& g = p.geometry;
  const int64_t image = row / p.pixels;
  const int pixel = static_cast<int>(row - image * p.pixels);
  const int x = pixel % g.out[2], y = pixel / g.out[2] % g.out[1], z = pixel / g.out[2] / g.out[1];
  return {image * g.x_image,
          {z * g.stride[0] - g.pad[0], y * g.stride[1] - g.pad[1], x * g.stride[2] - g.pad[2]}};
}

// The byte at which the channels of a tap begin, or -1 outside of x.
TALLY_DEVICE int64_t SourceOfTap(const ConvolutionGeometry& g, const RowPlace& place, const Tap& tap) {
  if (place.image < 0) return -1;
  int64_t source = place.image;
  for (int axis = 0; axis < 3; ++axis) {
    const int position = PositionIn(g, axis, place.first[axis] + tap.at[axis]);
    if (position < 0) return -1;
    source += position * g.x_axis[axis];
  }
  return source;
}

// The chunks of one step that this thread brings to shared memory.
template <typename Tile>
TALLY_DEVICE void CopyStep(const Thread& t, const Memory& m, const SumsParams& p, const RowPlace* places,
                           int step) {
  const int chunk = t.x() % kChunksOfStep, first_row = t.x() / kChunksOfStep;
  const Term& term = p.terms[step / p.steps_of_term];
  const int step_of_term = step % p.steps_of_term;
  const int k = step_of_term * kChunksOfStep + chunk;
  const int tap = k / p.chunks;
  const int stage = step % kStages * Tile::kStageBytes;
  const uint8_t* const x =
      m.at[SumsMemory::kX] + t.block_z() * p.x_group + term.x_offset + (k - tap * p.chunks) * kChunk;
  TALLY_UNROLL
  for (int i = 0; i < Tile::kM / Tile::kRowsAtOnce; ++i) {
    const int to = stage + ChunkOffset(first_row + i * Tile::kRowsAtOnce, chunk);
    const int64_t source =
        tap < p.taps ? SourceOfTap(p.geometry, places[i], m.as<Tap>(SumsMemory::kTaps)[tap]) : -1;
    if (source >= 0) {
      t.CopyAsync16(to, x + source);
    } else {
      t.template StoreShared<Bytes16>(to, {term.fill, term.fill, term.fill, term.fill});
    }
  }
  const uint8_t* const w = m.at[SumsMemory::kWeights] + t.block_z() * p.w_group +
                           (int64_t{term.w_plane} * p.steps_of_term + step_of_term) * kStepBytes +
                           chunk * kChunk;
  TALLY_UNROLL
  for (int i = 0; i < Tile::kN / Tile::kRowsAtOnce; ++i) {
    const int column = first_row + i * Tile::kRowsAtOnce;
    t.CopyAsync16(stage + Tile::kM * kStepBytes + ChunkOffset(column, chunk),
                  w + (int64_t{t.block_y()} * Tile::kN + column) * p.w_column);
  }
}

template <typename Tile>
TALLY_DEVICE void MultiplyStep(const Thread& t, int stage,
                               int32_t (&sums)[Tile::kWarpM / 16][Tile::kWarpN / 8][4]) {
  const int warp_row = t.warp() / Tile::kWarpsN * Tile::kWarpM,
            warp_column = t.warp() % Tile::kWarpsN * Tile::kWarpN;
  const int row = t.lane() % 8, matrix = t.lane() / 8;
  TALLY_UNROLL
  for (int half = 0; half < 2; ++half) {
    uint32_t a[Tile::kWarpM / 16][4], b[Tile::kWarpN / 8][2];
    TALLY_UNROLL
    for (int i = 0; i < Tile::kWarpM / 16; ++i) {
      t.LoadMatrix4(stage + ChunkOffset(warp_row + i * 16 + row + matrix % 2 * 8, half * 2 + matrix / 2),
                    a[i]);
    }
    TALLY_UNROLL
    for (int j = 0; j < Tile::kWarpN / 8; j += 2) {
      uint32_t r[4];
      t.LoadMatrix4(stage + Tile::kM * kStepBytes +
                        ChunkOffset(warp_column + j * 8 + row + matrix / 2 * 8, half * 2 + matrix % 2),
                    r);
      b[j][0] = r[0], b[j][1] = r[1], b[j + 1][0] = r[2], b[j + 1][1] = r[3];
    }
    TALLY_UNROLL
    for (int i = 0; i < Tile::kWarpM / 16; ++i) {
      TALLY_UNROLL
      for (int j = 0; j < Tile::kWarpN / 8; ++j) t.MultiplyS8(sums[i][j], a[i], b[j]);
    }
  }
}

template <typename Tile>
TALLY_DEVICE void ScaleSums(int32_t (&sums)[Tile::kWarpM / 16][Tile::kWarpN / 8][4]) {
  TALLY_UNROLL
  for (int i = 0; i < Tile::kWarpM / 16; ++i) {
    TALLY_UNROLL
    for (int j = 0; j < Tile::kWarpN / 8; ++j) {
      TALLY_UNROLL
      for (int k = 0; k < 4; ++k)
        sums[i][j][k] = static_cast<int32_t>(static_cast<uint32_t>(sums[i][j][k]) << 8);
    }
  }
}

// Through shared memory, half of the rows of every warp at a time, so that threads finish neighbours of one row, and each
// of them the same column always.
template <typename Tile>
TALLY_DEVICE void StoreSums(const Thread& t, const Memory& m, const SumsParams& p,
                            const int32_t (&sums)[Tile::kWarpM / 16][Tile::kWarpN / 8][4]) {
  constexpr int kHalf = Tile::kWarpM / 2, kRows = Tile::kM / 2;
  const int warp_row = t.warp() / Tile::kWarpsN * kHalf + t.lane() / 4;
  const int warp_column = t.warp() % Tile::kWarpsN * Tile::kWarpN + t.lane() % 4 * 2;
  const int n = t.x() % Tile::kN, column_of_group = t.block_y() * Tile::kN + n;
  const bool exists = column_of_group < p.columns;
  const Column column =
      m.as<Column>(SumsMemory::kColumns)[exists ? t.block_z() * p.columns_group + column_of_group : 0];
  uint32_t init = static_cast<uint32_t>(column.init);
  if (p.has_init) {
    init += m.as<uint32_t>(SumsMemory::kInit)[exists ? t.block_z() * p.init_group + column_of_group : 0];
  }
  TALLY_UNROLL
  for (int half = 0; half < 2; ++half) {
    t.Barrier();  // everyone has left what lay here
    TALLY_UNROLL
    for (int r = 0; r < kHalf / 8; ++r) {
      TALLY_UNROLL
      for (int c = 0; c < Tile::kWarpN / 4; ++c) {
        const int to = (warp_row + r * 8) * Tile::kSumsStride + warp_column + c / 2 * 8 + c % 2;
        t.template StoreShared<int32_t>(to * 4, sums[half * (kHalf / 16) + r / 2][c / 2][r % 2 * 2 + c % 2]);
      }
    }
    t.Barrier();
    for (int r = t.x() / Tile::kN; r < kRows; r += Tile::kThreads / Tile::kN) {
      const int64_t row =
          int64_t{t.block_x()} * Tile::kM + r / kHalf * Tile::kWarpM + half * kHalf + r % kHalf;
      if (!exists || row >= p.rows) continue;
      const int64_t image = row / p.pixels;
      const uint32_t sum =
          static_cast<uint32_t>(t.template LoadShared<int32_t>((r * Tile::kSumsStride + n) * 4)) + init;
      FinishSum(p.epilogue, m, column, static_cast<int32_t>(sum),
                t.block_z() * p.y_group + image * p.y_image + (row - image * p.pixels) * p.y_pixel +
                    column_of_group * p.y_column);
    }
  }
}

template <typename Tile>
TALLY_DEVICE void Sums(const Thread& t, const Memory& m, const SumsParams& p) {
  RowPlace places[Tile::kM / Tile::kRowsAtOnce];
  TALLY_UNROLL
  for (int i = 0; i < Tile::kM / Tile::kRowsAtOnce; ++i) {
    places[i] =
        PlaceOfRow(p, int64_t{t.block_x()} * Tile::kM + t.x() / kChunksOfStep + i * Tile::kRowsAtOnce);
  }
  int32_t sums[Tile::kWarpM / 16][Tile::kWarpN / 8][4] = {};
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < p.steps) CopyStep<Tile>(t, m, p, places, step);
    t.CommitCopies();
  }
  for (int step = 0; step < p.steps; ++step) {
    t.template WaitCopies<kStages - 2>();
    t.Barrier();  // step `step` is there, and everyone has left step - 1
    if (step + kStages - 1 < p.steps) CopyStep<Tile>(t, m, p, places, step + kStages - 1);
    t.CommitCopies();
    if (step % p.steps_of_term == 0 && p.terms[step / p.steps_of_term].scales) ScaleSums<Tile>(sums);
    MultiplyStep<Tile>(t, step % kStages * Tile::kStageBytes, sums);
  }
  t.template WaitCopies<0>();
  StoreSums<Tile>(t, m, p, sums);
}

}  // namespace tally::cuda
