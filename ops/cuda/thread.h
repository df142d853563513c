// One thread of a launch, as a kernel of the cuda engine sees it.
//
//   TALLY_DEVICE void Add(const Thread& t, const Memory& m, const AddParams& p) {
//     const int64_t i = t.global_index();
//     if (i < p.count) m.as<int32_t>(2)[i] = m.as<int32_t>(0)[i] + m.as<int32_t>(1)[i];
//   }
//
// The same source is compiled by nvcc, where Thread stands for registers and instructions, and by the host
// compiler, where it belongs to an emulated block (ops/cuda/emulator.h). Both have
//
//   int x(), block_size(), block_x(), block_y(), block_z(), grid_x()   place in the block and in the grid
//   int lane(), warp()                              place in its warp of 32, and which warp of the block that is
//   int64_t global_index()                          block_x() * block_size() + x()
//   void Barrier()                                  of all threads of the block
//   T LoadShared<T>(int offset)                     shared memory of the block, in bytes; T of 1 to 16 bytes, aligned
//   void StoreShared<T>(int offset, T value)
//   T ShuffleXor(T value, int mask)                 the value of lane() ^ mask; i32 or i64
//   void CopyAsync16(int offset, const void* from)  16 bytes to shared memory; both aligned
//   void CommitCopies(), WaitCopies<N>()            a group of copies; until at most N of this thread's groups fly
//   void LoadMatrix4(int offset, uint32_t r[4])     ldmatrix.x4: lane 8j + i has the offset of row i of matrix j
//   void MultiplyS8(int32_t c[4], a[4], b[2])       mma.m16n8k32 of signed bytes: c += a b, modulo 2^32
//   void Dot4(int32_t& sum, uint32_t a, uint32_t b) dp4a: sum += the products of four signed bytes, modulo 2^32
//   void Trap()                                     ends the launch with an error
//   void AtomicAdd(int64_t* at, int64_t value)      *at += value, modulo 2^64; so AtomicMultiply, AtomicMax, AtomicMin
//
// What was there before an atomic operation is not told: with one of them alone on an address, no order can
// show.
//
// and, where kHasWarpgroups, what warpgroups of four warps have (sm_90a, wgmma):
//
//   WarpgroupAccumulators<N> sums(thread)                   its accumulators of the [64, N] of a warpgroup, N / 2 in each thread; zeros
//   uint64_t DescribeMatrix(int offset)             rows of 128 bytes as ops/cuda/matrix_descriptor.h places them
//   void MultiplyWarpgroup(sums, a, b)              begins sums += a b, of [64, 32] and [N, 32] that are so described
//   void CommitProducts(), WaitProducts<N>()        a group of products; until at most N groups of the warpgroup fly
//   void FenceAccumulators()                                behind what touched accumulators, before a product does
//   void FenceAsyncProxy()                          behind writes to shared memory, before a product reads them
//
// Until it is waited for, a product reads shared memory and changes sums, and nothing else may touch either.
// Sums are read and written with sums.Get(i), sums.Set(i, sum).
//
// What involves a warp is reached by all its 32 lanes together, what involves a warpgroup by all its 128
// threads. Results of LoadMatrix4 and of products are in the registers of lanes as the PTX ISA has them
// (ops/cuda/fragments.h).
#pragma once

#include <cstdint>

#include "ops/cuda/matrix_descriptor.h"

#ifdef __CUDACC__
#define TALLY_DEVICE __device__ __forceinline__
#define TALLY_UNROLL _Pragma("unroll")  // in front of a loop over registers
#else
#define TALLY_DEVICE inline
#define TALLY_UNROLL
#endif

namespace tally::cuda {

inline constexpr int kWarp = 32, kWarpgroup = 4 * kWarp;
inline constexpr int kMaxMemory = 12;

// The memory that a launch reads and writes: each begins at a multiple of 64 bytes plus what its row added.
struct Memory {
  uint8_t* at[kMaxMemory];

  template <typename T>
  TALLY_DEVICE T* as(int i) const {
    return reinterpret_cast<T*>(at[i]);
  }
};

struct alignas(16) Bytes16 {
  uint32_t words[4];
};

}  // namespace tally::cuda

#ifdef __CUDACC__
#include "ops/cuda/device_thread.h"
#else
#include "ops/cuda/emulated_thread.h"
#endif
