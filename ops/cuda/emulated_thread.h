// Thread of an emulated block. Lines are those of the kernel's source, for messages.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tally::cuda {

class EmulatedBlock;

// The registers of one thread that products of a warpgroup change.
struct AccumulatorRegisters {
  int32_t* values;
  int count;
  int products_in_flight = 0;
  int64_t touched_at = 0;  // how many fences the thread had passed when the kernel read or wrote them last
};

template <int kColumns>
class WarpgroupAccumulators;

class Thread {
 public:
  static constexpr bool kHasWarpgroups = true;

  struct Coordinates {
    int block_size, block_x, block_y, block_z, grid_x;
  };

  Thread(EmulatedBlock& block, int x, const Coordinates& at) : block_(block), x_(x), at_(at) {}

  int x() const { return x_; }
  int block_size() const { return at_.block_size; }
  int block_x() const { return at_.block_x; }
  int block_y() const { return at_.block_y; }
  int block_z() const { return at_.block_z; }
  int grid_x() const { return at_.grid_x; }
  int lane() const { return x_ % kWarp; }
  int warp() const { return x_ / kWarp; }
  int64_t global_index() const { return int64_t{at_.block_x} * at_.block_size + x_; }

  void Barrier(int line = __builtin_LINE()) const;

  template <typename T>
  T LoadShared(int offset, int line = __builtin_LINE()) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
    T value;
    ReadShared(offset, sizeof value, &value, line);
    return value;
  }
  template <typename T>
  void StoreShared(int offset, T value, int line = __builtin_LINE()) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
    WriteShared(offset, sizeof value, &value, line);
  }

  int64_t ShuffleXor(int64_t value, int mask, int line = __builtin_LINE()) const;
  int32_t ShuffleXor(int32_t value, int mask, int line = __builtin_LINE()) const {
    return static_cast<int32_t>(ShuffleXor(int64_t{value}, mask, line));
  }

  void CopyAsync16(int offset, const void* from, int line = __builtin_LINE()) const;
  void CommitCopies() const;
  template <int kInFlight>
  void WaitCopies() const {
    WaitForCopies(kInFlight);
  }

  void LoadMatrix4(int offset, uint32_t (&r)[4], int line = __builtin_LINE()) const;
  void MultiplyS8(int32_t (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                  int line = __builtin_LINE()) const;

  void Dot4(int32_t& sum, uint32_t a, uint32_t b) const;

  uint64_t DescribeMatrix(int offset) const;
  template <int kColumns>
  void MultiplyWarpgroup(WarpgroupAccumulators<kColumns>& sums, uint64_t a, uint64_t b,
                         int line = __builtin_LINE()) const {
    BeginProduct(sums.registers_, kColumns, a, b, line);
  }
  void CommitProducts(int line = __builtin_LINE()) const;
  template <int kInFlight>
  void WaitProducts(int line = __builtin_LINE()) const {
    WaitForProducts(kInFlight, line);
  }
  void FenceAccumulators(int line = __builtin_LINE()) const;
  void FenceAsyncProxy() const;
  void Trap(int line = __builtin_LINE()) const;
  // Threads of the emulation run one at a time.
  void AtomicAdd(int64_t* at, int64_t value) const {
    *at = static_cast<int64_t>(static_cast<uint64_t>(*at) + static_cast<uint64_t>(value));
  }
  void AtomicMax(int64_t* at, int64_t value) const { *at = *at < value ? value : *at; }
  void AtomicMin(int64_t* at, int64_t value) const { *at = value < *at ? value : *at; }
  void AtomicMultiply(int64_t* at, int64_t value) const {
    *at = static_cast<int64_t>(static_cast<uint64_t>(*at) * static_cast<uint64_t>(value));
  }

 private:
  template <int kColumns>
  friend class WarpgroupAccumulators;
  void BeginProduct(AccumulatorRegisters& sums, int columns, uint64_t a, uint64_t b, int line) const;
  void WaitForProducts(int in_flight, int line) const;
  void TouchAccumulators(AccumulatorRegisters& sums, int line) const;
  void ReadShared(int offset, int size, void* to, int line) const;
  void WriteShared(int offset, int size, const void* from, int line) const;
  void WaitForCopies(int in_flight) const;

  EmulatedBlock& block_;
  int x_;
  Coordinates at_;
};

template <int kColumns>
class WarpgroupAccumulators {
 public:
  explicit WarpgroupAccumulators(const Thread& t) : thread_(t), registers_{values_, kColumns / 2} {
    thread_.TouchAccumulators(registers_, 0);
  }
  WarpgroupAccumulators(const WarpgroupAccumulators&) = delete;
  WarpgroupAccumulators& operator=(const WarpgroupAccumulators&) = delete;

  int32_t Get(int i, int line = __builtin_LINE()) {
    thread_.TouchAccumulators(registers_, line);
    return values_[i];
  }
  void Set(int i, int32_t sum, int line = __builtin_LINE()) {
    thread_.TouchAccumulators(registers_, line);
    values_[i] = sum;
  }

 private:
  friend class Thread;
  const Thread& thread_;
  int32_t values_[kColumns / 2] = {};
  AccumulatorRegisters registers_;
};

}  // namespace tally::cuda
