#include "base/wide.h"
#include "ops/cpu/map_chunks.h"
#include "ops/cpu/scratch.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/cpu/kernel_tables.h"
#include "ops/normalization/cpu/norm_loops.h"
#include "ops/normalization/cpu/quick_inverse_root.h"

namespace tally {
namespace {

int64_t HalfOf(int64_t shift) { return shift == 0 ? 0 : int64_t{1} << (shift - 1); }

// A row and its parameters; nothing when they are not as the loops want them.
struct NormRows {
  int64_t length = 0;
  bool per_element = false;  // else m and b are one of each for a row
  bool accepted = false;

  NormRows(const Shape& x, const Shape& m, const std::vector<int64_t>& axes, Layout layout) {
    std::array<bool, kMaxRank> in_row = {};
    for (const int64_t axis : axes) in_row[axis < 0 ? axis + x.rank() : axis] = true;
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

// Rows that go together, so that the long chain of divisions of one does not wait for that of another.
constexpr int64_t kRowsAtOnce = 8;

// The row-major position of m[channel of a row], by the first element of the row.
class Channels {
 public:
  Channels(const Shape& x, const Shape& m, Layout layout) {
    const auto strides = StridesOf(x, layout), own = StridesOf(m, Layout::kRowMajor);
    for (int axis = 0; axis < m.rank(); ++axis) {
      const int x_axis = axis + x.rank() - m.rank();
      if (m[axis] > 1) axes_[count_++] = {strides[x_axis], x[x_axis], own[axis]};
    }
  }
  int64_t At(int64_t first) const {
    int64_t channel = 0;
    for (int i = 0; i < count_; ++i) channel += first / axes_[i].stride % axes_[i].n * axes_[i].step;
    return channel;
  }

 private:
  struct Axis {
    int64_t stride, n, step;  // for x, and for m
  };
  std::array<Axis, kMaxRank> axes_;
  int count_ = 0;
};

// The factors of n elements of a row: z = n * 2^20 / sqrt(variance).
void SetRoot(int64_t variance, int64_t guard, int64_t epsilon, EpsilonMode mode, NormArgs* args) {
  args->r = 0;
  args->root_half = 0;
  args->root_shift = 0;
  if (variance == 0) return;
  int64_t v = variance << (2 * guard);
  if (mode == EpsilonMode::kAdded) v += epsilon;
  if (mode == EpsilonMode::kMaximum) v = std::max(v, epsilon);
  const QuickInverseRoot root(v, mode == EpsilonMode::kOutside ? epsilon : 0);
  // r is at most 2^31, which is one too many for i32: half of it shifts one less.
  const int too_long = root.r > RangeOf(Storage::kI32).hi ? 1 : 0;
  args->r = static_cast<int32_t>(root.r >> too_long);
  args->root_shift = 41 - guard - root.half_exponent - too_long;
  args->root_half = HalfOf(args->root_shift);
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

// m and b of all entries, scaled by 2^(32 - shift) where that is more than 1: a result is then a high dword.
// Not where 64 bits are too few for that; |z| is at most 2^31.
int64_t WidenedShift(const Interval& m, const Interval& b, int64_t shift) {
  if (shift >= 32) return 0;
  const int64_t k = 32 - shift;
  const Int128 most_m = WideInterval(m).Magnitude(), most_b = WideInterval(b).Magnitude();
  const Int128 most = ((most_m << 31) + most_b + HalfOf(shift)) << k;
  return most_m << k < Int128{1} << 31 && most < Int128{1} << 62 ? k : -1;
}

// Where element i of a block is among those of m and b of dense loops (norm_loops.h).
int64_t PlaceInBlock(int64_t i, int64_t block) {
  return i % 2 * (block / 2) + i % 4 / 2 * (block / 4) + i / 4;
}

struct NormParams {
  NormRows rows;
  Channels channels;
  int64_t guard, epsilon;
  EpsilonMode mode;
  int64_t zero;     // for distances that are not those from the mean
  NormArgs args;    // the same for all rows
  int64_t shift;    // the operator's
  int64_t widened;  // by so much in dense loops, or -1
  int64_t reach;
  bool in_i16;  // dense loops clamp to bytes and 16-bit lanes in 16 bits
};

// `distances`: of elements of x from what they are measured from.
std::optional<Prepared<NormParams>> PrepareNorm(const KernelFacts& facts, const LayerNormAttrs& attrs,
                                                const Interval& distances, int64_t zero) {
  if (facts.layout == Layout::kChannelsLast && facts.constants[0] != nullptr) return std::nullopt;
  // Where nothing is said of its elements, that constant has been converted; m and b are read in row-major
  // order.
  if (facts.constants[1] == nullptr || facts.constants[2] == nullptr) return std::nullopt;
  const Shape &x = facts.operands[0].shape, &m = facts.operands[1].shape;
  const NormRows rows(x, m, attrs.axes, facts.layout);
  const Int128 most = std::max(Int128{distances.hi}, -Int128{distances.lo});
  const Storage y = facts.results[0].storage();
  const bool accepted = rows.accepted && rows.length < (1 << 22) && facts.storages[0] <= Storage::kI32 &&
                        facts.storages[1] <= Storage::kI32 && y <= Storage::kI32 &&
                        most * rows.length < (Int128{1} << 31);
  if (!accepted) return std::nullopt;
  const NormArgs args = {.length = static_cast<int32_t>(rows.length),
                         .m = nullptr,
                         .b = nullptr,
                         .per_element = rows.per_element,
                         .shift = attrs.shift,
                         .lo = attrs.lo - attrs.zero_out,
                         .hi = attrs.hi - attrs.zero_out,
                         .zero_out = attrs.zero_out};
  const bool fits = (facts.storages[0] == Storage::kI32 || rows.length < 1 << 15) &&
                    args.lo <= RangeOf(Storage::kI32).hi && args.hi >= RangeOf(Storage::kI32).lo;
  const Interval small = RangeOf(y == Storage::kI32 ? Storage::kI32 : Storage::kI16);
  const Interval& interval = facts.operands[0].interval;
  return Prepared<NormParams>{
      {.rows = rows,
       .channels = Channels(x, m, facts.layout),
       .guard = attrs.guard,
       .epsilon = attrs.epsilon,
       .mode = attrs.epsilon_mode,
       .zero = zero,
       .args = args,
       .shift = attrs.shift,
       .widened =
           fits ? WidenedShift(facts.operands[1].interval, facts.operands[2].interval, attrs.shift) : -1,
       .reach = std::max(interval.hi, -interval.lo),
       .in_i16 = small.Contains(args.lo) && small.Contains(args.hi) && small.Contains(attrs.zero_out)},
      NormBuffers(rows.length, nullptr).scratch.bytes()};
}

std::optional<Prepared<NormParams>> PrepareLayerNorm(const KernelFacts& facts) {
  const Interval& x = facts.operands[0].interval;
  return PrepareNorm(facts, facts.attrs<LayerNormAttrs>(), {0, x.hi - x.lo}, 0);
}

std::optional<Prepared<NormParams>> PrepareRmsNorm(const KernelFacts& facts) {
  const Interval& x = facts.operands[0].interval;
  const auto attrs = facts.attrs<RmsNormAttrs>();
  const int64_t zero = attrs.zero_in;
  return PrepareNorm(facts, attrs, {std::min<int64_t>(x.lo - zero, 0), std::max<int64_t>(x.hi - zero, 0)},
                     zero);
}

// `centred`: around the mean; else around `zero`.
template <Isa isa, bool centred>
void Normalize(const NormParams& p, const KernelCall& call) noexcept {
  const NormLoops& loops = GetNormLoops<isa>();
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const KernelOperand &x = call.operands[0], &m = call.operands[1], &b = call.operands[2];
  const KernelResult& y = call.results[0];
  const NormRows& rows = p.rows;
  const NormBuffers buffers(rows.length, call.scratch);
  const int64_t n = rows.length, zero = p.zero, shift = p.shift, reach = p.reach;
  const int x_code = CodeOf(x.storage), y_code = CodeOf(y.storage);
  NormArgs args = p.args;
  args.m = buffers.m;
  args.b = buffers.b;
  const bool dense = loops.dense_moments[x_code] != nullptr && p.widened >= 0, in_i16 = p.in_i16;
  if (dense) args.shift += p.widened;
  const auto scaled_m = [&](int64_t v) { return v << (args.shift - shift); };
  const auto scaled_b = [&](int64_t v) { return (v + HalfOf(shift)) << (args.shift - shift); };
  if (rows.per_element) {
    std::fill(buffers.m, buffers.m + NormBuffers::RoomOf(n), 0);
    std::fill(buffers.b, buffers.b + NormBuffers::RoomOf(n), 0);
    const int64_t block = dense ? loops.block : kMostBlock;
    std::array<int64_t, kMostBlock> places, ms, bs;
    for (int64_t i = 0; i < block; ++i) places[i] = dense ? PlaceInBlock(i, block) : i;
    for (int64_t first = 0; first < n; first += block) {
      const int64_t count = std::min(block, n - first);
      convert.convert[CodeOf(m.storage)][3](m.bytes + first * SizeBytes(m.storage), ms.data(), count);
      convert.convert[CodeOf(b.storage)][3](b.bytes + first * SizeBytes(b.storage), bs.data(), count);
      for (int64_t i = 0; i < count; ++i) {
        buffers.m[first + places[i]] = scaled_m(ms[i]);
        buffers.b[first + places[i]] = scaled_b(bs[i]);
      }
    }
  }
  const auto x_row = [&](int64_t row) { return x.bytes + row * n * SizeBytes(x.storage); };
  std::array<NormArgs, kRowsAtOnce> of_rows;
  of_rows.fill(args);
  std::array<Moments, kRowsAtOnce> moments;
  const int64_t at_once = dense ? kRowsAtOnce : 1;  // others are converted in one buffer
  const Share share = call.ShareOf(x.type->shape.num_elements() / n);
  for (int64_t first = share.begin; first < share.end; first += at_once) {
    const int64_t count = std::min(at_once, share.end - first);
    for (int64_t k = 0; k < count; ++k) {
      const uint8_t* from = x_row(first + k);
      if (!dense) convert.convert[x_code][2](from, buffers.x, n);
      // The origin from which small numbers are measured does not matter; others stay in 32 bits so.
      const auto origin = dense && x.storage < Storage::kI32
                              ? 0
                              : static_cast<int32_t>(centred ? LoadElement(x.storage, from, 0) : zero);
      of_rows[k].origin = origin;
      moments[k] =
          dense ? loops.dense_moments[x_code](from, n, origin, x.storage < Storage::kI32 ? reach * reach : 0)
                : loops.moments(buffers.x, n, origin);
    }
    for (int64_t k = 0; k < count; ++k) {
      NormArgs& of_row = of_rows[k];
      // N times the sum of the squares of all distances from the centre, below 2^62: modulo 2^64.
      const auto length = static_cast<uint64_t>(n), sum = static_cast<uint64_t>(moments[k].sum),
                 squares = static_cast<uint64_t>(moments[k].squares),
                 centre = static_cast<uint64_t>(zero) - static_cast<uint64_t>(int64_t{of_row.origin});
      of_row.sum = static_cast<int32_t>(centred ? sum : length * centre);
      SetRoot(
          static_cast<int64_t>(centred ? length * squares - sum * sum
                                       : length * (squares - 2 * centre * sum + length * centre * centre)),
          p.guard, p.epsilon, p.mode, &of_row);
    }
    for (int64_t k = 0; k < count; ++k) {
      const int64_t row = first + k;
      uint8_t* to = y.bytes + row * n * SizeBytes(y.storage);
      if (!rows.per_element) {
        const int64_t channel = p.channels.At(row * n);
        std::fill_n(buffers.m, kMostBlock, scaled_m(LoadElement(m.storage, m.bytes, channel)));
        std::fill_n(buffers.b, kMostBlock, scaled_b(LoadElement(b.storage, b.bytes, channel)));
      }
      if (dense && in_i16) {
        loops.dense_normalize[x_code][y_code](x_row(row), to, n, of_rows[k]);
        continue;
      }
      if (dense) {
        loops.dense_normalize[x_code][2](x_row(row), buffers.y, n, of_rows[k]);
      } else {
        loops.normalize[rows.per_element](buffers.x, buffers.y, n, of_rows[k]);
      }
      convert.convert[2][y_code](buffers.y, to, n);
    }
  }
}

constexpr auto kLayerNormKernels = JoinKernels(
    EveryIsaAndLayout<"layer_norm">(
        {.op = Opcode::kLayerNorm, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareLayerNorm, Normalize<isa, true>>; }),
    EveryIsaAndLayout<"rms_norm">({.op = Opcode::kRmsNorm, .in_place = true}, []<Isa isa, Layout>() {
      return kKernel<PrepareRmsNorm, Normalize<isa, false>>;
    }));

}  // namespace

KernelTable LayerNormKernels() { return kLayerNormKernels; }

}  // namespace tally
