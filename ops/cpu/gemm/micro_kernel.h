// GEMM micro-kernels over packed operands: the one inner loop of convolutions, dense layers and matrix
// products.
//
//   y[m, n] = epilogue(init[n] + sum over segments s and elements k of s: x[m][s][k] * w[s][k][n])
//
// M: a row is a pixel of y or a row of a matrix. Its operands are in `num_segments` contiguous segments of K,
// at the same distances for each row, so that an implicit GEMM needs no im2col: a convolution has a segment
// for each line of its kernel, a matrix product has one. Rows are computed in M-tiles whose rows are
// `row_stride` bytes apart: a tile is one load of a matrix unit. N: columns (channels of y) are computed in
// panels of 32. K: weights interleave K-groups of 4 bytes, as dot-product instructions read them.
//
// docs/kernels.md draws the loops and the packing. Accumulators are taken modulo 2^32: exact whenever the
// true sum fits 32 bits, whatever partial sums do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/cpu_flags.h"
#include "base/storage.h"
#include "ops/gemm/residual_scale.h"

namespace tally {

// How a kernel wants the elements of x and of w.
enum class Element : uint8_t {
  kS8,        // both signed bytes
  kBiasedS8,  // x + 128 as an unsigned byte, w a signed byte; init takes 128 * (sum of w) away again
  kS16,       // both of 16 bits
  kS8Pairs,   // both signed bytes, which a kernel widens
  kS16S8,     // x of 16 bits, w signed bytes, which a kernel widens
  kS32,       // both of 32 bits, for 64-bit accumulators (s64_accumulation.h)
};

// The storage of w.
constexpr Storage StorageOfWeights(Element element) {
  return element == Element::kS32 ? Storage::kI32 : element == Element::kS16 ? Storage::kI16 : Storage::kI8;
}
// The storage of x.
constexpr Storage StorageOf(Element element) {
  return element == Element::kS16S8 ? Storage::kI16 : StorageOfWeights(element);
}
constexpr int64_t SizeBytes(Element element) { return SizeBytes(StorageOf(element)); }

inline constexpr int kPanel = 32;  // columns of a panel
inline constexpr int kKGroup = 4;  // bytes of one column of w: what one dot product reads

// Elements of a K-group, bytes of it in x, and elements of one column that are together in w: a K-group's;
// or, to be widened, pairs: then a K-group of a panel is [2][kPanel][2].
constexpr int64_t ElementsOfKGroup(Element element) { return kKGroup / SizeBytes(StorageOfWeights(element)); }
constexpr int64_t XBytesOfKGroup(Element element) { return ElementsOfKGroup(element) * SizeBytes(element); }
constexpr bool IsWidened(Element element) {
  return element == Element::kS8Pairs || element == Element::kS16S8;
}
constexpr int64_t ElementsTogether(Element element) {
  return IsWidened(element) ? 2 : ElementsOfKGroup(element);
}
inline constexpr int kVectorColumns = 16;  // columns of a vector of 32-bit accumulators
inline constexpr int kMaxTileRows = 16;    // any kernel's

struct MTile {
  int64_t x_offset = 0;  // for its first row, in bytes
  int32_t rows = 0;      // 1 .. MicroKernel::tile_rows
};

// Requantization of 16 columns: multipliers, addends (bias, rounding and zero_out, times what the shift
// divides by) and shifts. Vectors of 64-bit products read those of even and of odd columns apart.
struct alignas(64) ScaleGroup {
  int32_t multiplier[16];
  int32_t multiplier_odd[16];  // those of columns 1, 3, .. at 0, 2, ..
  int64_t addend_even[8];
  int64_t addend_odd[8];
  int32_t shift[16];  // less the bits that the form drops before: 16 (kShort), 32 (kHighWord)

  // For kShort alone.
  int32_t multiplier_high[16];  // multiplier * 2^16
  int32_t addend_high[16];      // addend / 2^16
};

// y = clamp((sum * multiplier + addend) >> shift), then optionally y = clamp((y * y_multiplier + residual *
// r_multiplier + addend) >> shift), then optionally y = table[y + 128].
struct Epilogue {
  enum class Scale : uint8_t {
    kNone,      // y is the sum
    kShort,     // multipliers of 15 bits and shifts of 16 .. 47: ShortFloor of base/rescale_forms.h
    kHighWord,  // every shift is 32 .. 62
    kAnyShift,  // 0 .. 62
  };

  Scale scale = Scale::kNone;
  bool has_residual = false;
  Storage storage = Storage::kI32;  // y's: kI8, kI16 or kI32; kI64 too of 64-bit accumulators
  int32_t lo = 0;                   // the first clamp
  int32_t hi = 0;
  const ScaleGroup* groups = nullptr;  // for all columns, padded to whole panels
  ResidualScale residual;
  const int8_t* table = nullptr;  // 256 entries; y of 8 bits only
};

// The bits that the form of a scale drops before it shifts by ScaleGroup::shift.
constexpr int DroppedBits(Epilogue::Scale scale) {
  return scale == Epilogue::Scale::kHighWord ? 32 : scale == Epilogue::Scale::kShort ? 16 : 0;
}

struct S64Accumulation;

struct GemmArgs {
  const uint8_t* x = nullptr;
  bool x_is_signed = false;  // 128 is still to be added for kBiasedS8, by a copy of the rows of each tile
  int64_t row_stride = 0;
  const MTile* tiles = nullptr;
  // [tiles][tile_rows]: where the row of y begins, in elements; or -1: nowhere.
  const int64_t* rows = nullptr;
  const int64_t* segments = nullptr;  // offsets in bytes
  int num_segments = 1;
  int64_t k_groups_per_segment = 0;  // a multiple of the kernel's
  const uint8_t* weights = nullptr;  // [panels][segments][K-groups][kPanel][kKGroup], or as ElementsTogether
  const int32_t* init = nullptr;     // [panels * kPanel]; null: 0
  const Epilogue* epilogue = nullptr;
  uint8_t* y = nullptr;
  const uint8_t* residual = nullptr;  // laid out as y
  int64_t columns = 0;
  const S64Accumulation* s64 = nullptr;  // for kernels with 64-bit accumulators, in place of init

  // This thread's part of the tiles and of the panels.
  int64_t tile_begin = 0, tile_end = 0;
  int64_t panel_begin = 0, panel_end = 0;
  // Panels that are visited for a tile before the next tile is: as many as a cache holds. Then come the next
  // panels.
  int64_t panels_at_once = 1;
  // The first-level cache does not hold these panels: they are not to take the place of rows there.
  bool streams_weights = false;

  // Weights of the step that follows, for a kernel to bring into the cache while it computes.
  const uint8_t* next = nullptr;
  int64_t next_bytes = 0;

  int64_t panel_bytes() const { return num_segments * k_groups_per_segment * kPanel * kKGroup; }
};

using MicroKernelFn = void (*)(const GemmArgs&) noexcept;

struct MicroKernel {
  std::string_view name;
  CpuFlags flags;
  Element element;
  int tile_rows;  // MTile::rows at most
  int k_groups;   // GemmArgs::k_groups_per_segment is a multiple
  int min_rows;   // y's: below, the next kernel is faster, since all wait for the weights
  MicroKernelFn run;

  // K-groups of a segment of `elements` elements.
  constexpr int64_t KGroupsOf(int64_t elements) const {
    const int64_t of_elements = (elements + ElementsOfKGroup(element) - 1) / ElementsOfKGroup(element);
    return (of_elements + k_groups - 1) / k_groups * k_groups;
  }
};

// Best first.
std::span<const MicroKernel> AllMicroKernels();

// The first kernel that the machine has and that takes bytes, or 16-bit elements of x or of w where those are
// wide, and `rows` rows of y.
const MicroKernel& SelectMicroKernel(bool wide_x, bool wide_w, int64_t rows, CpuFlags flags);

}  // namespace tally
