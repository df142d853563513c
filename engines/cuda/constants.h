// The bytes of a plan that no run changes, in one block of a device's memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tally::cuda {

class Constants {
 public:
  // Where bytes that live as long as the plan are in the block; the same for the same bytes.
  int64_t Add(std::span<const uint8_t> bytes);

  struct Piece {
    int64_t offset;
    std::span<const uint8_t> bytes;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  std::vector<Piece> pieces_;
  std::map<const uint8_t*, int64_t> offsets_;  // where pieces begin
  int64_t size_bytes_ = 0;
};

}  // namespace tally::cuda
