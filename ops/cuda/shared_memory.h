// The shared memory of an emulated block, which knows for each byte who touched it since the last barrier.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally::cuda {

class SharedMemory {
 public:
  explicit SharedMemory(int size_bytes) : bytes_(size_bytes), facts_(size_bytes) {}

  // A barrier of all threads: what they did before it lies behind them.
  void PassBarrier() { ++epoch_; }

  // What is wrong with the access, or nothing.
  std::optional<std::string> Read(int thread, int offset, int size, int alignment, void* to);
  std::optional<std::string> Write(int thread, int offset, int size, int alignment, const void* from);

  // An asynchronous copy of 16 bytes: from when it begins until it lands nothing may touch its bytes.
  std::optional<std::string> BeginCopy(int thread, int offset);
  void LandCopy(int thread, int offset, const void* from);

 private:
  struct Facts {
    uint32_t write_epoch = 0, read_epoch = 0;  // 0: never
    int16_t writer = 0, reader = 0;
    bool several_readers = false, in_flight = false;
  };
  std::optional<std::string> CheckPlace(int offset, int size, int alignment) const;
  std::optional<std::string> NoteWrite(int thread, int offset, int size);

  std::vector<uint8_t> bytes_;
  std::vector<Facts> facts_;
  uint32_t epoch_ = 1;
};

}  // namespace tally::cuda
