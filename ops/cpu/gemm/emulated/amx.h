// AMX: eight tiles of up to 16 rows of 64 bytes, their configuration, and what faults.
#pragma once

#include "ops/cpu/gemm/emulated/lanes.h"

namespace tally::emulated {

struct Tile {
  int rows = 0, row_bytes = 0;
  uint8_t bytes[16][64] = {};
};

// The tiles of each thread, as the registers are.
struct Tiles {
  bool configured = false;
  Tile tiles[8];

  Tile& At(int number) {
    if (!configured) Refuse("tiles are not configured");
    if (number < 0 || number >= 8) Refuse("there is no such tile");
    if (tiles[number].rows == 0) Refuse("the tile is not configured");
    return tiles[number];
  }
};
inline thread_local Tiles tiles;

}  // namespace tally::emulated

// Byte 0: palette. 1: the row to start with. 16 + 2 n: bytes of a row of tile n. 48 + n: its rows. Others are
// reserved.
TALLY_MODEL void _tile_loadconfig(const void* config) {
  using tally::emulated::Refuse;
  const auto bytes = tally::emulated::Load<std::array<uint8_t, 64>>(config);
  tally::emulated::tiles = {};
  if (bytes[0] > 1) Refuse("there is no such palette");
  if (bytes[1] != 0) Refuse("tiles start with their first row");  // others resume what was interrupted
  if (bytes[0] == 0) return;
  for (int i = 2; i < 64; ++i) {
    const bool used = (i >= 16 && i < 32) || (i >= 48 && i < 56);
    if (!used && bytes[i] != 0) Refuse("a reserved byte of the configuration of tiles is not 0");
  }
  for (int n = 0; n < 8; ++n) {
    tally::emulated::Tile& tile = tally::emulated::tiles.tiles[n];
    tile.row_bytes = bytes[16 + 2 * n] | bytes[17 + 2 * n] << 8;
    tile.rows = bytes[48 + n];
    if (tile.row_bytes > 64 || tile.rows > 16) Refuse("a tile is too large");
    if ((tile.row_bytes == 0) != (tile.rows == 0)) Refuse("a tile has rows or columns alone");
  }
  tally::emulated::tiles.configured = true;
}
TALLY_MODEL void _tile_release() { tally::emulated::tiles = {}; }

TALLY_MODEL void _tile_zero(int number) { std::memset(tally::emulated::tiles.At(number).bytes, 0, 16 * 64); }
TALLY_MODEL void _tile_loadd(int number, const void* base, int64_t stride) {
  tally::emulated::Tile& tile = tally::emulated::tiles.At(number);
  std::memset(tile.bytes, 0, sizeof tile.bytes);
  for (int r = 0; r < tile.rows; ++r) {
    std::memcpy(tile.bytes[r], static_cast<const uint8_t*>(base) + r * stride, tile.row_bytes);
  }
}
// The same, and a hint to caches.
TALLY_MODEL void _tile_stream_loadd(int number, const void* base, int64_t stride) {
  _tile_loadd(number, base, stride);
}
TALLY_MODEL void _tile_stored(int number, void* base, int64_t stride) {
  const tally::emulated::Tile& tile = tally::emulated::tiles.At(number);
  for (int r = 0; r < tile.rows; ++r) {
    std::memcpy(static_cast<uint8_t*>(base) + r * stride, tile.bytes[r], tile.row_bytes);
  }
}

// sum[m][n] += the four products of signed bytes of x[m][k] and w[k][n], for every k. Sums wrap.
TALLY_MODEL void _tile_dpbssd(int sum_number, int x_number, int w_number) {
  using tally::emulated::Refuse;
  if (sum_number == x_number || sum_number == w_number || x_number == w_number)
    Refuse("a tile is used twice");
  tally::emulated::Tile& sum = tally::emulated::tiles.At(sum_number);
  const tally::emulated::Tile& x = tally::emulated::tiles.At(x_number);
  const tally::emulated::Tile& w = tally::emulated::tiles.At(w_number);
  if (sum.row_bytes % 4 != 0 || x.row_bytes % 4 != 0 || w.row_bytes % 4 != 0)
    Refuse("a tile has parts of words");
  if (sum.rows != x.rows || x.row_bytes / 4 != w.rows || sum.row_bytes != w.row_bytes) {
    Refuse("tiles of a product do not match");
  }
  for (int m = 0; m < sum.rows; ++m) {
    uint32_t totals[16];
    std::memcpy(totals, sum.bytes[m], sizeof totals);
    for (int k = 0; k < w.rows; ++k) {
      for (int n = 0; n < sum.row_bytes / 4; ++n) {
        for (int i = 0; i < 4; ++i) {
          totals[n] += tally::emulated::Product(static_cast<int8_t>(x.bytes[m][4 * k + i]),
                                                static_cast<int8_t>(w.bytes[k][4 * n + i]));
        }
      }
    }
    std::memcpy(sum.bytes[m], totals, sum.row_bytes);
  }
}
