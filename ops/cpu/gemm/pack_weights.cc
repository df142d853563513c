#include "ops/cpu/gemm/pack_weights.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/int_math.h"
#include "base/wide.h"
#include "ops/gemm/column_scale.h"

namespace tally {

int64_t PackedBytes(const GemmPlan& plan, int64_t columns) {
  return CeilDiv<int64_t>(columns, kPanel) * static_cast<int64_t>(plan.segments.size()) *
         plan.k_groups_per_segment * kPanel * kKGroup;
}

namespace {

using Scale = Epilogue::Scale;

// `scale` times 2^bits: a shift that is too short for a form becomes longer.
ColumnScale LiftedTo(int least_shift, ColumnScale scale) {
  const int lift = std::max(0, least_shift - scale.shift);
  scale.multiplier *= int64_t{1} << lift;
  scale.addend <<= lift, scale.most <<= lift, scale.shift += lift;
  return scale;
}

bool Has(const ColumnScale& s, Scale form) {
  if (form == Scale::kHighWord) {
    return std::abs(s.multiplier) <= RangeOf(Storage::kI32).hi && s.most <= RangeOf(Storage::kI64).hi;
  }
  return form == Scale::kAnyShift || (s.multiplier >= 0 && s.multiplier < 1 << 15 && s.shift <= 47 &&
                                      (s.addend & 0xffff) == 0 && s.most < Int128{1} << 47);
}

// The least shift of a form. That of kShort makes a multiple of 2^16 of half a unit.
int LeastShift(Scale form) { return form == Scale::kShort ? 17 : form == Scale::kHighWord ? 32 : 0; }

}  // namespace

std::optional<PackedScale> PackScale(std::span<const RescaleParams> params, int64_t columns,
                                     const Interval& acc, std::span<const int64_t> init) {
  const auto scales = ColumnScalesOf(params, columns, acc, init);
  if (!scales) return std::nullopt;
  const auto all_have = [&](Scale form) {
    return std::ranges::all_of(
        *scales, [&](const ColumnScale& s) { return Has(LiftedTo(LeastShift(form), s), form); });
  };
  PackedScale packed;
  packed.scale = all_have(Scale::kShort)      ? Scale::kShort
                 : all_have(Scale::kHighWord) ? Scale::kHighWord
                                              : Scale::kAnyShift;
  packed.groups.resize(CeilDiv<int64_t>(columns, kPanel) * (kPanel / kVectorColumns));
  for (int64_t n = 0; n < columns; ++n) {
    const ColumnScale scale = LiftedTo(LeastShift(packed.scale), (*scales)[n]);
    ScaleGroup& group = packed.groups[n / kVectorColumns];
    const int64_t i = n % kVectorColumns;
    group.multiplier[i] = static_cast<int32_t>(scale.multiplier);
    if (i % 2 == 1) group.multiplier_odd[i - 1] = group.multiplier[i];
    (i % 2 == 0 ? group.addend_even : group.addend_odd)[i / 2] = static_cast<int64_t>(scale.addend);
    group.shift[i] = scale.shift - DroppedBits(packed.scale);
    if (packed.scale != Scale::kShort) continue;
    group.multiplier_high[i] = group.multiplier[i] << 16;
    group.addend_high[i] = static_cast<int32_t>(scale.addend >> 16);
  }
  return packed;
}

void UseAnyShift(PackedScale& packed) {
  for (ScaleGroup& group : packed.groups) {
    for (int32_t& shift : group.shift) shift += DroppedBits(packed.scale);
  }
  packed.scale = Scale::kAnyShift;
}

namespace {

// The type of which both sides of `element - base` are: a base need not fit the storage of the elements.
template <typename To, typename From>
using Difference = std::conditional_t<(sizeof(To) > sizeof(From)), To, From>;

// The packing of b transposed: what is together of a column is side by side in b.
template <typename To, typename From, int64_t kTogether>
void PackColumns(const PackPanelCall& c, int64_t count, To* panel, uint32_t* acc) {
  const auto base = static_cast<Difference<To, From>>(c.base);
  for (int64_t n = 0; n < count; ++n) {
    const auto* column = reinterpret_cast<const From*>(c.b) + (c.panel * kPanel + n) * c.depth;
    To* to = panel + n * kTogether;
    for (int64_t k = 0; k < c.depth; k += kTogether, to += kPanel * kTogether) {
      To elements[kTogether] = {};
      if (std::is_same_v<To, From> && base == 0 && k + kTogether <= c.depth) {
        std::memcpy(elements, column + k, sizeof elements);
      } else {
        for (int64_t j = 0; j < kTogether && k + j < c.depth; ++j) {
          elements[j] = static_cast<To>(column[k + j] - base);
        }
      }
      std::memcpy(to, elements, sizeof elements);
      for (int64_t j = 0; j < kTogether && acc != nullptr; ++j) acc[n] += static_cast<uint32_t>(elements[j]);
    }
  }
}

// Granules of rows: to[n * rows + j] = from[j][n].
template <typename T, int kRows>
void Interleave(const T (&from)[kRows][kPanel], T* to) {
  for (int n = 0; n < kPanel; ++n) {
    for (int j = 0; j < kRows; ++j) to[n * kRows + j] = from[j][n];
  }
}

// The interleaving of bytes by vectors, which the compiler does not do by itself.
void Interleave(const int8_t (&from)[4][kPanel], int8_t* to) {
  typedef int8_t Bytes __attribute__((vector_size(16)));
  typedef int16_t Pairs __attribute__((vector_size(16)));
  for (int n = 0; n < kPanel; n += 16) {
    Bytes rows[4];
    for (int j = 0; j < 4; ++j) std::memcpy(&rows[j], from[j] + n, sizeof rows[j]);
    const auto zip_bytes = [](Bytes a, Bytes b, bool high) {
      return (Pairs)(high ? __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
                                                    30, 15, 31)
                          : __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                                    23));
    };
    for (const bool high : {false, true}) {
      const Pairs a = zip_bytes(rows[0], rows[1], high), b = zip_bytes(rows[2], rows[3], high);
      const Pairs k_groups[] = {__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
                                __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)};
      std::memcpy(to, k_groups, sizeof k_groups);
      to += sizeof k_groups;
    }
  }
}

// The packing of b as it is. Loops over all columns of a panel have a constant length, of which compilers
// make vectors.
template <typename To, typename From, int64_t kTogether>
void PackRows(const PackPanelCall& c, int64_t count, To* panel, uint32_t* acc) {
  const auto base = static_cast<Difference<To, From>>(c.base);
  const auto* b = reinterpret_cast<const From*>(c.b) + c.panel * kPanel;
  for (int64_t k = 0; k < c.depth; k += kTogether, panel += kPanel * kTogether) {
    To rows[kTogether][kPanel] = {};
    for (int64_t j = 0; j < kTogether && k + j < c.depth; ++j) {
      From row[kPanel] = {};
      std::memcpy(row, b + (k + j) * c.columns, count * sizeof(From));
      for (int n = 0; n < kPanel; ++n) rows[j][n] = static_cast<To>(row[n] - base);
    }
    Interleave(rows, panel);
    for (int64_t j = 0; j < kTogether && acc != nullptr; ++j) {
      for (int n = 0; n < kPanel; ++n) acc[n] += static_cast<uint32_t>(rows[j][n]);
    }
  }
}

}  // namespace

void PackPanel(const PackPanelCall& c) noexcept {
  const int64_t first = c.panel * kPanel, count = std::min<int64_t>(kPanel, c.columns - first);
  uint8_t* const panel = c.packed + c.panel * c.k_groups * kPanel * kKGroup;
  const int64_t together = ElementsTogether(c.element);
  const int64_t written = RoundUp(c.depth, together) * SizeBytes(StorageOfWeights(c.element)) * kPanel;
  // Columns and depth that b lacks are zero.
  if (c.transposed && count < kPanel) std::memset(panel, 0, written);
  std::memset(panel + written, 0, c.k_groups * kPanel * kKGroup - written);
  const bool has_zero = c.zero_x != 0 || c.element == Element::kBiasedS8;
  uint32_t acc[kPanel] = {};
  const auto from = [&](auto element) {
    using From = decltype(element);
    uint32_t* const to = has_zero ? acc : nullptr;
    const auto pack = [&]<typename To, int64_t kTogether>() {
      To* const out = reinterpret_cast<To*>(panel);
      if (c.transposed) return PackColumns<To, From, kTogether>(c, count, out, to);
      PackRows<To, From, kTogether>(c, count, out, to);
    };
    switch (c.element) {
      case Element::kS32: return pack.template operator()<int32_t, 1>();
      case Element::kS16: return pack.template operator()<int16_t, 2>();
      case Element::kS8Pairs:
      case Element::kS16S8: return pack.template operator()<int8_t, 2>();
      case Element::kS8:
      case Element::kBiasedS8: return pack.template operator()<int8_t, 4>();
    }
  };
  switch (c.storage) {
    case Storage::kI8: from(int8_t{}); break;
    case Storage::kI16: from(int16_t{}); break;
    case Storage::kI32: from(int32_t{}); break;
    case Storage::kI64: from(int64_t{}); break;
  }
  const auto zero = static_cast<uint32_t>(c.zero_x + (c.element == Element::kBiasedS8 ? 128 : 0));
  for (int64_t n = 0; n < kPanel; ++n) {
    const uint32_t starts_with =
        c.first.empty() || n >= count ? 0u : static_cast<uint32_t>(c.first[first + n]);
    c.init[first + n] = static_cast<int32_t>(starts_with - zero * acc[n]);
  }
}

}  // namespace tally
