// A closed interval of int64_t: what is proven about every element of a tensor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace tally {

struct Interval {
  int64_t lo = 0;
  int64_t hi = 0;

  constexpr bool Contains(int64_t value) const { return lo <= value && value <= hi; }
  constexpr bool Contains(const Interval& other) const { return lo <= other.lo && other.hi <= hi; }

  // The smallest interval around both.
  constexpr Interval Hull(const Interval& other) const {
    return {std::min(lo, other.lo), std::max(hi, other.hi)};
  }

  // max(|lo|, |hi|); unsigned, so that |-2^63| is representable.
  constexpr uint64_t Magnitude() const { return std::max(Abs(lo), Abs(hi)); }

  // hi - lo; unsigned, as an interval may be all of 64 bits.
  constexpr uint64_t Width() const { return static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo); }

  std::string ToString() const { return "[" + std::to_string(lo) + ", " + std::to_string(hi) + "]"; }

  friend constexpr bool operator==(const Interval&, const Interval&) = default;

 private:
  static constexpr uint64_t Abs(int64_t v) {
    return v < 0 ? -static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  }
};

}  // namespace tally
