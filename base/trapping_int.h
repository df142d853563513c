// int64_t that throws where a wrapped value would appear: the witness that the validator's proof holds.
//
// Tests instantiate the references with it; a std::overflow_error then means a hole in the proof.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace tally {

class TrappingInt {
 public:
  constexpr TrappingInt() = default;
  constexpr TrappingInt(int64_t value) : value_(value) {}  // NOLINT: replaces int64_t everywhere

  constexpr explicit operator int64_t() const { return value_; }
  constexpr explicit operator int() const { return static_cast<int>(value_); }

  friend constexpr TrappingInt operator+(TrappingInt a, TrappingInt b) {
    TrappingInt r;
    if (__builtin_add_overflow(a.value_, b.value_, &r.value_)) Trap("add");
    return r;
  }
  friend constexpr TrappingInt operator-(TrappingInt a, TrappingInt b) {
    TrappingInt r;
    if (__builtin_sub_overflow(a.value_, b.value_, &r.value_)) Trap("sub");
    return r;
  }
  friend constexpr TrappingInt operator*(TrappingInt a, TrappingInt b) {
    TrappingInt r;
    if (__builtin_mul_overflow(a.value_, b.value_, &r.value_)) Trap("mul");
    return r;
  }
  friend constexpr TrappingInt operator/(TrappingInt a, TrappingInt b) {
    if (b.value_ == 0 || (a.value_ == INT64_MIN && b.value_ == -1)) Trap("div");
    return a.value_ / b.value_;
  }
  friend constexpr TrappingInt operator%(TrappingInt a, TrappingInt b) {
    if (b.value_ == 0 || (a.value_ == INT64_MIN && b.value_ == -1)) Trap("mod");
    return a.value_ % b.value_;
  }
  friend constexpr TrappingInt operator>>(TrappingInt a, int shift) {
    if (shift < 0 || shift > 63) Trap("shift");
    return a.value_ >> shift;
  }
  friend constexpr TrappingInt operator<<(TrappingInt a, int shift) {
    if (shift < 0 || shift > 62) Trap("shift");
    return a * TrappingInt(int64_t{1} << shift);
  }
  constexpr TrappingInt operator-() const { return TrappingInt(0) - *this; }
  constexpr TrappingInt& operator+=(TrappingInt o) { return *this = *this + o; }
  constexpr TrappingInt& operator-=(TrappingInt o) { return *this = *this - o; }
  constexpr TrappingInt& operator*=(TrappingInt o) { return *this = *this * o; }

  friend constexpr auto operator<=>(const TrappingInt&, const TrappingInt&) = default;
  friend constexpr bool operator==(const TrappingInt&, const TrappingInt&) = default;

 private:
  [[noreturn]] static void Trap(const char* operation) { throw std::overflow_error(operation); }

  int64_t value_ = 0;
};

}  // namespace tally
