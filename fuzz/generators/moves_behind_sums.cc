// What stands behind weighted sums: biases of every form, scales, clamps, residuals, tables, pools.
#include <algorithm>

#include "fuzz/generators/network.h"
#include "ops/elementwise/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;
const Want kAnything = {.min_rank = 1, .max_rank = kMaxRank};

// What broadcasts with `shape`: a number for each element of the last axis, of the axis of channels, of all, or one.
Shape BiasShape(Network& n, const Shape& shape) {
  const int rank = shape.rank();
  std::vector<int64_t> dims;
  switch (n.e.Between(0, 6)) {
    case 0:
    case 1: return ShapeOf({shape[rank - 1]});
    case 2:
      dims.assign(rank, 1);
      dims.back() = shape[rank - 1];
      return ShapeOf(dims);
    case 3:
    case 4:
      if (rank < 2) return shape;
      dims.assign(n.e.OneIn(2) ? rank : rank - 1, 1);
      dims[dims.size() - static_cast<size_t>(rank) + 1] = shape[1];
      return ShapeOf(dims);
    case 5: return shape;
    default: return ShapeOf({1});
  }
}

bool MakeBias(Network& n) {
  const DraftId x = n.Take(kAnything);
  const Shape shape = BiasShape(n, n.shape(x));
  const Interval interval = n.Biases();
  const DraftId bias =
      n.e.OneIn(6) ? n.Take({.shape = shape, .within = interval}) : n.Constant(shape, interval);
  const Opcode op = n.e.OneIn(4)
                        ? n.e.Pick({Opcode::kBroadcastSub, Opcode::kBroadcastMax, Opcode::kElemwiseAdd})
                        : Opcode::kBroadcastAdd;
  return n.Op(op, n.e.OneIn(3) ? std::vector{bias, x} : std::vector{x, bias}).has_value();
}

bool MakeRescale(Network& n) { return n.Requantize(n.Take(kAnything)).has_value(); }

bool MakeClamp(Network& n) {
  const DraftId x = n.Take(kAnything);
  if (n.e.OneIn(3)) return n.Op(Opcode::kRelu, {x}).has_value();
  if (n.is_cvm() && n.e.OneIn(2)) {
    return n.Op(Opcode::kCvmClip, {x}, CvmClipAttrs{.precision = n.e.Between(1, 32)}).has_value();
  }
  // Of values, of what lies beside them, and beyond 32 bits.
  const Interval near = n.type(x).interval;
  Interval clamp = n.e.Pick<Interval>({{-50, 77},
                                       {0, 6},
                                       {near.lo, near.hi},
                                       {near.hi, near.hi},
                                       {-kFar, 10},
                                       {-10, kFar},
                                       {kFar, kFar + 1},
                                       {INT32_MAX, kFar}});
  const Interval limit = TensorLimit(n.draft.profile());
  clamp = {std::clamp(clamp.lo, limit.lo, limit.hi), std::clamp(clamp.hi, limit.lo, limit.hi)};
  return n.Op(Opcode::kClip, {x}, ClipAttrs{.a_min = clamp.lo, .a_max = clamp.hi}).has_value();
}

// Another value of the shape of `x`, mostly of few bits; now and then `x` itself.
DraftId Residual(Network& n, DraftId x) {
  if (n.e.OneIn(8)) return x;
  Want want = {.shape = n.shape(x)};
  if (!n.e.OneIn(4)) want.within = RangeOf(Storage::kI16);
  std::vector<DraftId> others;
  for (DraftId id = 0; id < n.draft.size(); ++id) {
    if (id != x && Fits(n.draft, id, want)) others.push_back(id);
  }
  if (!others.empty() && !n.e.OneIn(4)) return n.e.PickFrom(others);
  want.within = n.e.OneIn(2) ? RangeOf(Storage::kI8) : RangeOf(Storage::kI16);
  const Interval limit = n.is_cvm() ? Interval{-127, 127} : want.within;
  return n.draft.accepts_params() ? n.draft.AddParam({n.shape(x), limit}) : n.Constant(n.shape(x), limit);
}

bool MakeLincomb(Network& n) {
  const DraftId x = n.Take({.min_rank = 1, .max_rank = kMaxRank, .within = RangeOf(Storage::kI32)});
  const DraftId r = Residual(n, x);
  const bool low = n.e.OneIn(3);
  LincombAttrs attrs = {
      .zero_points = {n.Zero({-9, 9}), n.Zero({-9, 9})},
      .bias = n.e.OneIn(3) ? n.e.Between(-100000, 100000) : 0,
      .shift = low ? n.e.Between(0, 16) : n.e.Between(26, 34),
      .rounding = static_cast<Rounding>(n.e.OneIn(3) ? n.e.Between(0, 5) : n.e.Between(0, 1)),
      .zero_out = n.e.OneIn(2) ? n.e.Between(-9, 9) : 0};
  for (int i = 0; i < 2; ++i) {
    attrs.multipliers.push_back((low ? n.e.Between(1, 3) : n.e.Between(1 << 22, 1 << 28)) *
                                (n.e.OneIn(6) ? -1 : 1));
  }
  const Interval clamp = n.e.Pick<Interval>(
      {{-128, 127}, {-128, 127}, {0, 100}, {-32768, 32767}, {-kFar, kFar}, {kFar, kFar + 5}});
  attrs.lo = clamp.lo;
  attrs.hi = clamp.hi;
  return n.Op(Opcode::kLincomb, n.e.OneIn(2) ? std::vector{x, r} : std::vector{r, x}, attrs).has_value();
}

// An addition, and as often one that is rescaled.
bool MakeAddition(Network& n) {
  const DraftId x = n.Take(kAnything), r = Residual(n, x);
  const Opcode op = n.e.OneIn(2) ? Opcode::kBroadcastAdd : Opcode::kElemwiseAdd;
  const auto sum = n.Op(op, n.e.OneIn(2) ? std::vector{x, r} : std::vector{r, x});
  if (sum && n.e.OneIn(2)) n.Requantize(*sum);
  return sum.has_value();
}

// Of all indices, of some of them, and of some besides.
bool MakeTable(Network& n) {
  const DraftId x = n.Take({.min_rank = 1, .max_rank = kMaxRank, .within = RangeOf(Storage::kI16)});
  const Interval range = n.type(x).interval;
  const int64_t size = n.e.OneIn(3) ? n.e.Between(1, 40) : std::min<int64_t>(256, range.hi - range.lo + 1);
  const Interval entries = n.e.OneIn(4) ? n.Elements() : Interval{n.is_cvm() ? -127 : -128, 127};
  const DraftId table = n.Constant(ShapeOf({size}), entries);
  if (n.is_cvm()) return n.Op(Opcode::kCvmLut, {x, table}, CvmLutAttrs{.in_dim = size}).has_value();
  return n
      .Op(Opcode::kTable, {x, table},
          TableAttrs{.offset = range.lo + (n.e.OneIn(3) ? n.e.Between(-9, 9) : 0)})
      .has_value();
}

template <typename Attrs>
void DrawWindows(EntropySource& e, const Shape& shape, Attrs& attrs) {
  const bool global = e.OneIn(5);
  for (int axis = 2; axis < shape.rank(); ++axis) {
    const int64_t taps = global ? shape[axis] : std::min(e.Between(1, 3), shape[axis]);
    attrs.kernel.push_back(taps);
    attrs.stride.push_back(e.OneIn(2) ? 1 : e.Between(1, 3));
    attrs.dilation.push_back(!global && taps > 1 && e.OneIn(4) ? e.Between(1, (shape[axis] - 1) / (taps - 1))
                                                               : 1);
    attrs.pad_begin.push_back(global || e.OneIn(2) ? 0 : e.Between(0, taps - 1));
    attrs.pad_end.push_back(global || e.OneIn(2) ? 0 : e.Between(0, taps - 1));
  }
}

bool MakeMaxPool(Network& n) {
  const bool of_cvm = n.is_cvm() || n.e.OneIn(4);
  const DraftId x = n.TakeOfRank(static_cast<int>(of_cvm || n.e.OneIn(2) ? 4 : n.e.Between(3, 5)),
                                 TensorLimit(n.draft.profile()));
  if (!of_cvm) {
    PoolAttrs attrs;
    DrawWindows(n.e, n.shape(x), attrs);
    attrs.ceil_mode = n.e.OneIn(3);
    return n.Op(Opcode::kMaxPool, {x}, attrs).has_value();
  }
  MaxPool2dAttrs attrs;
  for (int i = 0; i < 2; ++i) {
    attrs.pool_size[i] = std::min(n.e.Between(1, 3), n.shape(x)[2 + i]);
    attrs.strides[i] = n.e.Between(1, 2);
  }
  return n.Op(Opcode::kMaxPool2d, {x}, attrs).has_value();
}

// Averages that are rescaled and clamped in every way.
bool MakeAveragePool(Network& n) {
  const DraftId x =
      n.TakeOfRank(static_cast<int>(n.e.OneIn(2) ? 4 : n.e.Between(3, 5)), TensorLimit(n.draft.profile()));
  AveragePoolAttrs attrs;
  DrawWindows(n.e, n.shape(x), attrs);
  attrs.count_include_pad = n.e.OneIn(2);
  attrs.zero_in = n.Zero({-9, 9});
  attrs.rounding = n.e.Pick(
      {Rounding::kHalfUp, Rounding::kHalfAway, Rounding::kHalfEven, Rounding::kFloor, Rounding::kTrunc});
  if (n.e.OneIn(2)) {
    attrs.shift = n.e.OneIn(2) ? n.e.Between(28, 33) : n.e.Between(0, 8);
    attrs.multiplier = attrs.shift > 20 ? n.e.Between(1 << 28, INT32_MAX) : n.e.Between(1, 300);
  }
  attrs.zero_out = n.e.OneIn(2) ? 0 : n.e.Between(-128, 127);
  const Interval clamp = n.e.Pick<Interval>({{-128, 127},
                                             {-128, 127},
                                             TensorLimit(Profile::kCore),
                                             {-9, kFar},
                                             {-kFar, 9},
                                             {kFar, kFar + 1},
                                             {-kFar - 1, -kFar}});
  attrs.lo = clamp.lo;
  attrs.hi = clamp.hi;
  return n.Op(Opcode::kAveragePool, {x}, attrs).has_value();
}

constexpr Move kMoves[] = {
    {"bias", MakeBias},
    {"rescale", MakeRescale},
    {"rescale", MakeRescale},
    {"clamp", MakeClamp},
    {"lincomb", MakeLincomb, Profile::kCore},
    {"addition", MakeAddition},
    {"table", MakeTable},
    {"max_pool", MakeMaxPool},
    {"average_pool", MakeAveragePool, Profile::kCore},
};

}  // namespace

std::span<const Move> MovesBehindSums() { return kMoves; }

}  // namespace tally
