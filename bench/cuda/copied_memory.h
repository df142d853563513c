// Memory of a device in pieces, as often as work takes turns on it: one block, so that hundreds of copies
// cost one allocation, and one upload, which the device itself copies.
//
//   CopiedMemory memory;
//   const int x = memory.Add(bytes), y = memory.Add(1 << 20);
//   RETURN_IF_ERROR(memory.Upload(device, stream, 16));
//   memory.At(copy, y);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engines/cuda/device.h"

namespace tally::bench {

class CopiedMemory {
 public:
  // The number of a new piece. `content` stays where it is until Upload is done. A piece without content
  // begins as bytes that no kernel writes by chance.
  int Add(std::span<const uint8_t> content);
  int Add(int64_t size_bytes);

  // Waits for the stream. Errors: those of the device.
  absl::Status Upload(cuda::Device& device, cuda::Stream& stream, int copies);

  int copies() const { return copies_; }
  uint8_t* At(int copy, int piece) const {
    return block_->bytes() + copy * copy_bytes_ + pieces_[static_cast<size_t>(piece)].offset;
  }

 private:
  struct Piece {
    int64_t offset, size_bytes;
    std::span<const uint8_t> content;
  };
  int Add(int64_t size_bytes, std::span<const uint8_t> content);

  std::vector<Piece> pieces_;
  int64_t copy_bytes_ = 0;
  int copies_ = 0;
  std::unique_ptr<cuda::DeviceMemory> block_;
};

}  // namespace tally::bench
