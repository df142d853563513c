#include "bench/cuda/copied_memory.h"

#include <algorithm>
#include <cstring>

#include "base/int_math.h"
#include "base/status_macros.h"
#include "ops/cuda/peak/peak_device.h"

namespace tally::bench {
namespace {

constexpr int64_t kAlignment = 256;  // as memory that is allocated by itself has

}  // namespace

int CopiedMemory::Add(std::span<const uint8_t> content) {
  return Add(static_cast<int64_t>(content.size()), content);
}

int CopiedMemory::Add(int64_t size_bytes) { return Add(size_bytes, {}); }

int CopiedMemory::Add(int64_t size_bytes, std::span<const uint8_t> content) {
  pieces_.push_back({copy_bytes_, size_bytes, content});
  copy_bytes_ += RoundUp(std::max<int64_t>(1, size_bytes), kAlignment);
  return static_cast<int>(pieces_.size()) - 1;
}

absl::Status CopiedMemory::Upload(cuda::Device& device, cuda::Stream& stream, int copies) {
  constexpr uint8_t kUnwritten = 0xa5;
  copies_ = copies;
  ASSIGN_OR_RETURN(block_, device.Allocate(std::max<int64_t>(1, copies * copy_bytes_)));
  std::vector<uint8_t> unwritten;
  for (const Piece& piece : pieces_) {
    if (piece.content.empty()) {
      unwritten.resize(std::max(unwritten.size(), static_cast<size_t>(piece.size_bytes)), kUnwritten);
    }
  }
  for (size_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    const std::span<const uint8_t> content =
        piece.content.empty() ? std::span<const uint8_t>(unwritten).first(piece.size_bytes) : piece.content;
    RETURN_IF_ERROR(stream.CopyIn(At(0, static_cast<int>(p)), content));
  }
  const cuda::CopyLoopParams params = {copy_bytes_ / int64_t{sizeof(cuda::Bytes16)}};
  uint8_t bytes[sizeof params];
  std::memcpy(bytes, &params, sizeof params);
  for (int copy = 1; copy < copies; ++copy) {
    RETURN_IF_ERROR(stream.Launch(cuda::KernelId::kCopyLoop, cuda::GridOver(params.count),
                                  {block_->bytes(), block_->bytes() + copy * copy_bytes_}, bytes));
  }
  return stream.Wait();
}

}  // namespace tally::bench
