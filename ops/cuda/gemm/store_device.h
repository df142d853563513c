// From the accumulators of a tile to y. Results that networks have most, words and scaled bytes in rows, go
// from registers to memory, several neighbours at a time; every other result goes through shared memory.
//
// accumulator_at(i, j, k): register k of this lane's part of the block of 16 rows i and 8 columns j of its
// warp, as CoordInC has it (ops/cuda/fragments.h): two neighbours of row lane / 4, and two 8 rows below.
#pragma once

#include "ops/cuda/gemm/gemm_device.h"

namespace tally::cuda {

// Through shared memory, half of the rows of every warp at a time, so that threads finish neighbours of one
// row, and each of them the same column always: for every result, with one copy of the code for all elements.
template <typename Tile, typename AccumulatorAt>
TALLY_DEVICE void StoreAny(const Thread& t, const Memory& m, const GemmParams& p,
                           const AccumulatorAt& accumulator_at) {
  const TileCoord tile(t, p, Tile::kM, Tile::kN);
  constexpr int kHalf = Tile::kWarpM / 2, kRows = Tile::kM / 2;
  const int warp_row = t.warp() / Tile::kWarpsN * kHalf + t.lane() / 4;
  const int warp_column = t.warp() % Tile::kWarpsN * Tile::kWarpN + t.lane() % 4 * 2;
  const int n = t.x() % Tile::kN, column_of_group = tile.column + n;
  const bool exists = column_of_group < p.columns;
  const Column column =
      m.as<Column>(GemmMemory::kColumns)[exists ? t.block_z() * p.columns_group + column_of_group : 0];
  uint32_t init = static_cast<uint32_t>(column.init);
  if (p.has_init) {
    init += static_cast<uint32_t>(Load(p.init_storage, m.at[GemmMemory::kInit],
                                       exists ? t.block_z() * p.init_group + column_of_group : 0));
  }
  TALLY_UNROLL
  for (int half = 0; half < 2; ++half) {
    t.Barrier();  // everyone has left what was here
    TALLY_UNROLL
    for (int r = 0; r < kHalf / 8; ++r) {
      TALLY_UNROLL
      for (int c = 0; c < Tile::kWarpN / 4; ++c) {
        const int to = (warp_row + r * 8) * Tile::kAccumulatorStride + warp_column + c / 2 * 8 + c % 2;
        const int block = half * (kHalf / 8) + r;  // for 8 rows
        t.template StoreShared<int32_t>(to * 4, accumulator_at(block / 2, c / 2, block % 2 * 2 + c % 2));
      }
    }
    t.Barrier();
    for (int r = t.x() / Tile::kN; r < kRows; r += Tile::kThreads / Tile::kN) {
      const int64_t row = tile.row + r / kHalf * Tile::kWarpM + half * kHalf + r % kHalf;
      if (!exists || row >= p.rows) continue;
      const int64_t image = ImageOfRow(p, row);
      const uint32_t sum =
          static_cast<uint32_t>(t.template LoadShared<int32_t>((r * Tile::kAccumulatorStride + n) * 4)) +
          init;
      ApplyEpilogue(p.epilogue, m, column, static_cast<int32_t>(sum),
                    t.block_z() * p.y_group + image * p.y_image + (row - image * p.pixels) * p.y_pixel +
                        column_of_group * p.y_column);
    }
  }
}

// Rows and columns of a lane's accumulators: blocks of 8 rows, of which it has one each.
template <typename Tile>
struct LanePlaces {
  static constexpr int kBlocks = Tile::kWarpM / 8;
  int64_t offsets[kBlocks];  // its rows in y, or -1 after the last
  int warp_column;           // the first of its warp, in the group

  TALLY_DEVICE LanePlaces(const Thread& t, const GemmParams& p) {
    const TileCoord tile(t, p, Tile::kM, Tile::kN);
    const int64_t first = tile.row + t.warp() / Tile::kWarpsN * Tile::kWarpM + t.lane() / 4;
    warp_column = tile.column + t.warp() % Tile::kWarpsN * Tile::kWarpN;
    TALLY_UNROLL
    for (int block = 0; block < kBlocks; ++block) {
      const int64_t row = first + block * 8, image = ImageOfRow(p, row);
      offsets[block] =
          row < p.rows ? t.block_z() * p.y_group + image * p.y_image + (row - image * p.pixels) * p.y_pixel
                       : -1;
    }
  }
};

// Column `column` of this block's group; after the last one, that one: what it gives is not stored.
TALLY_DEVICE PackedColumn PackedColumnAt(const Thread& t, const Memory& m, const GemmParams& p, int column) {
  const int n = column < p.columns ? column : p.columns - 1;
  PackedColumn c = m.as<PackedColumn>(GemmMemory::kPackedColumns)[t.block_z() * p.columns_group + n];
  if (p.has_init) {
    c.init +=
        static_cast<uint32_t>(Load(p.init_storage, m.at[GemmMemory::kInit], t.block_z() * p.init_group + n));
  }
  return c;
}

struct alignas(8) TwoWords {
  uint32_t at[2];
};

template <typename Tile, typename AccumulatorAt>
TALLY_DEVICE void StoreWords(const Thread& t, const Memory& m, const GemmParams& p,
                             const AccumulatorAt& accumulator_at) {
  const LanePlaces<Tile> places(t, p);
  TALLY_UNROLL
  for (int j = 0; j < Tile::kWarpN / 8; ++j) {
    const int column = places.warp_column + j * 8 + t.lane() % 4 * 2;
    if (column >= p.columns) continue;
    const uint32_t inits[] = {PackedColumnAt(t, m, p, column).init, PackedColumnAt(t, m, p, column + 1).init};
    TALLY_UNROLL
    for (int block = 0; block < places.kBlocks; ++block) {
      const TwoWords words = {
          {static_cast<uint32_t>(accumulator_at(block / 2, j, block % 2 * 2)) + inits[0],
           static_cast<uint32_t>(accumulator_at(block / 2, j, block % 2 * 2 + 1)) + inits[1]}};
      if (places.offsets[block] < 0) continue;
      *reinterpret_cast<TwoWords*>(m.as<int32_t>(GemmMemory::kY) + places.offsets[block] + column) = words;
    }
  }
}

// The rescale of a packed column: shifts are 32 at least, so that the high word alone is shifted.
TALLY_DEVICE uint32_t ScaledByte(const Epilogue& e, const PackedColumn& c, int32_t accumulator) {
  const auto sum = static_cast<int32_t>(static_cast<uint32_t>(accumulator) + c.init);
  const int64_t product = int64_t{sum} * c.multiplier + (int64_t{1} << (c.shift - 1));
  const int32_t y = (static_cast<int32_t>(product >> 32) >> (c.shift - 32)) + e.zero_out;
  return static_cast<uint32_t>(y < e.least ? e.least : y > e.greatest ? e.greatest : y) & 0xffu;
}

// Four lanes q, each with the bytes 2q and 2q + 1 of four blocks of 8, two blocks in each word: to lane q
// goes all of block q.
TALLY_DEVICE TwoWords GatherBlock(const Thread& t, const uint32_t (&blocks)[2]) {
  const auto low = [](uint32_t a, uint32_t b) { return (a & 0xffffu) | b << 16; };
  const auto high = [](uint32_t a, uint32_t b) { return a >> 16 | (b & 0xffff0000u); };
  const auto of_lane = [&](uint32_t word, int mask) {
    return static_cast<uint32_t>(t.ShuffleXor(static_cast<int32_t>(word), mask));
  };
  const bool odd = t.lane() % 2 != 0, second = t.lane() % 4 >= 2;
  const uint32_t other = of_lane(second ? blocks[0] : blocks[1], 2);
  const uint32_t a = second ? other : blocks[0], b = second ? blocks[1] : other;  // from lanes q % 2 and + 2
  const uint32_t mine = odd ? high(a, b) : low(a, b), others = of_lane(odd ? low(a, b) : high(a, b), 1);
  const uint32_t even_lanes = odd ? others : mine, odd_lanes = odd ? mine : others;
  return {{low(even_lanes, odd_lanes), high(even_lanes, odd_lanes)}};
}

// Calls f(byte, index) for the 8 bytes, whose results take their places.
template <typename F>
TALLY_DEVICE TwoWords ForBytes(const TwoWords& bytes, const F& f) {
  TwoWords results = {{0, 0}};
  TALLY_UNROLL
  for (int i = 0; i < 8; ++i) {
    const auto byte = static_cast<int8_t>(bytes.at[i / 4] >> i % 4 * 8);
    results.at[i / 4] |= (static_cast<uint32_t>(f(byte, i)) & 0xffu) << i % 4 * 8;
  }
  return results;
}

template <typename Tile, typename AccumulatorAt>
TALLY_DEVICE void StoreBytes(const Thread& t, const Memory& m, const GemmParams& p,
                             const AccumulatorAt& accumulator_at) {
  const Epilogue& e = p.epilogue;
  const LanePlaces<Tile> places(t, p);
  TALLY_UNROLL
  for (int group = 0; group < Tile::kWarpN / 32; ++group) {
    uint32_t blocks[places.kBlocks][2] = {};
    TALLY_UNROLL
    for (int j = group * 4; j < group * 4 + 4; ++j) {
      const int column = places.warp_column + j * 8 + t.lane() % 4 * 2;
      const PackedColumn left = PackedColumnAt(t, m, p, column), right = PackedColumnAt(t, m, p, column + 1);
      TALLY_UNROLL
      for (int block = 0; block < places.kBlocks; ++block) {
        const int k = block % 2 * 2;
        const uint32_t two = ScaledByte(e, left, accumulator_at(block / 2, j, k)) |
                             ScaledByte(e, right, accumulator_at(block / 2, j, k + 1)) << 8;
        blocks[block][j % 4 / 2] |= two << j % 2 * 16;
      }
    }
    const int column = places.warp_column + group * 32 + t.lane() % 4 * 8;
    TALLY_UNROLL
    for (int block = 0; block < places.kBlocks; ++block) {
      TwoWords y = GatherBlock(t, blocks[block]);
      if (places.offsets[block] < 0 || column >= p.columns) continue;
      const int64_t at = places.offsets[block] + column;
      if (e.has_residual) {
        const TwoWords r = *reinterpret_cast<const TwoWords*>(m.at[GemmMemory::kResidual] + at);
        y = ForBytes(y, [&](int8_t value, int i) {
          return WithResidual(e, value, static_cast<int8_t>(r.at[i / 4] >> i % 4 * 8));
        });
      }
      if (e.has_table) {
        const int8_t* const table = m.as<int8_t>(GemmMemory::kTable);
        y = ForBytes(y, [&](int8_t value, int) { return table[value + 128]; });
      }
      *reinterpret_cast<TwoWords*>(m.at[GemmMemory::kY] + at) = y;
    }
  }
}

template <typename Tile, typename AccumulatorAt>
TALLY_DEVICE void StoreTile(const Thread& t, const Memory& m, const GemmParams& p,
                            const AccumulatorAt& accumulator_at) {
  switch (p.epilogue.form) {
    case StoreForm::kWords: return StoreWords<Tile>(t, m, p, accumulator_at);
    case StoreForm::kBytes: return StoreBytes<Tile>(t, m, p, accumulator_at);
    case StoreForm::kAny: return StoreAny<Tile>(t, m, p, accumulator_at);
  }
}

}  // namespace tally::cuda
