// The arguments of a quotient by a divisor that a plan knows (QuotientArgs of sampling.h).
#pragma once

#include <bit>
#include <cstdint>

#include "ops/common/sampling.h"

namespace tally {

// Those of floor(sum * 2^fraction / divisor + 1/2).
inline QuotientArgs QuotientBy(int64_t divisor, int64_t fraction) {
  const auto twice = static_cast<uint64_t>(divisor) * 2;
  QuotientArgs args = {.scale = int64_t{2} << fraction,
                       .half = divisor,
                       .bits = static_cast<int>(std::bit_width(twice - 1)),
                       .by_shift = std::has_single_bit(twice),
                       .magic = 0};
  if (!args.by_shift) {
    __extension__ using Wide = unsigned __int128;
    const Wide power = Wide{1} << args.bits;
    args.magic = static_cast<uint64_t>(((power - twice) << 64) / twice) + 1;
  }
  return args;
}

}  // namespace tally
