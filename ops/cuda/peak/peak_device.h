// What a GPU itself can do: products of bytes from registers alone, and bytes copied. Benchmarks quote shares of it.
#pragma once

#include "ops/cuda/thread.h"

namespace tally::cuda {

struct MultiplyLoopParams {
  static constexpr int kChains = 8;                        // products that do not wait for each other
  static constexpr int64_t kOperations = 2 * 16 * 8 * 32;  // of one product of a warp
  int64_t rounds;                                          // of kChains products
};

// Memory: an i32 for each thread, so that the products are needed. Whole warps.
TALLY_DEVICE void MultiplyLoop(const Thread& t, const Memory& m, const MultiplyLoopParams& p) {
  int32_t c[MultiplyLoopParams::kChains][4] = {};
  uint32_t a[4], b[MultiplyLoopParams::kChains][2];
  const auto seed = static_cast<uint32_t>(t.global_index());
  TALLY_UNROLL for (int i = 0; i < 4; ++i) a[i] = (seed + i) * 0x9e3779b9u;
  TALLY_UNROLL for (int n = 0; n < MultiplyLoopParams::kChains; ++n) {
    TALLY_UNROLL for (int i = 0; i < 2; ++i) b[n][i] = (seed + 2 * n + i) * 0x85ebca6bu;
  }
  for (int64_t round = 0; round < p.rounds; ++round) {
    TALLY_UNROLL for (int n = 0; n < MultiplyLoopParams::kChains; ++n) t.MultiplyS8(c[n], a, b[n]);
  }
  uint32_t sum = 0;
  TALLY_UNROLL for (int n = 0; n < MultiplyLoopParams::kChains; ++n) {
    TALLY_UNROLL for (int i = 0; i < 4; ++i) sum ^= static_cast<uint32_t>(c[n][i]);
  }
  m.as<uint32_t>(0)[t.global_index()] = sum;
}

struct CopyLoopParams {
  int64_t count;  // of pieces of 16 bytes
};

// Memory: from, to. One thread for each piece.
TALLY_DEVICE void CopyLoop(const Thread& t, const Memory& m, const CopyLoopParams& p) {
  const int64_t i = t.global_index();
  if (i < p.count) m.as<Bytes16>(1)[i] = m.as<Bytes16>(0)[i];
}

}  // namespace tally::cuda
