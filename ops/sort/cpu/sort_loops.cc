#include "ops/sort/cpu/sort_loops.h"

#include "ops/cpu/element.h"

namespace tally::TALLY_ISA {
namespace {

template <int S>
void Keys(const void* bytes, int64_t n, const KeyArgs& args, uint64_t* keys) {
  const auto* x = At<S>(bytes);
  const KeyArgs a = args;
  const int64_t sign = a.descending ? -1 : 1;
  const auto write = [&](int64_t stride) {
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) {
      const int64_t distance = (x[i * stride] - a.origin) * sign;
      keys[i] = static_cast<uint64_t>(distance) << a.position_bits | static_cast<uint64_t>(a.first + i);
    }
  };
  a.stride == 1 ? write(1) : write(a.stride);
}

void Values(const uint64_t* keys, int64_t n, const KeyArgs& args, int64_t* values) {
  const KeyArgs a = args;
  const int64_t sign = a.descending ? -1 : 1;
  for (int64_t i = 0; i < n; ++i) {
    values[i] = a.origin + sign * static_cast<int64_t>(keys[i] >> a.position_bits);
  }
}

void Positions(const uint64_t* keys, int64_t n, const KeyArgs& args, int64_t* positions) {
  const uint64_t mask = (uint64_t{1} << args.position_bits) - 1;
  for (int64_t i = 0; i < n; ++i) positions[i] = static_cast<int64_t>(keys[i] & mask);
}

}  // namespace

const SortLoops kSortLoops = {{Keys<0>, Keys<1>, Keys<2>, Keys<3>}, Values, Positions};

}  // namespace tally::TALLY_ISA
