// The bytes of a plan that no run changes, in one block of a device's memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"

namespace tally::cuda {

class Constants {
 public:
  // Where the bytes lie in the block. They live as long as the plan.
  int64_t Add(std::span<const uint8_t> bytes);
  int64_t AddOwned(AlignedVector<uint8_t> bytes);

  struct Piece {
    int64_t offset;
    std::span<const uint8_t> bytes;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<AlignedVector<uint8_t>> owned_;  // heap blocks stay when the list grows
  int64_t size_bytes_ = 0;
};

}  // namespace tally::cuda
