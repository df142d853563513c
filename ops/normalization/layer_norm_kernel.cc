#include <bit>

#include "base/wide.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/kernels.h"
#include "ops/normalization/normalization_loops.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/map_chunks.h"

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
    // The line that meets the root at both ends of [2^60, 2^62] is off by 6 % at most, so that three steps leave
    // what is cut off by divisions.
    int64_t root = (scaled >> 30) / 3 + (int64_t{1} << 31) / 3;
    for (int i = 0; i < 3; ++i) root = (root + scaled / root) >> 1;
    while (root * root > scaled) --root;
    while ((root + 1) * (root + 1) <= scaled) ++root;
    r = (int64_t{1} << 61) / (root + (outside << half_exponent));
  }
};

int64_t RoomOf(int64_t length) { return (length + 15) / 16 * 16; }

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

// `centred`: around the mean, measured from the first element; else around `origin`.
template <Isa isa, Layout layout>
void Normalize(const KernelCall& call, bool centred, int64_t given_origin) {
  const NormalizationLoops& loops = GetNormalizationLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &x = call.operands[0], &m = call.operands[1], &b = call.operands[2];
  const KernelResult& y = call.results[0];
  const auto attr = [&](int64_t LayerNormAttrs::*member) { return AttrOf<LayerNormAttrs>(call, member); };
  const int64_t guard = attr(&LayerNormAttrs::guard), epsilon = attr(&LayerNormAttrs::epsilon);
  const int64_t zero_out = attr(&LayerNormAttrs::zero_out), shift = attr(&LayerNormAttrs::shift);
  const auto mode = AttrOf<LayerNormAttrs>(call, &LayerNormAttrs::epsilon_mode);
  const NormRows rows(call, x.type->shape, m.type->shape, layout);
  const int64_t n = rows.length, room = RoomOf(n), parameters = rows.per_element ? n : 1;

  auto* biases = reinterpret_cast<int64_t*>(call.scratch);
  auto* multipliers = reinterpret_cast<int32_t*>(biases + room);
  int32_t *x_row = multipliers + room, *y_row = x_row + room;
  auto* paired = reinterpret_cast<int64_t*>(y_row + room);
  const auto load = [&](int64_t from) {
    for (int64_t i = 0; i < parameters; ++i) {
      multipliers[i] = static_cast<int32_t>(LoadElement(m.storage, m.bytes, from + i));
      biases[i] = LoadElement(b.storage, b.bytes, from + i) + HalfOf(shift);
    }
  };
  if (rows.per_element) {
    load(0);
    for (int64_t i = 0; i < room; ++i) {
      paired[i / 16 * 16 + i % 2 * 8 + i % 16 / 2] = i < n ? biases[i] : 0;
    }
  }
  const Interval& interval = x.type->interval;
  const bool small = centred ? interval.hi - interval.lo < 1024
                             : std::max(interval.hi - given_origin, given_origin - interval.lo) < 1024;
  NormArgs args = {.length = static_cast<int32_t>(n),
                   .m = multipliers,
                   .b = biases,
                   .paired_b = paired,
                   .shift = shift,
                   .lo = attr(&LayerNormAttrs::lo) - zero_out,
                   .hi = attr(&LayerNormAttrs::hi) - zero_out,
                   .zero_out = zero_out};
  const Share share = call.ShareOf(x.type->shape.num_elements() / n);
  for (int64_t row = share.begin; row < share.end; ++row) {
    convert.convert[CodeOf(x.storage)][2](x.bytes + row * n * SizeBytes(x.storage), x_row, n);
    if (!rows.per_element) load(ChannelOf(x.type->shape, m.type->shape, layout, row * n));
    args.origin = centred ? x_row[0] : static_cast<int32_t>(given_origin);
    const Moments moments = loops.moments(x_row, n, args.origin, small);
    args.sum = centred ? static_cast<int32_t>(moments.sum) : 0;
    // N times the sum of d^2, less the square of the sum: N^2 times the variance, below 2^62.
    const int64_t variance = static_cast<int64_t>(
        static_cast<uint64_t>(n) * static_cast<uint64_t>(moments.squares) -
        (centred ? static_cast<uint64_t>(moments.sum) * static_cast<uint64_t>(moments.sum) : 0));
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
    loops.normalize[rows.per_element](x_row, y_row, n, args);
    convert.convert[2][CodeOf(y.storage)](y_row, y.bytes + row * n * SizeBytes(y.storage), n);
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
  return RoomOf(rows.length) * 28;
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
