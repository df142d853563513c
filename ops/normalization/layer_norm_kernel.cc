#include <bit>

#include "base/wide.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/kernels.h"
#include "ops/normalization/norm_loops.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/map_chunks.h"
#include "ops/simd/scratch.h"

namespace tally {
namespace {

int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// A row and its parameters; nothing when they do not lie as the loops want them.
struct NormRows {
  int64_t length = 0;
  bool per_element = false;  // else m and b are one of each for a row
  bool accepted = false;

  template <typename Facts>
  NormRows(const Facts& facts, const Shape& x, const Shape& m, Layout layout) {
    std::array<bool, kMaxRank> in_row = {};
    for (const int64_t axis : AttrList<LayerNormAttrs>(facts, &LayerNormAttrs::axes)) {
      in_row[axis < 0 ? axis + x.rank() : axis] = true;
    }
    length = 1;
    for (int axis = 0; axis < x.rank(); ++axis) length *= in_row[axis] ? x[axis] : 1;
    // Dense: no step along a row is longer than the row.
    const auto strides = StridesOf(x, layout);
    bool dense = true, any_in_row = false, all_in_row = true, any_outside = false;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const int m_axis = axis - (x.rank() - m.rank());
      const bool given = m_axis >= 0 && m[m_axis] > 1;
      if (in_row[axis]) {
        dense = dense && (x[axis] == 1 || strides[axis] < length);
        any_in_row = any_in_row || given;
        all_in_row = all_in_row && (given || x[axis] == 1);
      } else {
        dense = dense && (x[axis] == 1 || strides[axis] >= length);
        any_outside = any_outside || given;
      }
    }
    per_element = any_in_row;
    // The constants are row-major: along one axis of a channels-last row that makes no difference.
    const bool in_order = layout == Layout::kRowMajor || !any_in_row || length == x[1];
    accepted = dense && in_order && !(any_in_row && (!all_in_row || any_outside));
  }
};

bool Accepts(const KernelFacts& facts, const Interval& distances) {
  if (facts.layout == Layout::kChannelsLast && facts.constants[0] != nullptr) return false;
  const NormRows rows(facts, facts.operands[0].shape, facts.operands[1].shape, facts.layout);
  const Int128 most = std::max(Int128{distances.hi}, -Int128{distances.lo});
  return rows.accepted && rows.length < (1 << 22) && facts.storages[0] <= Storage::kI32 &&
         facts.storages[1] <= Storage::kI32 && facts.results[0].storage() <= Storage::kI32 &&
         most * rows.length < (Int128{1} << 31);
}

// InverseRoot of inverse_root.h with the root by Newton's steps, where that one goes bit by bit.
struct QuickInverseRoot {
  int64_t r;
  int half_exponent;

  QuickInverseRoot(int64_t v, int64_t outside) {
    const int width = std::bit_width(static_cast<uint64_t>(v));
    half_exponent = (62 - width) / 2;
    const int64_t scaled = v << (2 * half_exponent);
    // The parabola 0.517 + 0.527 * u - 0.040 * u^2 is off by 0.6 % at most from the root of u in [1, 4), so that two
    // steps leave what is cut off by divisions. u has 20 bits behind the point, the root 30.
    const int64_t u = scaled >> 40, slope = 552811 - ((41674 * u) >> 20);
    int64_t root = (int64_t{542089} << 10) + ((u * slope) >> 10);
    for (int i = 0; i < 2; ++i) root = (root + scaled / root) >> 1;
    while (root * root > scaled) --root;
    while ((root + 1) * (root + 1) <= scaled) ++root;
    r = (int64_t{1} << 61) / (root + (outside << half_exponent));
  }
};

// The row-major position of m[channel of a row], by the first element of the row.
int64_t ChannelOf(const Shape& x, const Shape& m, Layout layout, int64_t first) {
  const auto strides = StridesOf(x, layout), own = StridesOf(m, Layout::kRowMajor);
  int64_t channel = 0;
  for (int axis = 0; axis < m.rank(); ++axis) {
    const int x_axis = axis + x.rank() - m.rank();
    if (m[axis] > 1) channel += first / strides[x_axis] % x[x_axis] * own[axis];
  }
  return channel;
}

// Arrays for a row; a block is the least that loops read.
struct NormBuffers {
  ScratchLayout scratch;
  int64_t *m, *b;
  int32_t *x, *y;

  NormBuffers(int64_t n, uint8_t* bytes)
      : scratch(bytes),
        m(scratch.Take<int64_t>(RoomOf(n))),
        b(scratch.Take<int64_t>(RoomOf(n))),
        x(scratch.Take<int32_t>(n)),
        y(scratch.Take<int32_t>(n)) {}
  static int64_t RoomOf(int64_t n) { return (n + kMostBlock - 1) / kMostBlock * kMostBlock; }
};

// m and b of all entries, scaled by 2^(32 - shift) where that is more than 1: a result is then a high dword. Not where
// 64 bits are too few for that; |z| is at most 2^31.
int64_t WidenedShift(const KernelOperand& m, const KernelOperand& b, int64_t shift) {
  if (shift >= 32) return 0;
  const int64_t k = 32 - shift;
  const Int128 most_m = WideInterval(m.type->interval).Magnitude(),
               most_b = WideInterval(b.type->interval).Magnitude();
  const Int128 most = ((most_m << 31) + most_b + HalfOf(shift)) << k;
  return most_m << k < Int128{1} << 31 && most < Int128{1} << 62 ? k : -1;
}

// Where element i lies among m and b of dense loops, whose blocks have `block` elements (norm_loops.h).
int64_t PlaceInBlock(int64_t i, int64_t block) {
  return i / block * block + i % 2 * (block / 2) + i % 4 / 2 * (block / 4) + i % block / 4;
}

// `centred`: around the mean; else around `zero`.
template <Isa isa, Layout layout>
void Normalize(const KernelCall& call, bool centred, int64_t zero) {
  const NormLoops& loops = GetNormLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &x = call.operands[0], &m = call.operands[1], &b = call.operands[2];
  const KernelResult& y = call.results[0];
  const auto attr = [&](int64_t LayerNormAttrs::*member) { return AttrOf<LayerNormAttrs>(call, member); };
  const int64_t guard = attr(&LayerNormAttrs::guard), epsilon = attr(&LayerNormAttrs::epsilon);
  const int64_t zero_out = attr(&LayerNormAttrs::zero_out), shift = attr(&LayerNormAttrs::shift);
  const auto mode = AttrOf<LayerNormAttrs>(call, &LayerNormAttrs::epsilon_mode);
  const NormRows rows(call, x.type->shape, m.type->shape, layout);
  const NormBuffers buffers(rows.length, call.scratch);
  const int64_t n = rows.length;
  const int x_code = CodeOf(x.storage), y_code = CodeOf(y.storage);

  NormArgs args = {.length = static_cast<int32_t>(n),
                   .m = buffers.m,
                   .b = buffers.b,
                   .per_element = rows.per_element,
                   .shift = shift,
                   .lo = attr(&LayerNormAttrs::lo) - zero_out,
                   .hi = attr(&LayerNormAttrs::hi) - zero_out,
                   .zero_out = zero_out};
  const Interval small = RangeOf(y.storage == Storage::kI32 ? Storage::kI32 : Storage::kI16);
  const int64_t widened = WidenedShift(m, b, shift);
  const bool dense = loops.dense_moments[x_code] != nullptr && widened >= 0 &&
                     (x.storage == Storage::kI32 || n < 1 << 15) && args.lo <= RangeOf(Storage::kI32).hi &&
                     args.hi >= RangeOf(Storage::kI32).lo;
  // Dense loops clamp to bytes and words in 16 bits.
  const bool in_words = small.Contains(args.lo) && small.Contains(args.hi) && small.Contains(zero_out);
  const int64_t reach = std::max(x.type->interval.hi, -x.type->interval.lo);
  if (dense) args.shift += widened;
  const auto load = [&](int64_t from, int64_t count, int64_t step) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = dense ? PlaceInBlock(i, loops.block) : i, k = from + i * step;
      buffers.m[at] = LoadElement(m.storage, m.bytes, k) << (args.shift - shift);
      buffers.b[at] = (LoadElement(b.storage, b.bytes, k) + HalfOf(shift)) << (args.shift - shift);
    }
  };
  if (rows.per_element) {
    std::fill(buffers.m, buffers.m + NormBuffers::RoomOf(n), 0);
    std::fill(buffers.b, buffers.b + NormBuffers::RoomOf(n), 0);
    load(0, n, 1);
  }
  const Share share = call.ShareOf(x.type->shape.num_elements() / n);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const uint8_t* from = x.bytes + row * n * SizeBytes(x.storage);
    uint8_t* to = y.bytes + row * n * SizeBytes(y.storage);
    if (!dense) convert.convert[x_code][2](from, buffers.x, n);
    if (!rows.per_element)
      load(ChannelOf(x.type->shape, m.type->shape, layout, row * n), dense ? loops.block : 1, 0);
    // What small numbers are measured from does not matter; others stay in 32 bits so.
    args.origin = dense && x.storage < Storage::kI32
                      ? 0
                      : static_cast<int32_t>(centred ? LoadElement(x.storage, from, 0) : zero);
    const Moments moments = dense ? loops.dense_moments[x_code](from, n, args.origin,
                                                                x.storage < Storage::kI32 ? reach * reach : 0)
                                  : loops.moments(buffers.x, n, args.origin);
    // N times the sum of the squares of all distances from the centre, below 2^62: modulo 2^64.
    const auto length = static_cast<uint64_t>(n), sum = static_cast<uint64_t>(moments.sum),
               squares = static_cast<uint64_t>(moments.squares),
               centre = static_cast<uint64_t>(zero) - static_cast<uint64_t>(int64_t{args.origin});
    args.sum = static_cast<int32_t>(centred ? sum : length * centre);
    const auto variance =
        static_cast<int64_t>(centred ? length * squares - sum * sum
                                     : length * (squares - 2 * centre * sum + length * centre * centre));
    args.r = 0;
    args.root_half = 0;
    args.root_shift = 0;
    if (variance != 0) {
      int64_t v = variance << (2 * guard);
      if (mode == EpsilonMode::kAdded) v += epsilon;
      if (mode == EpsilonMode::kMaximum) v = std::max(v, epsilon);
      const QuickInverseRoot root(v, mode == EpsilonMode::kOutside ? epsilon : 0);
      // r is at most 2^31, which is one too many for i32: half of it shifts one less.
      const bool too_long = root.r > RangeOf(Storage::kI32).hi;
      args.r = static_cast<int32_t>(too_long ? root.r / 2 : root.r);
      args.root_shift = 41 - guard - root.half_exponent - (too_long ? 1 : 0);
      args.root_half = HalfOf(args.root_shift);
    }
    if (dense && in_words) {
      loops.dense_normalize[x_code][y_code](from, to, n, args);
      continue;
    }
    if (dense) {
      loops.dense_normalize[x_code][2](from, buffers.y, n, args);
    } else {
      loops.normalize[rows.per_element](buffers.x, buffers.y, n, args);
    }
    convert.convert[2][y_code](buffers.y, to, n);
  }
}

}  // namespace

bool AcceptsLayerNorm(const KernelFacts& facts) {
  const Interval& x = facts.operands[0].interval;
  return Accepts(facts, {0, x.hi - x.lo});
}

bool AcceptsRmsNorm(const KernelFacts& facts) {
  const Interval& x = facts.operands[0].interval;
  const int64_t zero = AttrOf<RmsNormAttrs>(facts, &RmsNormAttrs::zero_in);
  return Accepts(facts, {std::min<int64_t>(x.lo - zero, 0), std::max<int64_t>(x.hi - zero, 0)});
}

int64_t NormScratchBytes(const KernelFacts& facts) {
  const NormRows rows(facts, facts.operands[0].shape, facts.operands[1].shape, facts.layout);
  return NormBuffers(rows.length, nullptr).scratch.bytes();
}

template <Isa isa, Layout layout>
void LayerNormKernel(const KernelCall& call) noexcept {
  Normalize<isa, layout>(call, true, 0);
}

template <Isa isa, Layout layout>
void RmsNormKernel(const KernelCall& call) noexcept {
  Normalize<isa, layout>(call, false, AttrOf<RmsNormAttrs>(call, &RmsNormAttrs::zero_in));
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(LayerNormKernel);
TALLY_INSTANTIATE_LAYOUT_KERNEL(RmsNormKernel);

}  // namespace tally
