// The shared memory of an emulated block, which knows for each byte who touched it since the last barrier.
//
// Products of warpgroups read it by another way than threads (the "async proxy" of the PTX ISA): they see
// what a thread wrote when that thread has fenced since, and a barrier is between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally::cuda {

// At which address an emulated block's shared memory begins: not at 0, nor does that of a GPU.
inline constexpr int kSharedMemoryAddress = 1024;

class SharedMemory {
 public:
  SharedMemory(int size_bytes, int threads) : bytes_(size_bytes), facts_(size_bytes), fenced_at_(threads) {}

  // A barrier of all threads: what they did before it follows them.
  void PassBarrier() { ++epoch_; }

  // The fault of the access, or nothing.
  std::optional<std::string> Read(int thread, int offset, int size, int alignment, void* to);
  std::optional<std::string> Write(int thread, int offset, int size, int alignment, const void* from);

  // An asynchronous copy of 16 bytes: from when it begins until it lands nothing may touch its bytes.
  std::optional<std::string> BeginCopy(int thread, int offset);
  void LandCopy(int thread, int offset, const void* from);

  // Writes of `thread` become visible to products.
  void FenceForUnit(int thread) { fenced_at_[thread] = ++clock_; }
  // A product of a warpgroup: until it ends nothing may write its bytes.
  std::optional<std::string> ReadByUnit(int offset, int size, void* to);
  void EndReadByUnit(int offset, int size);

 private:
  struct Facts {
    uint32_t write_epoch = 0, read_epoch = 0;  // 0: never
    uint32_t written_at = 0;                   // clock_'s
    int16_t writer = 0, reader = 0, products = 0;
    bool several_readers = false, in_flight = false;
  };
  std::optional<std::string> CheckAccess(int offset, int size, int alignment) const;
  std::optional<std::string> NoteWrite(int thread, int offset, int size);

  std::vector<uint8_t> bytes_;
  std::vector<Facts> facts_;
  std::vector<uint32_t> fenced_at_;  // by thread
  uint32_t epoch_ = 1, clock_ = 0;
};

}  // namespace tally::cuda
