// Operands of the matrix unit: signed bytes in rows of whole chunks of 16. Wider values are two limbs of a
// byte, the high ones first.
#pragma once

#include "ops/cuda/elements.h"

namespace tally::cuda {

inline constexpr int kChunk = 16;  // bytes

// v = 256 * high + low with both in [-128, 127], for v in [-32896, 32639].
TALLY_DEVICE int64_t HighByte(int64_t v) { return (v + 128) >> 8; }
TALLY_DEVICE int64_t LowByte(int64_t v) { return v - (HighByte(v) << 8); }
TALLY_DEVICE int64_t LimbOf(int64_t v, int limbs, int limb) {
  return limbs == 1 ? v : limb == 0 ? HighByte(v) : LowByte(v);
}

// Limb p of row (image, position, group) of the result has `depth` elements of x, less `base`, and zeros
// after them.
struct PackActivationParams {
  int64_t count;  // chunks
  int64_t positions, groups, depth, chunks;
  int limbs;
  int64_t x_image, x_position, x_group, x_element;  // elements of x between neighbours
  int64_t base;
  Storage storage;
};

// Memory: x, the rows [images, positions, groups, limbs, chunks] of 16 bytes. One thread for each chunk.
TALLY_DEVICE void PackActivation(const Thread& t, const Memory& m, const PackActivationParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t chunk = i % p.chunks, row = i / p.chunks / p.limbs;
  const int limb = static_cast<int>(i / p.chunks % p.limbs);
  const int64_t group = row % p.groups, position = row / p.groups % p.positions,
                image = row / p.groups / p.positions;
  const int64_t first = image * p.x_image + position * p.x_position + group * p.x_group;
  Bytes16 bytes = {};
  for (int k = 0; k < kChunk; ++k) {
    const int64_t element = chunk * kChunk + k;
    if (element >= p.depth) break;
    const int64_t x = Load(p.storage, m.at[0], first + element * p.x_element) - p.base;
    bytes.words[k / 4] |= static_cast<uint32_t>(LimbOf(x, p.limbs, limb) & 0xff) << (k % 4 * 8);
  }
  m.as<Bytes16>(1)[i] = bytes;
}

struct RowSumsParams {
  int64_t count;  // rows
  int limbs;
  int64_t limb_bytes;
  int32_t factor;
};

// Initial accumulators of the rows of A where B has a zero point: factor * (the sum of the values of a row),
// modulo 2^32. Memory: rows of limbs, y [count] i32. One thread for each row.
TALLY_DEVICE void RowSums(const Thread& t, const Memory& m, const RowSumsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const Bytes16* const row = m.as<Bytes16>(0) + i * p.limbs * (p.limb_bytes / kChunk);
  int32_t sum = 0;
  for (int limb = 0; limb < p.limbs; ++limb) {
    int32_t of_limb = 0;
    for (int64_t chunk = 0; chunk < p.limb_bytes / kChunk; ++chunk) {
      const Bytes16 bytes = row[limb * (p.limb_bytes / kChunk) + chunk];
      for (const uint32_t word : bytes.words) t.Dot4(of_limb, word, 0x01010101u);
    }
    sum = static_cast<int32_t>((static_cast<uint32_t>(sum) << 8) + static_cast<uint32_t>(of_limb));
  }
  m.as<int32_t>(1)[i] = static_cast<int32_t>(static_cast<uint32_t>(p.factor) * static_cast<uint32_t>(sum));
}

}  // namespace tally::cuda
