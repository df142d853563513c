// The steps after a GEMM: biases of every form, scales, clamps, residuals, tables, pools.
#include <algorithm>

#include "fuzz/generators/tails.h"
#include "ops/pooling/attrs.h"

namespace tally {
namespace {

bool MakeBias(Network& n) { return AddBias(n, n.Take(kAnything)).has_value(); }
bool MakeRescale(Network& n) { return Requantize(n, n.Take(kAnything)).has_value(); }
bool MakeClamp(Network& n) { return ClampValue(n, n.Take(kAnything)).has_value(); }

// A sum of two branches, which now and then is clamped once more.
bool Clamped(Network& n, const std::optional<DraftId>& sum) {
  if (sum && n.e.OneIn(2)) ClampValue(n, *sum);
  return sum.has_value();
}

bool MakeAddition(Network& n) { return Clamped(n, AddResidual(n, n.Take(kAnything))); }

bool MakeLincomb(Network& n) {
  const DraftId x = n.Take({.min_rank = 1, .max_rank = kMaxRank, .within = RangeOf(Storage::kI32)});
  return Clamped(n, CombineResidual(n, x));
}

bool MakeTable(Network& n) {
  const DraftId x = n.Take({.min_rank = 1, .max_rank = kMaxRank, .within = RangeOf(Storage::kI16)});
  return LookUp(n, x).has_value();
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
  const DraftId x = n.TakeOfRank(of_cvm ? 4 : n.ImageRank(), TensorLimit(n.draft.profile()));
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
  const DraftId x = n.TakeOfRank(n.ImageRank(), TensorLimit(n.draft.profile()));
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

constexpr Move kMovesBehindGemm[] = {
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

std::span<const Move> MovesBehindGemm() { return kMovesBehindGemm; }

}  // namespace tally
