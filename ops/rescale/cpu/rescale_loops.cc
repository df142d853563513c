#include "ops/rescale/cpu/rescale_loops.h"

#include "ops/cpu/element.h"
#include "ops/cpu/rounding.h"

namespace tally::TALLY_ISA {
namespace {

template <typename T>
inline T Clamp(T v, T lo, T hi) {
  const T raised = v < lo ? lo : v;
  return raised > hi ? hi : raised;
}

// The bounds as i32: what is outside of it bounds nothing there.
inline int32_t Saturate(int64_t v) { return static_cast<int32_t>(Clamp<int64_t>(v, INT32_MIN, INT32_MAX)); }

inline int32_t WrapAdd32(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

template <bool kPerElement>
void HalfUp(const int32_t* x_bytes, int32_t* y_bytes, int64_t n, const Scales& scales,
            const OutputClamp& output) {
  const auto* x = At<2>(x_bytes);
  auto* y = At<2>(y_bytes);
  const int32_t *m = scales.multipliers, *s = scales.shifts;
  const int64_t* b = scales.biases;
  const int64_t lo = output.lo, hi = output.hi, zero_out = output.zero_out;
  const int32_t m0 = m[0], s0 = s[0];
  const int64_t b0 = b[0];
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t product = int64_t{x[i]} * (kPerElement ? m[i] : m0);
    const int64_t r = WrapAdd(product, kPerElement ? b[i] : b0) >> (kPerElement ? s[i] : s0);
    y[i] = static_cast<int32_t>(Clamp(r, lo, hi) + zero_out);
  }
}

// The bits that the shift drops are in the low words, so all after the sum is done on the high ones.
template <bool kPerElement>
void HalfUpHigh(const int32_t* x_bytes, int32_t* y_bytes, int64_t n, const Scales& scales,
                const OutputClamp& output) {
  const auto* x = At<2>(x_bytes);
  auto* y = At<2>(y_bytes);
  const int32_t *m = scales.multipliers, *s = scales.shifts;
  const int64_t* b = scales.biases;
  const int32_t lo = Saturate(output.lo), hi = Saturate(output.hi);
  const auto zero_out = static_cast<int32_t>(output.zero_out);
  const int32_t m0 = m[0], s0 = s[0] - 32;
  const int64_t b0 = b[0];
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t product = int64_t{x[i]} * (kPerElement ? m[i] : m0);
    const auto high = static_cast<int32_t>(WrapAdd(product, kPerElement ? b[i] : b0) >> 32);
    y[i] = WrapAdd32(Clamp(high >> (kPerElement ? s[i] - 32 : s0), lo, hi), zero_out);
  }
}

template <int kRounding, bool kPerElement>
void Wide(const int64_t* x_bytes, int64_t* y_bytes, int64_t n, int64_t zero_in, const Scales& scales,
          const OutputClamp& output) {
  const auto* x = At<3>(x_bytes);
  auto* y = At<3>(y_bytes);
  const int32_t *m = scales.multipliers, *s = scales.shifts;
  const int64_t* b = scales.biases;
  const int64_t m0 = m[0], s0 = s[0], b0 = b[0];
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t v = WrapAdd(x[i], -zero_in);
    const int64_t product = WrapAdd(WrapMul(v, kPerElement ? m[i] : m0), kPerElement ? b[i] : b0);
    const int64_t r = Rounded<kRounding>(product, kPerElement ? s[i] : s0, v < 0);
    y[i] = WrapAdd(Clamp(r, output.lo, output.hi), output.zero_out);
  }
}

// Every partial sum wraps to what the whole sum, which fits, is made of.
template <int kCount>
void Sum32Of(const void* const* x, const int64_t* m, int64_t bias, int64_t shift, int32_t* y_bytes, int64_t n,
             const OutputClamp& output) {
  auto* y = At<2>(y_bytes);
  const auto *x0 = At<2>(x[0]), *x1 = At<2>(x[kCount > 1 ? 1 : 0]), *x2 = At<2>(x[kCount > 2 ? 2 : 0]),
             *x3 = At<2>(x[kCount > 3 ? 3 : 0]);
  const auto m0 = static_cast<uint32_t>(m[0]), m1 = static_cast<uint32_t>(m[kCount > 1 ? 1 : 0]),
             m2 = static_cast<uint32_t>(m[kCount > 2 ? 2 : 0]),
             m3 = static_cast<uint32_t>(m[kCount > 3 ? 3 : 0]);
  const int32_t lo = Saturate(output.lo), hi = Saturate(output.hi);
  const auto zero_out = static_cast<int32_t>(output.zero_out);
  const auto b = static_cast<uint32_t>(bias);
  const int s = static_cast<int>(shift);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    uint32_t sum = b + static_cast<uint32_t>(x0[i]) * m0;
    if (kCount > 1) sum += static_cast<uint32_t>(x1[i]) * m1;
    if (kCount > 2) sum += static_cast<uint32_t>(x2[i]) * m2;
    if (kCount > 3) sum += static_cast<uint32_t>(x3[i]) * m3;
    y[i] = WrapAdd32(Clamp(static_cast<int32_t>(sum) >> s, lo, hi), zero_out);
  }
}

template <int kCount>
void Sum64Of(const void* const* x, const int64_t* m, int64_t bias, int64_t shift, int32_t* y_bytes, int64_t n,
             const OutputClamp& output) {
  auto* y = At<2>(y_bytes);
  const auto *x0 = At<2>(x[0]), *x1 = At<2>(x[kCount > 1 ? 1 : 0]), *x2 = At<2>(x[kCount > 2 ? 2 : 0]),
             *x3 = At<2>(x[kCount > 3 ? 3 : 0]);
  const auto m0 = static_cast<int32_t>(m[0]), m1 = static_cast<int32_t>(m[kCount > 1 ? 1 : 0]),
             m2 = static_cast<int32_t>(m[kCount > 2 ? 2 : 0]),
             m3 = static_cast<int32_t>(m[kCount > 3 ? 3 : 0]);
  const int64_t lo = output.lo, hi = output.hi, zero_out = output.zero_out;
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    int64_t sum = WrapAdd(bias, int64_t{x0[i]} * m0);
    if (kCount > 1) sum = WrapAdd(sum, int64_t{x1[i]} * m1);
    if (kCount > 2) sum = WrapAdd(sum, int64_t{x2[i]} * m2);
    if (kCount > 3) sum = WrapAdd(sum, int64_t{x3[i]} * m3);
    y[i] = static_cast<int32_t>(Clamp(sum >> shift, lo, hi) + zero_out);
  }
}

void Sum32(const void* const* x, int count, const int64_t* m, int64_t bias, int64_t shift, int32_t* y,
           int64_t n, const OutputClamp& output) {
  constexpr decltype(&Sum32Of<1>) kLoops[] = {Sum32Of<1>, Sum32Of<2>, Sum32Of<3>, Sum32Of<4>};
  kLoops[count - 1](x, m, bias, shift, y, n, output);
}

void Sum64(const void* const* x, int count, const int64_t* m, int64_t bias, int64_t shift, int32_t* y,
           int64_t n, const OutputClamp& output) {
  constexpr decltype(&Sum64Of<1>) kLoops[] = {Sum64Of<1>, Sum64Of<2>, Sum64Of<3>, Sum64Of<4>};
  kLoops[count - 1](x, m, bias, shift, y, n, output);
}

template <int kRounding>
void SumWide(const void* const* x, int count, const int64_t* m, int64_t bias, int64_t shift, int64_t* y_bytes,
             int64_t n, const OutputClamp& output) {
  auto* y = At<3>(y_bytes);
  for (int k = 0; k < count; ++k) {
    const auto* term = At<3>(x[k]);
    const int64_t factor = m[k];
    TALLY_SIMD
    for (int64_t i = 0; i < n; ++i) y[i] = WrapAdd(k == 0 ? bias : y[i], WrapMul(term[i], factor));
  }
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    const int64_t r = Rounded<kRounding>(y[i], shift, false);
    y[i] = WrapAdd(Clamp(r, output.lo, output.hi), output.zero_out);
  }
}

void Product32(const int32_t* a_bytes, const int32_t* b_bytes, int32_t* y_bytes, int64_t n, int64_t zero_a,
               int64_t zero_b) {
  const auto *a = At<2>(a_bytes), *b = At<2>(b_bytes);
  auto* y = At<2>(y_bytes);
  const auto za = static_cast<uint32_t>(zero_a), zb = static_cast<uint32_t>(zero_b);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<int32_t>((static_cast<uint32_t>(a[i]) - za) * (static_cast<uint32_t>(b[i]) - zb));
  }
}

void Product64(const int64_t* a_bytes, const int64_t* b_bytes, int64_t* y_bytes, int64_t n, int64_t zero_a,
               int64_t zero_b) {
  const auto *a = At<3>(a_bytes), *b = At<3>(b_bytes);
  auto* y = At<3>(y_bytes);
  TALLY_SIMD
  for (int64_t i = 0; i < n; ++i) y[i] = WrapMul(WrapAdd(a[i], -zero_a), WrapAdd(b[i], -zero_b));
}

}  // namespace

const RescaleLoops kRescaleLoops = {
    {HalfUp<false>, HalfUp<true>},
    {HalfUpHigh<false>, HalfUpHigh<true>},
    {{Wide<kFloor, false>, Wide<kFloor, true>},
     {Wide<kHalfUp, false>, Wide<kHalfUp, true>},
     {Wide<kHalfAway, false>, Wide<kHalfAway, true>},
     {Wide<kHalfEven, false>, Wide<kHalfEven, true>},
     {Wide<kDouble, false>, Wide<kDouble, true>},
     {Wide<kTrunc, false>, Wide<kTrunc, true>}},
    Sum32,
    Sum64,
    {SumWide<kFloor>, SumWide<kHalfUp>, SumWide<kHalfAway>, SumWide<kHalfEven>, SumWide<kDouble>,
     SumWide<kTrunc>},
    Product32,
    Product64,
};

}  // namespace tally::TALLY_ISA
