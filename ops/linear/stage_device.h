// Operands of the matrix unit: signed bytes in rows of whole chunks of 16. Wider values are two planes of bytes, the high
// ones first.
#pragma once

#include "ops/cuda/elements.h"

namespace tally::cuda {

inline constexpr int kChunk = 16;  // bytes

// v = 256 * high + low with both in [-128, 127], for v in [-32896, 32639].
TALLY_DEVICE int64_t HighByte(int64_t v) { return (v + 128) >> 8; }
TALLY_DEVICE int64_t LowByte(int64_t v) { return v - (HighByte(v) << 8); }
TALLY_DEVICE int64_t ByteOfPlane(int64_t v, int planes, int plane) {
  return planes == 1 ? v : plane == 0 ? HighByte(v) : LowByte(v);
}

// Plane p of row (image, place, group) of the result has `depth` elements of x, less `base`, and zeros behind them.
struct StageParams {
  int64_t count;  // chunks
  int64_t places, groups, depth, chunks;
  int planes;
  int64_t x_image, x_place, x_group, x_element;  // elements of x between neighbours
  int64_t base;
  Storage storage;
};

// Memory: x, the rows [images, places, groups, planes, chunks] of 16 bytes. One thread for each chunk.
TALLY_DEVICE void Stage(const Thread& t, const Memory& m, const StageParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t chunk = i % p.chunks, row = i / p.chunks / p.planes;
  const int plane = static_cast<int>(i / p.chunks % p.planes);
  const int64_t group = row % p.groups, place = row / p.groups % p.places, image = row / p.groups / p.places;
  const int64_t first = image * p.x_image + place * p.x_place + group * p.x_group;
  Bytes16 bytes = {};
  for (int k = 0; k < kChunk; ++k) {
    const int64_t element = chunk * kChunk + k;
    if (element >= p.depth) break;
    const int64_t x = Load(p.storage, m.at[0], first + element * p.x_element) - p.base;
    bytes.words[k / 4] |= static_cast<uint32_t>(ByteOfPlane(x, p.planes, plane) & 0xff) << (k % 4 * 8);
  }
  m.as<Bytes16>(1)[i] = bytes;
}

struct RowSumsParams {
  int64_t count;  // rows
  int planes;
  int64_t plane_bytes;
  int32_t factor;
};

// Initial accumulators of the rows of A where B has a zero point: factor * (the sum of the values of a row), modulo 2^32.
// Memory: rows of byte planes, y [count] i32. One thread for each row.
TALLY_DEVICE void RowSums(const Thread& t, const Memory& m, const RowSumsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const Bytes16* const row = m.as<Bytes16>(0) + i * p.planes * (p.plane_bytes / kChunk);
  int32_t sum = 0;
  for (int plane = 0; plane < p.planes; ++plane) {
    int32_t of_plane = 0;
    for (int64_t chunk = 0; chunk < p.plane_bytes / kChunk; ++chunk) {
      const Bytes16 bytes = row[plane * (p.plane_bytes / kChunk) + chunk];
      for (const uint32_t word : bytes.words) t.Dot4(of_plane, word, 0x01010101u);
    }
    sum = static_cast<int32_t>((static_cast<uint32_t>(sum) << 8) + static_cast<uint32_t>(of_plane));
  }
  m.as<int32_t>(1)[i] = static_cast<int32_t>(static_cast<uint32_t>(p.factor) * static_cast<uint32_t>(sum));
}

}  // namespace tally::cuda
