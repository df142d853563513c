#include "base/hash/sha256.h"

#include <algorithm>
#include <cstring>

namespace tally {
namespace {

// The message length in bits ends the last block.
constexpr size_t kLengthSize = 8;

template <typename T>
void StoreBigEndian(T value, uint8_t* out) {
  for (size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<uint8_t>(value >> (8 * (sizeof(T) - 1 - i)));
}

}  // namespace

void Sha256::Reset() {
  std::memcpy(state_.data(), kSha256InitialState, sizeof(kSha256InitialState));
  size_bytes_ = 0;
}

void Sha256::Update(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;  // memcpy refuses the null pointer that an empty span may hold
  const size_t num_pending = size_bytes_ % kSha256BlockSize;
  size_bytes_ += bytes.size();
  if (num_pending != 0) {
    const size_t taken = std::min(kSha256BlockSize - num_pending, bytes.size());
    std::memcpy(pending_.data() + num_pending, bytes.data(), taken);
    if (num_pending + taken < kSha256BlockSize) return;
    compress_(state_.data(), pending_.data(), 1);
    bytes = bytes.subspan(taken);
  }
  // Whole blocks are hashed where they are.
  const size_t num_blocks = bytes.size() / kSha256BlockSize;
  if (num_blocks != 0) compress_(state_.data(), bytes.data(), num_blocks);
  bytes = bytes.subspan(num_blocks * kSha256BlockSize);
  if (!bytes.empty()) std::memcpy(pending_.data(), bytes.data(), bytes.size());
}

Digest Sha256::Finish() {
  // Padding: a one bit, zeros, and the length, to the end of this block or the next.
  const size_t num_pending = size_bytes_ % kSha256BlockSize;
  const size_t num_blocks = num_pending + 1 + kLengthSize <= kSha256BlockSize ? 1 : 2;
  const size_t end = num_blocks * kSha256BlockSize;
  std::array<uint8_t, 2 * kSha256BlockSize> last;
  std::memcpy(last.data(), pending_.data(), num_pending);
  last[num_pending] = 0x80;
  std::memset(last.data() + num_pending + 1, 0, end - kLengthSize - num_pending - 1);
  StoreBigEndian(size_bytes_ * 8, last.data() + end - kLengthSize);
  compress_(state_.data(), last.data(), num_blocks);

  Digest digest;
  for (size_t i = 0; i < state_.size(); ++i) StoreBigEndian(state_[i], digest.data() + 4 * i);
  Reset();
  return digest;
}

Digest Sha256Hash(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return hash.Finish();
}

}  // namespace tally
