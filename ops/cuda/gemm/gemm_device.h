// GEMM of signed bytes on the matrix unit: an implicit product of matrices, up to the instructions that
// multiply (gemm_mma_device.h, gemm_wgmma_device.h).
//
// Row r of the left side is what result r reads: for each tap of the kernel the channels of one pixel, a
// multiple of 16 bytes. It is never written out: blocks copy chunks of 16 bytes from where they are. The
// right side is packed by columns. A block computes a tile of kM rows and kN columns in steps of depth;
// copies of the next steps fly while a step is multiplied.
//
// Operands of 16 bits are two limbs of a byte each: the products of limbs are terms, which the depth holds
// one after the other, those of the highest weight first; ahead of the next weight the accumulators are
// multiplied by 256. All of it is exact modulo 2^32.
#pragma once

#include "ops/cuda/gemm/direct_device.h"
#include "ops/cuda/gemm/epilogue_device.h"
#include "ops/cuda/gemm/pack_activation_device.h"

namespace tally::cuda {

// The tile of a block; each of its warps computes kWarpM x kWarpN of it. kStages steps are in shared memory.
template <int kRows, int kColumns, int kRowsOfWarp, int kColumnsOfWarp, int kBytesOfStep, int kSteps>
struct GemmTile {
  static constexpr int kM = kRows, kN = kColumns, kWarpM = kRowsOfWarp, kWarpN = kColumnsOfWarp;
  static constexpr int kStepBytes = kBytesOfStep, kStages = kSteps;
  static constexpr int kChunksOfStep = kStepBytes / kChunk;
  static constexpr int kWarpsN = kN / kWarpN;
  static constexpr int kThreads = kM / kWarpM * kWarpsN * kWarp;
  static constexpr int kStageBytes = (kM + kN) * kStepBytes;
  static constexpr int kSharedBytes = kStages * kStageBytes;
  static constexpr int kRowsAtOnce = kThreads / kChunksOfStep;  // that one round of copies brings
  // For rows of accumulators: rows begin in different banks.
  static constexpr int kAccumulatorStride = kN + 8;
  static_assert(kM % kRowsAtOnce == 0 && kN % kRowsAtOnce == 0);
  static_assert(kThreads % kN == 0 && kM / 2 * kAccumulatorStride * 4 <= kSharedBytes);

  // 16-byte chunk `chunk` of a row of a step. Rows that are read together are in different banks.
  static TALLY_DEVICE int ChunkOffset(int row, int chunk) {
    return Swizzled(row * kStepBytes + chunk * kChunk);
  }
};

// By how much a tap is away from the first position of a window, in dilated positions.
struct Tap {
  int at[3];
};

// A product of one limb of x and one of w.
struct Term {
  int64_t x_offset, w_offset;  // bytes from limb 0
  uint32_t fill;               // four times the byte outside of x
  bool scales;                 // the accumulators so far are multiplied by 256
};
inline constexpr int kMaxTerms = 4;

struct GemmParams {
  ConvolutionGeometry geometry;  // x in bytes
  Term terms[kMaxTerms];
  int term_count, steps_of_term;
  int64_t rows, pixels;  // pixels of an image
  int columns;
  int blocks_m, blocks_n;                       // tiles of rows, of columns
  int taps, chunks;                             // chunks of a tap
  int64_t x_group, w_group, w_column, y_group;  // groups: blocks along z
  int columns_group, init_group;                // columns between groups
  int64_t y_image, y_pixel, y_column;

  bool has_init;  // in GemmMemory::kInit, besides that of the columns
  Storage init_storage;
  Epilogue epilogue;
};

// The tile of a block. Blocks that run together have rows of kBand tiles and columns around each other, so
// that what they read is in the cache for all of them.
struct TileCoord {
  static constexpr int kBand = 16;
  int64_t row;
  int column;

  TALLY_DEVICE TileCoord(const Thread& t, const GemmParams& p, int tile_rows, int tile_columns) {
    const int of_band = t.block_x() % (kBand * p.blocks_n), band = (t.block_x() - of_band) / p.blocks_n;
    const int tiles = p.blocks_m - band < kBand ? p.blocks_m - band : kBand;
    column = of_band / tiles * tile_columns;
    row = (band + int64_t{of_band % tiles}) * tile_rows;
  }
};

// The first position that a row reads.
struct RowOrigin {
  int64_t image;  // byte of its image; -1 after the last row
  int first[3];
};

// Divisions of 64 bits are slow: products, of one image, and most convolutions need none.
TALLY_DEVICE int64_t ImageOfRow(const GemmParams& p, int64_t row) {
  if (row < p.pixels) return 0;
  if (p.rows > INT32_MAX) return row / p.pixels;
  return static_cast<uint32_t>(row) / static_cast<uint32_t>(p.pixels);
}

TALLY_DEVICE RowOrigin OriginOfRow(const GemmParams& p, int64_t row) {
  if (row >= p.rows) return {-1, {0, 0, 0}};
  const ConvolutionGeometry& g = p.geometry;
  const int64_t image = ImageOfRow(p, row);
  const int pixel = static_cast<int>(row - image * p.pixels);
  const int x = pixel % g.out[2], y = pixel / g.out[2] % g.out[1], z = pixel / g.out[2] / g.out[1];
  return {image * g.x_image,
          {z * g.stride[0] - g.pad[0], y * g.stride[1] - g.pad[1], x * g.stride[2] - g.pad[2]}};
}

// The byte at which the channels of a tap begin, or -1 outside of x.
TALLY_DEVICE int64_t SourceOfTap(const ConvolutionGeometry& g, const RowOrigin& origin, const Tap& tap) {
  if (origin.image < 0) return -1;
  int64_t source = origin.image;
  for (int axis = 0; axis < 3; ++axis) {
    const int position = PositionIn(g, axis, origin.first[axis] + tap.at[axis]);
    if (position < 0) return -1;
    source += position * g.x_axis[axis];
  }
  return source;
}

// The bytes of every step that one thread brings to shared memory: a chunk of some rows and of some columns.
template <typename Tile>
class StepCopies {
 public:
  TALLY_DEVICE StepCopies(const Thread& t, const Memory& m, const GemmParams& p, const TileCoord& tile)
      : t_(t),
        m_(m),
        p_(p),
        chunk_(t.x() % Tile::kChunksOfStep),
        first_(t.x() / Tile::kChunksOfStep),
        first_column_(tile.column + first_),
        x_(m.at[GemmMemory::kX] + t.block_z() * p.x_group),
        w_(m.at[GemmMemory::kWeights] + t.block_z() * p.w_group + chunk_ * kChunk) {
    TALLY_UNROLL
    for (int i = 0; i < kRowCopies; ++i) {
      origins_[i] = OriginOfRow(p, tile.row + first_ + i * Tile::kRowsAtOnce);
    }
    Find(chunk_);
  }

  // The next step, as one group of copies, which is empty after the last step.
  TALLY_DEVICE void BeginNext() {
    if (term_ < p_.term_count) {
      Copy();
      Advance();
    }
    t_.CommitCopies();
  }

 private:
  static constexpr int kRowCopies = Tile::kM / Tile::kRowsAtOnce,
                       kColumnCopies = Tile::kN / Tile::kRowsAtOnce;

  TALLY_DEVICE void Copy() {
    const Term& term = p_.terms[term_];
    if (tap_ != tap_of_sources_) FindSources();
    const uint8_t* const x = x_ + term.x_offset + chunk_of_tap_ * kChunk;
    TALLY_UNROLL
    for (int i = 0; i < kRowCopies; ++i) {
      const int to = stage_ + Tile::ChunkOffset(first_ + i * Tile::kRowsAtOnce, chunk_);
      if (sources_[i] >= 0) {
        t_.CopyAsync16(to, x + sources_[i]);
      } else {
        t_.template StoreShared<Bytes16>(to, {term.fill, term.fill, term.fill, term.fill});
      }
    }
    const uint8_t* const w = w_ + term.w_offset + int64_t{step_of_term_} * Tile::kStepBytes;
    TALLY_UNROLL
    for (int i = 0; i < kColumnCopies; ++i) {
      const int column = first_ + i * Tile::kRowsAtOnce, of_group = first_column_ + i * Tile::kRowsAtOnce;
      // After the last column that one again: what it gives is not stored.
      const int existing = of_group < p_.columns ? of_group : p_.columns - 1;
      t_.CopyAsync16(stage_ + Tile::kM * Tile::kStepBytes + Tile::ChunkOffset(column, chunk_),
                     w + existing * p_.w_column);
    }
  }

  // To the chunk of the next step, without a division: steps are begun in their order.
  TALLY_DEVICE void Advance() {
    stage_ += Tile::kStageBytes;
    if (stage_ == Tile::kSharedBytes) stage_ = 0;
    if (++step_of_term_ == p_.steps_of_term) {
      ++term_;
      step_of_term_ = 0;
      Find(chunk_);
    } else {
      Find(chunk_of_tap_ + Tile::kChunksOfStep);
    }
  }

  // The tap that has chunk `chunk`, counted from the first of tap_, or from the first of all.
  TALLY_DEVICE void Find(int chunk) {
    if (step_of_term_ == 0) tap_ = 0;
    for (chunk_of_tap_ = chunk; chunk_of_tap_ >= p_.chunks; ++tap_) chunk_of_tap_ -= p_.chunks;
  }

  // Taps change slowly: one has many steps where there are many channels.
  TALLY_DEVICE void FindSources() {
    tap_of_sources_ = tap_;
    TALLY_UNROLL
    for (int i = 0; i < kRowCopies; ++i) {
      sources_[i] =
          tap_ < p_.taps ? SourceOfTap(p_.geometry, origins_[i], m_.as<Tap>(GemmMemory::kTaps)[tap_]) : -1;
    }
  }

  const Thread& t_;
  const Memory& m_;
  const GemmParams& p_;
  const int chunk_, first_, first_column_;
  const uint8_t *const x_, *const w_;
  RowOrigin origins_[kRowCopies];
  int64_t sources_[kRowCopies];  // at tap tap_of_sources_
  int tap_of_sources_ = -1;
  // The next step: where it goes, and its chunk.
  int stage_ = 0, term_ = 0, step_of_term_ = 0, tap_ = 0, chunk_of_tap_ = 0;
};

TALLY_DEVICE int32_t TimesByte(int32_t sum) { return static_cast<int32_t>(static_cast<uint32_t>(sum) << 8); }

}  // namespace tally::cuda
