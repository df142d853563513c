// The bytes of a plan that no run changes, in one block of a device's memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned_vector.h"

namespace tally::cuda {

class Constants {
 public:
  // Bytes that the plan made live as long as it does.
  std::span<const uint8_t> Keep(AlignedVector<uint8_t> bytes) {
    made_bytes_ += std::ssize(bytes);
    return owned_.emplace_back(std::move(bytes));
  }
  // Of all that were made.
  int64_t made_bytes() const { return made_bytes_; }

  // Where bytes that live as long as the plan lie in the block; the same for the same bytes.
  int64_t Add(std::span<const uint8_t> bytes);

  struct Piece {
    int64_t offset;
    std::span<const uint8_t> bytes;
  };
  // What is there now, and back to it.
  struct Mark {
    size_t pieces, owned;
  };
  Mark mark() const { return {pieces_.size(), owned_.size()}; }
  void Rollback(const Mark& mark);

  const std::vector<Piece>& pieces() const { return pieces_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  std::vector<Piece> pieces_;
  std::map<const uint8_t*, int64_t> offsets_;  // of pieces
  std::vector<AlignedVector<uint8_t>> owned_;  // heap blocks stay when the list grows
  int64_t size_bytes_ = 0, made_bytes_ = 0;
};

}  // namespace tally::cuda
