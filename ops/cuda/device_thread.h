// Thread on a GPU: what the hardware has, by its instructions. sm_80 and later.
#pragma once

#include <cstdint>

#include "ops/cuda/device_warpgroup.h"

namespace tally::cuda {

// Matrices of wgmma are at multiples of an atom.
extern __shared__ __align__(kAtomBytes) uint8_t tally_shared[];

template <int kColumns>
class WarpgroupAccumulators;

class Thread {
 public:
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  static constexpr bool kHasWarpgroups = true;
#else
  static constexpr bool kHasWarpgroups = false;
#endif

  TALLY_DEVICE int x() const { return static_cast<int>(threadIdx.x); }
  TALLY_DEVICE int block_size() const { return static_cast<int>(blockDim.x); }
  TALLY_DEVICE int block_x() const { return static_cast<int>(blockIdx.x); }
  TALLY_DEVICE int block_y() const { return static_cast<int>(blockIdx.y); }
  TALLY_DEVICE int block_z() const { return static_cast<int>(blockIdx.z); }
  TALLY_DEVICE int grid_x() const { return static_cast<int>(gridDim.x); }
  TALLY_DEVICE int lane() const { return x() % kWarp; }
  TALLY_DEVICE int warp() const { return x() / kWarp; }
  TALLY_DEVICE int64_t global_index() const { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

  TALLY_DEVICE void Barrier() const { __syncthreads(); }

  template <typename T>
  TALLY_DEVICE T LoadShared(int offset) const {
    return *reinterpret_cast<const T*>(tally_shared + offset);
  }
  template <typename T>
  TALLY_DEVICE void StoreShared(int offset, T value) const {
    *reinterpret_cast<T*>(tally_shared + offset) = value;
  }

  TALLY_DEVICE int32_t ShuffleXor(int32_t value, int mask) const {
    return __shfl_xor_sync(0xffffffffu, value, mask);
  }
  TALLY_DEVICE int64_t ShuffleXor(int64_t value, int mask) const {
    return __shfl_xor_sync(0xffffffffu, static_cast<long long>(value), mask);
  }

  TALLY_DEVICE void CopyAsync16(int offset, const void* from) const {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SharedAddress(offset)), "l"(from)
                 : "memory");
  }
  TALLY_DEVICE void CommitCopies() const { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int kInFlight>
  TALLY_DEVICE void WaitCopies() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(kInFlight) : "memory");
  }

  TALLY_DEVICE void LoadMatrix4(int offset, uint32_t (&r)[4]) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(SharedAddress(offset))
                 : "memory");
  }
  TALLY_DEVICE void MultiplyS8(int32_t (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) const {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }

  TALLY_DEVICE void Dot4(int32_t& sum, uint32_t a, uint32_t b) const {
    sum = __dp4a(static_cast<int32_t>(a), static_cast<int32_t>(b), sum);
  }

  TALLY_DEVICE void FenceAsyncProxy() const {
    if constexpr (kHasWarpgroups) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  TALLY_DEVICE uint64_t DescribeMatrix(int offset) const {
    return MatrixDescriptor::Encode(SharedAddress(offset));
  }
  TALLY_DEVICE void FenceAccumulators() const {
    if constexpr (kHasWarpgroups) asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  }
  template <int kColumns>
  TALLY_DEVICE void MultiplyWarpgroup(WarpgroupAccumulators<kColumns>& sums, uint64_t a, uint64_t b) const {
    MultiplyAsync(sums.registers, a, b);
  }
  TALLY_DEVICE void CommitProducts() const {
    if constexpr (kHasWarpgroups) asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  }
  template <int kInFlight>
  TALLY_DEVICE void WaitProducts() const {
    if constexpr (kHasWarpgroups)
      asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kInFlight) : "memory");
  }
  TALLY_DEVICE void Trap() const { __trap(); }

  TALLY_DEVICE void AtomicAdd(int64_t* at, int64_t value) const {
    atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
  }
  TALLY_DEVICE void AtomicMax(int64_t* at, int64_t value) const {
    atomicMax(reinterpret_cast<long long*>(at), static_cast<long long>(value));
  }
  TALLY_DEVICE void AtomicMin(int64_t* at, int64_t value) const {
    atomicMin(reinterpret_cast<long long*>(at), static_cast<long long>(value));
  }
  TALLY_DEVICE void AtomicMultiply(int64_t* at, int64_t value) const {
    auto* const word = reinterpret_cast<unsigned long long*>(at);
    unsigned long long seen = *word, expected;
    do {
      expected = seen;
      seen = atomicCAS(word, expected, expected * static_cast<unsigned long long>(value));
    } while (seen != expected);
  }

 private:
  static TALLY_DEVICE uint32_t SharedAddress(int offset) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(tally_shared)) + static_cast<uint32_t>(offset);
  }
};

template <int kColumns>
class WarpgroupAccumulators {
 public:
  TALLY_DEVICE explicit WarpgroupAccumulators(const Thread&) {
    TALLY_UNROLL
    for (int i = 0; i < kColumns / 2; ++i) registers[i] = 0;
  }
  TALLY_DEVICE int32_t Get(int i) { return registers[i]; }
  TALLY_DEVICE void Set(int i, int32_t sum) { registers[i] = sum; }

 private:
  friend class Thread;
  int32_t registers[kColumns / 2];
};

}  // namespace tally::cuda
