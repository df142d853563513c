// The epilogue over vectors of accumulators. V: a simd_*.h.
#pragma once

#include "ops/cpu/gemm/rescale_vectors.h"

namespace tally {
namespace {  // every unit compiles its own, for its instructions

inline constexpr int kAccumulatorOverread = 1;

enum class Residual {
  kNone,
  kPairs,   // ResidualScale::Sum::kPairs; only of bytes
  kHalves,  // ResidualScale::Sum::kHalves; only of bytes
  kAny,
};

// Finishes accumulators of one panel, some rows at a time. `bytes`: y is requantized to 8 bits. `adds_init`:
// the accumulators of kShort began at zero, and GemmArgs::init is still to be added.
template <typename V, Epilogue::Scale scale, Residual residual, bool bytes, bool adds_init = false>
class PanelEpilogue {
 public:
  using Int = typename V::Int;
  // Four vectors of accumulators become one of bytes: two rows, one, or half of one.
  static constexpr int kRowsAtOnce = 4 * V::kLanes > kPanel ? 2 : 1;

  TALLY_INLINE PanelEpilogue(const GemmArgs& c, int64_t panel)
      : c_(c),
        n0_(panel * kPanel),
        row_mask_(V::RowMaskOf(c.columns - n0_ < kPanel ? c.columns - n0_ : kPanel)),
        init_(kAddsInit && c.init != nullptr ? c.init + n0_ : kNoInit),
        scale_{kScaled ? c.epilogue->groups + panel * (kPanel / kVectorColumns) : kNoScale},
        residual_(c.epilogue->residual),
        lo_(FirstClamp(c.epilogue->lo)),
        hi_(FirstClamp(c.epilogue->hi)),
        lo8_(V::Set8(static_cast<int8_t>(kHasResidual ? c.epilogue->residual.lo : c.epilogue->lo))),
        hi8_(V::Set8(static_cast<int8_t>(kHasResidual ? c.epilogue->residual.hi : c.epilogue->hi))) {}

  // `acc`: kRowsAtOnce rows, on a cache line; kAccumulatorOverread more may be read. `rows`: as in GemmArgs.
  TALLY_INLINE void Rows(const int32_t* acc, const int64_t* rows) const {
    if constexpr (bytes) {
      Bytes(acc, rows);
    } else {
      for (int r = 0; r < kRowsAtOnce; ++r) Wide(acc + r * kPanel, rows[r]);
    }
  }

  // Rows r and r + 1 of accumulators in registers, in the columns of vectors `vector` and the next.
  // `looks_up`: a table changes their bytes.
  template <bool looks_up, int count>
  TALLY_INLINE void HeldRows(const Int (&acc)[count][2], int r, int vector, const int64_t* rows) const {
    static_assert(bytes && count % 2 == 0);
    Int y = Packed(S16s(acc[r][0], acc[r][1], rows[r], vector),
                   S16s(acc[r + 1][0], acc[r + 1][1], rows[r + 1], vector));
    if constexpr (looks_up) y = V::LookUp(c_.epilogue->table, y);
    y = V::UndoPacks(y);
    constexpr int kColumns = 2 * V::kLanes;
    const auto columns = V::PairMaskOf(row_mask_, vector);
    if (rows[r] >= 0) V::template StorePixel<kColumns, 0>(c_.y + IndexOf(rows[r], vector), y, columns);
    if (rows[r + 1] >= 0)
      V::template StorePixel<kColumns, 1>(c_.y + IndexOf(rows[r + 1], vector), y, columns);
  }

 private:
  static constexpr int kVectors = kPanel / V::kLanes;  // in a row
  static constexpr bool kScaled = scale != Epilogue::Scale::kNone;
  static constexpr bool kHasResidual = residual != Residual::kNone;
  static constexpr bool kPairsResidual = residual == Residual::kPairs || residual == Residual::kHalves;
  static constexpr bool kAddsInit = adds_init && scale == Epilogue::Scale::kShort;
  static constexpr ScaleGroup kNoScale[kPanel / kVectorColumns] = {};
  alignas(64) static constexpr int32_t kNoInit[kPanel] = {};

  int64_t IndexOf(int64_t row, int vector) const { return row + n0_ + vector * V::kLanes; }

  // In pairs y is of 16 bits when it meets the residual.
  static TALLY_INLINE Int FirstClamp(int32_t limit) {
    if constexpr (!kPairsResidual) return V::Set32(limit);
    return V::Set16(static_cast<int16_t>(limit < -32768 ? -32768 : limit > 32767 ? 32767 : limit));
  }

  // `acc` below is a vector of accumulators, or where they are in memory.

  // The accumulators of vector `vector` of a row, scaled.
  TALLY_INLINE Int Scaled(auto acc, int vector) const {
    if constexpr (kAddsInit) {
      return scale_(V::Add32(V::Load(acc), V::Load(init_ + vector * V::kLanes)), vector);
    } else {
      return scale_(acc, vector);
    }
  }

  // Vector `vector` of a row. A row that goes nowhere takes the residual of row 0.
  TALLY_INLINE Int Vector(auto acc, int64_t row, int vector) const {
    if constexpr (!kScaled) {
      return V::Load(acc);
    } else {
      Int y = Scaled(acc, vector);
      if constexpr (scale == Epilogue::Scale::kAnyShift || kHasResidual || !bytes) {
        y = V::Clamp32(y, lo_, hi_);
      }
      if constexpr (kHasResidual) {
        const int64_t index = IndexOf(row < 0 ? 0 : row, vector);
        const auto mask = V::VectorMaskOf(row_mask_, vector);
        const bool is_byte = c_.epilogue->residual.storage == Storage::kI8;
        y = residual_(
            y, is_byte ? V::LoadS8(c_.residual + index, mask) : V::LoadS16(c_.residual + 2 * index, mask));
      }
      return y;
    }
  }

  // Vectors `vector` and the next of a row, packed to 16 bits.
  TALLY_INLINE Int S16s(auto acc, auto next_acc, int64_t row, int vector) const {
    if constexpr (!kPairsResidual) {
      return V::Packs32(Vector(acc, row, vector), Vector(next_acc, row, vector + 1));
    } else {
      const Int y = V::Clamp16(V::Packs32(Scaled(acc, vector), Scaled(next_acc, vector + 1)), lo_, hi_);
      const int64_t index = IndexOf(row < 0 ? 0 : row, vector);
      const auto mask = V::PairMaskOf(row_mask_, vector);
      const bool is_byte = c_.epilogue->residual.storage == Storage::kI8;
      const Int r = is_byte ? V::LoadPackedS8(c_.residual + index, mask)
                            : V::LoadPackedS16(c_.residual + 2 * index, mask);
      constexpr auto kSum =
          residual == Residual::kPairs ? ResidualScale::Sum::kPairs : ResidualScale::Sum::kHalves;
      return V::Packs32(residual_.template OfPairs<kSum>(V::UnpackLow16(y, r)),
                        residual_.template OfPairs<kSum>(V::UnpackHigh16(y, r)));
    }
  }

  TALLY_INLINE void Wide(const int32_t* acc, int64_t row) const {
    if (row < 0) return;
    for (int vector = 0; vector < kVectors; ++vector) {
      const Int y = Vector(acc + vector * V::kLanes, row, vector);
      const int64_t index = IndexOf(row, vector);
      const auto mask = V::VectorMaskOf(row_mask_, vector);
      switch (c_.epilogue->storage) {
        case Storage::kI8: V::StoreS8(c_.y + index, y, mask); break;
        case Storage::kI16: V::StoreS16(c_.y + 2 * index, y, mask); break;
        default: V::StoreS32(c_.y + 4 * index, y, mask); break;
      }
    }
  }

  // Four vectors as bytes, in the order of packs. Saturation to 16 and then to 8 bits keeps the order, and
  // the clamp is within.
  TALLY_INLINE Int Packed(Int first_s16s, Int last_s16s) const {
    return V::Clamp8(V::Packs16(first_s16s, last_s16s), lo8_, hi8_);
  }

  TALLY_INLINE void Bytes(const int32_t* acc, const int64_t* rows) const {
    PartOfBytes<0>(acc, rows);
    if constexpr (kVectors > 4) PartOfBytes<1>(acc, rows);
  }

  // Part `part` of four vectors.
  template <int part>
  TALLY_INLINE void PartOfBytes(const int32_t* acc, const int64_t* rows) const {
    const auto s16s = [&](int i) __attribute__((always_inline)) {
      const int r = (4 * part + i) / kVectors, v = (4 * part + i) % kVectors;
      const int32_t* const at = acc + r * kPanel + v * V::kLanes;
      return S16s(at, at + V::kLanes, rows[r], v);
    };
    Int y = Packed(s16s(0), s16s(2));
    if (c_.epilogue->table != nullptr) y = LookUp<V>(c_.epilogue->table, y);
    y = V::UndoPacks(y);
    if (rows[0] >= 0) V::template StoreRow<part>(c_.y + IndexOf(rows[0], 0), y, row_mask_);
    if constexpr (kRowsAtOnce == 2) {
      if (rows[1] >= 0) V::template StoreRow<1>(c_.y + IndexOf(rows[1], 0), y, row_mask_);
    }
  }

  const GemmArgs& c_;
  int64_t n0_;
  typename V::RowMask row_mask_;
  const int32_t* init_;
  PanelScales<V, kScaled ? scale : Epilogue::Scale::kHighWord> scale_;
  VectorResidual<V> residual_;
  Int lo_, hi_, lo8_, hi8_;
};

// Returns run.operator()<scale, residual, bytes>() with those of the epilogue.
template <typename Run>
inline auto WithEpilogue(const Epilogue& e, Run segment) {
  using Scale = Epilogue::Scale;
  const bool bytes = e.storage == Storage::kI8;
  const auto scaled = [&]<Scale scale>() {
    if (!e.has_residual) {
      if (bytes) return segment.template operator()<scale, Residual::kNone, true>();
      return segment.template operator()<scale, Residual::kNone, false>();
    }
    if (!bytes) return segment.template operator()<scale, Residual::kAny, false>();
    switch (e.residual.sum) {
      case ResidualScale::Sum::kPairs: return segment.template operator()<scale, Residual::kPairs, true>();
      case ResidualScale::Sum::kHalves: return segment.template operator()<scale, Residual::kHalves, true>();
      case ResidualScale::Sum::kAny: break;
    }
    return segment.template operator()<scale, Residual::kAny, true>();
  };
  switch (e.scale) {
    case Scale::kShort: return scaled.template operator()<Scale::kShort>();
    case Scale::kHighWord: return scaled.template operator()<Scale::kHighWord>();
    case Scale::kAnyShift: return scaled.template operator()<Scale::kAnyShift>();
    case Scale::kNone: break;
  }
  return segment.template operator()<Scale::kNone, Residual::kNone, false>();
}

// Rows of accumulators in memory for `rows` rows, so that whole vectors of bytes come of them.
template <typename V>
constexpr int StoredRows(int rows) {
  return (4 * V::kLanes > kPanel) ? (rows + 1) / 2 * 2 : rows;
}

// Finishes StoredRows(count) rows.
using FinishRows = void (*)(const GemmArgs& c, const int32_t* acc, const int64_t* rows, int count,
                            int64_t panel);

// The one for an epilogue, chosen once for a call.
template <typename V, bool adds_init = false>
FinishRows FinishRowsOf(const Epilogue& e) {
  return WithEpilogue(e, []<Epilogue::Scale scale, Residual residual, bool bytes>() -> FinishRows {
    return [](const GemmArgs& c, const int32_t* acc, const int64_t* rows, int count, int64_t panel) {
      const PanelEpilogue<V, scale, residual, bytes, adds_init> finisher(c, panel);
      for (int r = 0; r < count; r += finisher.kRowsAtOnce) finisher.Rows(acc + r * kPanel, rows + r);
    };
  });
}

}  // namespace
}  // namespace tally
