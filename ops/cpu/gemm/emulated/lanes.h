// The parts of the models of instructions: registers as arrays of lanes, and the end of a program that uses
// an instruction as a processor would not let it.
//
//   Each<uint32_t>(Add, a, b)   // for vectors of any size: Add of every pair of 32-bit lanes
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

// An intrinsic. Not inlined: kernels hold thousands of them.
#define TALLY_MODEL [[gnu::noinline]] inline

namespace tally::emulated {

[[noreturn]] inline void Refuse(const char* why) {
  std::fprintf(stderr, "emulated instruction: %s\n", why);
  std::abort();
}

// Vectors are those of the compiler, without the instructions of a processor.
template <typename T, typename V>
std::array<T, sizeof(V) / sizeof(T)> Lanes(const V& v) {
  std::array<T, sizeof(V) / sizeof(T)> lanes;
  std::memcpy(&lanes, &v, sizeof v);
  return lanes;
}
template <typename V, typename T, size_t n>
V VectorOf(const std::array<T, n>& lanes) {
  static_assert(sizeof(V) == sizeof lanes);
  V v;
  std::memcpy(&v, &lanes, sizeof v);
  return v;
}

// f of the lanes of each operand, modulo the lane's size.
template <typename T, typename F, typename V, typename... Vs>
V Each(F f, const V& first, const Vs&... more) {
  const auto each = [&](const auto& lanes, const auto&... others) {
    auto result = lanes;
    for (size_t i = 0; i < lanes.size(); ++i) result[i] = static_cast<T>(f(lanes[i], others[i]...));
    return VectorOf<V>(result);
  };
  return each(Lanes<T>(first), Lanes<T>(more)...);
}

// f(i) in each lane of T.
template <typename V, typename T, typename F>
V Fill(F f) {
  std::array<T, sizeof(V) / sizeof(T)> lanes;
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<T>(f(i));
  return VectorOf<V>(lanes);
}

// Lanes of From as lanes of To, of which there may be fewer: then the first ones.
template <typename V, typename To, typename From, typename F, typename W>
V Convert(F f, const W& w) {
  const auto from = Lanes<From>(w);
  static_assert(sizeof(V) / sizeof(To) <= from.size());
  return Fill<V, To>([&](size_t i) { return f(from[i]); });
}

inline constexpr auto kSame = [](auto v) { return v; };
inline constexpr auto kAdd = [](auto a, auto b) { return a + b; };
inline constexpr auto kLess = [](auto a, auto b) { return a - b; };
inline constexpr auto kGreater = [](auto a, auto b) { return a > b ? -1 : 0; };
inline constexpr auto kMin = [](auto a, auto b) { return a < b ? a : b; };
inline constexpr auto kMax = [](auto a, auto b) { return a > b ? a : b; };

template <typename To>
inline constexpr auto kSaturate = [](auto v) {
  using Limits = std::numeric_limits<To>;
  return static_cast<To>(v < Limits::min() ? Limits::min() : v > Limits::max() ? Limits::max() : v);
};

template <typename T>
inline constexpr auto kAddSaturated = [](auto a, auto b) { return kSaturate<T>(int64_t{a} + int64_t{b}); };

// By any count: shifts to the right of signed lanes repeat the sign, all others bring zeroes.
template <typename T>
constexpr T ShiftRight(T v, uint64_t count) {
  if (count < 8 * sizeof(T)) return static_cast<T>(v >> count);
  return v < 0 ? T(-1) : T(0);
}
template <typename T>
constexpr T ShiftLeft(T v, uint64_t count) {
  return count < 8 * sizeof(T) ? static_cast<T>(uint64_t(v) << count) : T(0);
}

// Sums of products wrap.
constexpr uint32_t Product(int32_t a, int32_t b) { return uint32_t(a) * uint32_t(b); }

template <typename V>
V Load(const void* at) {
  V v;
  std::memcpy(&v, at, sizeof v);
  return v;
}
template <typename V>
void Store(void* at, const V& v) {
  std::memcpy(at, &v, sizeof v);
}

}  // namespace tally::emulated
