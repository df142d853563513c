#include "engines/cuda/constants.h"

#include "base/int_math.h"

namespace tally::cuda {
namespace {

constexpr int64_t kAlignment = 64;

}  // namespace

int64_t Constants::Add(std::span<const uint8_t> bytes) {
  const auto [known, is_new] = offsets_.try_emplace(bytes.data(), size_bytes_);
  if (is_new) {
    pieces_.push_back({size_bytes_, bytes});
    size_bytes_ = RoundUp(size_bytes_ + static_cast<int64_t>(bytes.size()), kAlignment);
  }
  return known->second;
}

}  // namespace tally::cuda
