#include "ops/cpu/elementwise_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/rounding.h"

namespace tally::TALLY_ISA {
namespace {

// Arithmetic that wraps, in at least 32 bits: a product of two uint16_t would overflow int.
template <int S>
struct Wrapping {
  using Type = uint32_t;
};
template <>
struct Wrapping<3> {
  using Type = uint64_t;
};

template <BinaryLoop kLoop, int S>
void Binary(const void* a_bytes, const void* b_bytes, void* y_bytes, int64_t n) {
  using T = Element<S>;
  using W = typename Wrapping<S>::Type;
  const auto* a = At<S>(a_bytes);
  const auto* b = At<S>(b_bytes);
  auto* y = At<S>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const T p = a[i], q = b[i];
    switch (kLoop) {
      case BinaryLoop::kAdd: y[i] = static_cast<T>(static_cast<W>(p) + static_cast<W>(q)); break;
      case BinaryLoop::kSub: y[i] = static_cast<T>(static_cast<W>(p) - static_cast<W>(q)); break;
      case BinaryLoop::kMul: y[i] = static_cast<T>(static_cast<W>(p) * static_cast<W>(q)); break;
      case BinaryLoop::kMax: y[i] = p < q ? q : p; break;
      case BinaryLoop::kMin: y[i] = q < p ? q : p; break;
      case BinaryLoop::kAnd: y[i] = static_cast<T>(p & q); break;
      case BinaryLoop::kOr: y[i] = static_cast<T>(p | q); break;
      case BinaryLoop::kXor: y[i] = static_cast<T>(p ^ q); break;
      case BinaryLoop::kLoops: break;
    }
  }
}

template <UnaryLoop kLoop, int S>
void Unary(const void* x_bytes, void* y_bytes, int64_t n) {
  using T = Element<S>;
  using W = typename Wrapping<S>::Type;
  const auto* x = At<S>(x_bytes);
  auto* y = At<S>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const T v = x[i];
    const T minus = static_cast<T>(W{0} - static_cast<W>(v));
    switch (kLoop) {
      case UnaryLoop::kAbs: y[i] = v < 0 ? minus : v; break;
      case UnaryLoop::kNegative: y[i] = minus; break;
      case UnaryLoop::kRelu: y[i] = v < 0 ? T{0} : v; break;
      case UnaryLoop::kLoops: break;
    }
  }
}

template <int S>
void Clip(const void* x_bytes, void* y_bytes, int64_t n, int64_t lo_limit, int64_t hi_limit) {
  const auto* x = At<S>(x_bytes);
  auto* y = At<S>(y_bytes);
  const auto lo = static_cast<Element<S>>(lo_limit), hi = static_cast<Element<S>>(hi_limit);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const Element<S> v = x[i];
    const Element<S> raised = v < lo ? lo : v;
    y[i] = raised > hi ? hi : raised;
  }
}

template <int kRounding>
void ShiftRight(const int64_t* a_bytes, const int64_t* b_bytes, int64_t* y_bytes, int64_t n) {
  const auto* a = At<3>(a_bytes);
  const auto* b = At<3>(b_bytes);
  auto* y = At<3>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = Rounded<kRounding>(a[i], b[i], false);
}

void ShiftLeft(const int64_t* a_bytes, const int64_t* b_bytes, int64_t* y_bytes, int64_t n) {
  const auto* a = At<3>(a_bytes);
  const auto* b = At<3>(b_bytes);
  auto* y = At<3>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<int64_t>(static_cast<uint64_t>(a[i]) << b[i]);
}

// Bit by bit from above, for x < 2^48.
void Root(const int64_t* x_bytes, int64_t* y_bytes, int64_t n, bool nearest) {
  const auto* x = At<3>(x_bytes);
  auto* y = At<3>(y_bytes);
  const int64_t no_carry = nearest ? 0 : int64_t{1} << 62;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = x[i] < 0 ? 0 : x[i];
    int64_t root = 0;
    for (int64_t bit = int64_t{1} << 23; bit > 0; bit >>= 1) {
      const int64_t longer = root + bit;
      root = longer * longer <= v ? longer : root;
    }
    y[i] = v - root * root > root + no_carry ? root + 1 : root;
  }
}

#define ALL_STORAGES(Fn, Loop) \
  { Fn<Loop, 0>, Fn<Loop, 1>, Fn<Loop, 2>, Fn<Loop, 3> }

}  // namespace

const ElementwiseLoops kElementwiseLoops = {
    {ALL_STORAGES(Binary, BinaryLoop::kAdd), ALL_STORAGES(Binary, BinaryLoop::kSub),
     ALL_STORAGES(Binary, BinaryLoop::kMul), ALL_STORAGES(Binary, BinaryLoop::kMax),
     ALL_STORAGES(Binary, BinaryLoop::kMin), ALL_STORAGES(Binary, BinaryLoop::kAnd),
     ALL_STORAGES(Binary, BinaryLoop::kOr), ALL_STORAGES(Binary, BinaryLoop::kXor)},
    {ALL_STORAGES(Unary, UnaryLoop::kAbs), ALL_STORAGES(Unary, UnaryLoop::kNegative),
     ALL_STORAGES(Unary, UnaryLoop::kRelu)},
    {Clip<0>, Clip<1>, Clip<2>, Clip<3>},
    {ShiftRight<kFloor>, ShiftRight<kHalfUp>, ShiftRight<kHalfAway>, ShiftRight<kHalfEven>,
     ShiftRight<kDouble>, ShiftRight<kTrunc>},
    ShiftLeft,
    Root,
};

}  // namespace tally::TALLY_ISA
