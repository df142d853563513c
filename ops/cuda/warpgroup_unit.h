// The products of an emulated warpgroup: what wgmma computes, and what it has begun and not finished.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ops/cuda/shared_memory.h"
#include "ops/cuda/thread.h"

namespace tally::cuda {

class WarpgroupUnit {
 public:
  // The operands of a product from one thread.
  struct Operands {
    AccumulatorRegisters* sums;
    uint64_t a, b;
  };

  // Sums of all threads [64, columns] += a [64, 32] b [columns, 32]^T. What is wrong with it, or nothing.
  std::optional<std::string> Begin(SharedMemory& shared, int columns, const Operands (&threads)[kWarpgroup]);
  // Those begun since the last group are one.
  void Commit();
  void Wait(SharedMemory& shared, int in_flight);
  void Fence() { ++fences_; }

  int64_t fences() const { return fences_; }
  bool has_unfinished() const { return !begun_.empty() || !groups_.empty(); }

 private:
  struct Product {
    std::vector<int> chunks;  // offsets of the 16 bytes each that it reads
    std::vector<AccumulatorRegisters*> sums;
  };

  int64_t fences_ = 0;
  std::vector<Product> begun_;
  std::deque<std::vector<Product>> groups_;
};

}  // namespace tally::cuda
