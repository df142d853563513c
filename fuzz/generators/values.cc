#include "fuzz/generators/values.h"

#include <algorithm>
#include <array>

namespace tally {
Shape RandomShape(EntropySource& e, int min_rank, int max_rank, int64_t max_elements) {
  const int rank = static_cast<int>(e.Between(min_rank, max_rank));
  std::array<int64_t, kMaxRank> dims = {};
  int64_t room = max_elements;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t largest = e.OneIn(8) ? 64 : 5;
    dims[axis] = e.Between(1, std::min(room, largest));
    room /= dims[axis];
  }
  return *Shape::Create(std::span<const int64_t>(dims.data(), rank));
}

Interval RandomInterval(EntropySource& e, const Interval& limit) {
  const auto clamp = [&](int64_t v) { return std::clamp(v, limit.lo, limit.hi); };
  const int bits = static_cast<int>(e.Between(0, 48));
  const int64_t power = int64_t{1} << bits;
  switch (e.Between(0, 8)) {
    case 0: return {clamp(-8), clamp(8)};
    case 1: return {clamp(-128), clamp(127)};
    case 2: return {clamp(-127), clamp(127)};
    case 3: return {clamp(-(power - 1)), clamp(power - 1)};
    case 4: return {clamp(0), clamp(power)};
    case 5: return limit;
    case 6: {
      const int64_t only = clamp(RandomValue(e, limit));
      return {only, only};
    }
    case 7: return {limit.lo == limit.hi ? limit.lo : limit.hi - 1, limit.hi};
    default: break;
  }
  const int64_t a = RandomValue(e, limit), b = RandomValue(e, limit);
  return {std::min(a, b), std::max(a, b)};
}

int64_t RandomValue(EntropySource& e, const Interval& interval) {
  switch (e.Between(0, 7)) {
    case 0: return interval.lo;
    case 1: return interval.hi;
    case 2: return std::clamp(e.Between(-2, 2), interval.lo, interval.hi);
    case 3: return e.Between(interval.Width() > 2 ? interval.hi - 2 : interval.lo, interval.hi);
    default: return e.Between(interval.lo, interval.hi);
  }
}

Tensor RandomTensor(EntropySource& e, const TensorType& type) {
  // Large tensors would eat all the bytes, so they grow from a seed.
  constexpr int64_t kFewElements = 8;
  const int64_t count = type.shape.num_elements();
  std::vector<uint8_t> noise;
  if (count > kFewElements) noise = NoiseBytes(e.Between(0, 0xffff), 9 * count);
  EntropySource grown(noise);
  EntropySource& source = count > kFewElements ? grown : e;
  const bool extremes = e.OneIn(4);
  Tensor tensor(type.shape, type.storage());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = extremes ? (source.OneIn(2) ? type.interval.hi : type.interval.lo)
                                   : RandomValue(source, type.interval);
    StoreElement(type.storage(), tensor.mutable_bytes().data(), i, value);
  }
  return tensor;
}

}  // namespace tally
