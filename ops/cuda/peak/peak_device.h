// The peak of a GPU itself: products of bytes that are there already, and bytes read and copied. Benchmarks
// quote shares of it.
#pragma once

#include "ops/cuda/thread.h"

namespace tally::cuda {

struct MultiplyLoopParams {
  static constexpr int kChains = 8;                        // products that do not wait for each other
  static constexpr int64_t kOperations = 2 * 16 * 8 * 32;  // for one product of a warp
  int64_t rounds;                                          // kChains products
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

// The same by warpgroups, whose operands the unit takes from shared memory: no faster is known on sm_90a.
struct WarpgroupLoopParams {
  static constexpr int kRows = 64, kColumns = 256, kDepth = 32;  // a product's
  static constexpr int kProducts = kSwizzledRowBytes / kDepth;   // a round's
  // For a product of a warpgroup.
  static constexpr int64_t kOperations = int64_t{2} * kRows * kColumns * kDepth;
  static constexpr int kBlock = 2 * kWarpgroup;
  static constexpr int kRowBytes = kRows * kSwizzledRowBytes;
  static constexpr int kSharedBytes = kRowBytes + kColumns * kSwizzledRowBytes;
  int64_t rounds;
};

// Memory: an i32 for each thread. Blocks of kBlock.
TALLY_DEVICE void WarpgroupLoop(const Thread& t, const Memory& m, const WarpgroupLoopParams& p) {
  using Params = WarpgroupLoopParams;
  if constexpr (!Thread::kHasWarpgroups) {
    t.Trap();  // for sm_90a alone
  } else {
    for (int at = 4 * t.x(); at < Params::kSharedBytes; at += 4 * Params::kBlock) {
      t.StoreShared<uint32_t>(at, (static_cast<uint32_t>(at) + 1) * 0x9e3779b9u);
    }
    t.FenceAsyncProxy();
    t.Barrier();
    WarpgroupAccumulators<Params::kColumns> sums(t);
    int64_t round = 0;
    do {
      t.FenceAccumulators();
      TALLY_UNROLL for (int i = 0; i < Params::kProducts; ++i) {
        t.MultiplyWarpgroup(sums, t.DescribeMatrix(i * Params::kDepth),
                            t.DescribeMatrix(Params::kRowBytes + i * Params::kDepth));
      }
      t.CommitProducts();
      t.WaitProducts<1>();
    } while (++round < p.rounds);
    t.WaitProducts<0>();
    uint32_t sum = 0;
    TALLY_UNROLL for (int i = 0; i < Params::kColumns / 2; ++i) sum ^= static_cast<uint32_t>(sums.Get(i));
    m.as<uint32_t>(0)[t.global_index()] = sum;
  }
}

struct CopyLoopParams {
  int64_t count;  // pieces of 16 bytes
};

// Memory: from, to. One thread for each piece.
TALLY_DEVICE void CopyLoop(const Thread& t, const Memory& m, const CopyLoopParams& p) {
  const int64_t i = t.global_index();
  if (i < p.count) m.as<Bytes16>(1)[i] = m.as<Bytes16>(0)[i];
}

struct ReadLoopParams {
  static constexpr int kPieces = 8;  // 16 bytes, for each thread
  int64_t count;                     // pieces
};

// Memory: from, and a u32 for each warp, the exclusive or of what it read.
TALLY_DEVICE void ReadLoop(const Thread& t, const Memory& m, const ReadLoopParams& p) {
  const int64_t threads = int64_t{t.grid_x()} * t.block_size();
  uint32_t sum = 0;
  TALLY_UNROLL for (int piece = 0; piece < ReadLoopParams::kPieces; ++piece) {
    const int64_t i = piece * threads + t.global_index();
    if (i >= p.count) continue;
    const Bytes16 bytes = m.as<Bytes16>(0)[i];
    sum ^= bytes.words[0] ^ bytes.words[1] ^ bytes.words[2] ^ bytes.words[3];
  }
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    sum ^= static_cast<uint32_t>(t.ShuffleXor(static_cast<int32_t>(sum), mask));
  }
  if (t.lane() == 0) m.as<uint32_t>(1)[t.global_index() / kWarp] = sum;
}

}  // namespace tally::cuda
