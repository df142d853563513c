// Requantization, residuals and tables of a vector of accumulators. V: a simd_*.h.
#pragma once

#include "ops/cpu/gemm/always_inline.h"
#include "ops/cpu/gemm/micro_kernel.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

// (x * multiplier + addend) >> shift of a vector of columns, the two halves of the products apart.
template <typename V, Epilogue::Scale scale>
struct VectorScale {
  using Int = typename V::Int;
  Int multiplier, multiplier_odd, addend_even, addend_odd, shift;

  // Columns `first` .. of the group.
  TALLY_INLINE explicit VectorScale(const ScaleGroup& g, int first = 0)
      : multiplier(V::Load(g.multiplier + first)),
        multiplier_odd(V::Load(g.multiplier_odd + first)),
        addend_even(V::Load(g.addend_even + first / 2)),
        addend_odd(V::Load(g.addend_odd + first / 2)),
        shift(V::Load(g.shift + first)) {}

  TALLY_INLINE Int operator()(Int sum) const { return Scaled(sum, V::OddToEven(sum)); }

  // The odd columns of accumulators in memory, after whose end 4 bytes may be read: there a load does what a
  // shift does here.
  TALLY_INLINE Int operator()(const int32_t* acc) const {
    return Scaled(V::Load(acc), V::LoadUnaligned(acc + 1));
  }

 private:
  // `odd_sums` has accumulators 1, 3, .. at 0, 2, ..
  TALLY_INLINE Int Scaled(Int acc, Int odd_sums) const {
    const Int even = V::Add64(V::MultiplyEven(acc, multiplier), addend_even);
    const Int odd = V::Add64(V::MultiplyEven(odd_sums, multiplier_odd), addend_odd);
    if constexpr (scale == Epilogue::Scale::kHighWord) {
      return V::ShiftRightSigned32(V::HighWords(even, odd), shift);
    } else {
      // Saturation to 32 bits keeps the order, and the clamp that follows is within.
      return V::Or(V::ShiftRightToS32(even, V::EvenLanes(shift)),
                   V::EvenToOdd(V::ShiftRightToS32(odd, V::OddToEven(shift))));
    }
  }
};

// The same by products of 16 bits: sum = high 2^16 + low, with low >= 0.
template <typename V>
struct VectorScale<V, Epilogue::Scale::kShort> {
  using Int = typename V::Int;
  Int multiplier, multiplier_high, addend, shift;

  TALLY_INLINE explicit VectorScale(const ScaleGroup& g, int first = 0)
      : multiplier(V::Load(g.multiplier + first)),
        multiplier_high(V::Load(g.multiplier_high + first)),
        addend(V::Load(g.addend_high + first)),
        shift(V::Load(g.shift + first)) {}

  TALLY_INLINE Int operator()(Int sum) const {
    const Int of_low = V::MultiplyHigh16(sum, multiplier);
    return V::ShiftRightSigned32(V::Add32(V::AddPairs(of_low, sum, multiplier_high), addend), shift);
  }
  TALLY_INLINE Int operator()(const int32_t* acc) const { return (*this)(V::Load(acc)); }
};

// The scales of the vectors of a panel, read where they are used.
template <typename V, Epilogue::Scale scale, bool held = V::kHoldsScales>
struct PanelScales {
  const ScaleGroup* groups;
  static constexpr int kOfGroup = kVectorColumns / V::kLanes;

  // `sums`: a vector of them, or where they are.
  TALLY_INLINE typename V::Int operator()(auto sums, int vector) const {
    return VectorScale<V, scale>(groups[vector / kOfGroup], vector % kOfGroup * V::kLanes)(sums);
  }
};

// The same, held in registers.
template <typename V, Epilogue::Scale scale>
struct PanelScales<V, scale, true> {
  VectorScale<V, scale> first, second;

  TALLY_INLINE explicit PanelScales(const ScaleGroup* groups) : first(groups[0]), second(groups[1]) {}
  TALLY_INLINE typename V::Int operator()(auto sums, int vector) const {
    return vector == 0 ? first(sums) : second(sums);
  }
};

template <typename V>
struct VectorResidual {
  using Int = typename V::Int;
  using Sum = ResidualScale::Sum;
  Int y_multiplier, r_multiplier, addend, high, low, addend_high, addend_low, last_shift, shift, lo, hi;
  Sum sum;

  TALLY_INLINE explicit VectorResidual(const ResidualScale& r)
      : y_multiplier(V::Set32(r.y_multiplier)),
        r_multiplier(V::Set32(r.r_multiplier)),
        addend(V::Set64(r.addend)),
        high(PairOf(r.y_high, r.r_high)),
        low(PairOf(r.y_low, r.r_low)),
        addend_high(V::Set32(r.addend_high)),
        addend_low(V::Set32(r.addend_low)),
        last_shift(V::Set32(r.last_shift)),
        shift(V::Set64(r.shift)),
        lo(V::Set32(r.lo)),
        hi(V::Set32(r.hi)),
        sum(r.sum) {}

  static TALLY_INLINE Int PairOf(int16_t y, int16_t r) {
    return V::Set32(static_cast<int32_t>(static_cast<uint16_t>(y) | static_cast<uint32_t>(r) << 16));
  }

  // The sums of pairs of 16 bits, y and above it the residual. The clamp is left to do.
  template <Sum form>
  TALLY_INLINE Int OfPairs(Int pairs) const {
    Int sums = V::AddPairs(addend_low, pairs, low);
    if constexpr (form == Sum::kHalves) {
      sums = V::Add32(V::AddPairs(addend_high, pairs, high), V::ShiftRightSigned32(sums, 16));
    }
    return V::ShiftRightSigned32(sums, last_shift);
  }

  TALLY_INLINE Int operator()(Int y, Int r) const {
    if (sum == Sum::kPairs) return V::Clamp32(OfPairs<Sum::kPairs>(V::Pairs(y, r)), lo, hi);
    if (sum == Sum::kHalves) return V::Clamp32(OfPairs<Sum::kHalves>(V::Pairs(y, r)), lo, hi);
    const auto half = [&](Int a, Int b) __attribute__((always_inline)) {
      const Int products = V::Add64(V::MultiplyEven(a, y_multiplier), V::MultiplyEven(b, r_multiplier));
      return V::ShiftRightToS32(V::Add64(products, addend), shift);
    };
    const Int even = half(y, r), odd = half(V::OddToEven(y), V::OddToEven(r));
    return V::Clamp32(V::Or(even, V::EvenToOdd(odd)), lo, hi);
  }
};

// V::LookUp, apart: else its constants are prepared where there is no table.
template <typename V>
[[gnu::noinline]] typename V::Int LookUp(const int8_t* table, typename V::Int y) {
  return V::LookUp(table, y);
}

}  // namespace
}  // namespace tally
