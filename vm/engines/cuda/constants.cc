#include "vm/engines/cuda/constants.h"

#include <utility>

#include "base/int_math.h"

namespace tally::cuda {
namespace {

constexpr int64_t kAlignment = 64;

}  // namespace

int64_t Constants::Add(std::span<const uint8_t> bytes) {
  for (const Piece& piece : pieces_) {
    if (piece.bytes.data() == bytes.data() && piece.bytes.size() == bytes.size()) return piece.offset;
  }
  const int64_t offset = size_bytes_;
  pieces_.push_back({offset, bytes});
  size_bytes_ = RoundUp(offset + static_cast<int64_t>(bytes.size()), kAlignment);
  return offset;
}

int64_t Constants::AddOwned(AlignedVector<uint8_t> bytes) {
  return Add(owned_.emplace_back(std::move(bytes)));
}

}  // namespace tally::cuda
