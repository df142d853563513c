#include "fuzz/generators/tails.h"

#include <algorithm>
#include <bit>

#include "fuzz/generators/places.h"
#include "ops/elementwise/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

Shape BiasShape(EntropySource& e, const Shape& shape) {
  const int rank = shape.rank();
  std::vector<int64_t> dims;
  switch (rank == 0 ? 6 : e.Between(0, 6)) {
    case 0:
    case 1: return ShapeOf({shape[rank - 1]});
    case 2:
      dims.assign(rank, 1);
      dims.back() = shape[rank - 1];
      return ShapeOf(dims);
    case 3:
    case 4:
      if (rank < 2) return shape;
      dims.assign(e.OneIn(2) ? rank : rank - 1, 1);
      dims[dims.size() - static_cast<size_t>(rank) + 1] = shape[1];
      return ShapeOf(dims);
    case 5: return shape;
    default: return ShapeOf({1});
  }
}

std::vector<DraftId> InAnyOrder(EntropySource& e, DraftId a, DraftId b) {
  return e.OneIn(2) ? std::vector{a, b} : std::vector{b, a};
}

// Another value of the shape of `x`, mostly of few bits; now and then `x` itself.
DraftId FindResidual(Network& n, DraftId x) {
  if (n.e.OneIn(12)) return x;
  Want want = {.shape = n.shape(x)};
  if (!n.e.OneIn(6)) want.within = RangeOf(Storage::kI16);
  std::vector<DraftId> others;
  for (DraftId id = 0; id < n.draft.size(); ++id) {
    if (id != x && Fits(n.draft, id, want)) others.push_back(id);
  }
  if (!others.empty() && !n.e.OneIn(4)) return n.e.PickFrom(others);
  const Interval few = n.is_cvm() ? Interval{-127, 127} : n.e.OneIn(2) ? kByteRange : Interval{-20000, 20000};
  return n.draft.accepts_params()
             ? AddInput(n.e, n.draft, {n.shape(x), few}, n.e.Pick({Inputs::kAny, Inputs::kImages}))
             : n.Constant(n.shape(x), few);
}

}  // namespace

std::optional<DraftId> AddBias(Network& n, DraftId x) {
  const Shape dims = BiasShape(n.e, n.shape(x));
  const Interval interval = n.Biases();
  const DraftId bias =
      n.e.OneIn(6) ? n.Take({.shape = dims, .within = interval}) : n.Constant(dims, interval);
  const Opcode op = n.e.OneIn(6)
                        ? n.e.Pick({Opcode::kBroadcastSub, Opcode::kBroadcastMax, Opcode::kElemwiseAdd})
                        : Opcode::kBroadcastAdd;
  return n.Op(op, InAnyOrder(n.e, x, bias));
}

Interval DrawClamp(EntropySource& e) {
  return e.Pick<Interval>({kByteRange,
                           kByteRange,
                           kByteRange,
                           {0, 127},
                           {0, 255},
                           {-128, 100},
                           {-20000, 20000},
                           {5, 5},
                           RangeOf(Storage::kI32),
                           {-(int64_t{1} << 35), kFar},
                           {int64_t{1} << 33, kFar}});
}

std::optional<DraftId> Requantize(Network& n, DraftId x, const Interval& clamp) {
  const TensorType type = n.type(x);
  const int bits = static_cast<int>(std::bit_width(std::max<uint64_t>(1, type.interval.Magnitude())));
  if (n.is_cvm()) {
    const CvmShiftAttrs attrs = {.precision = 8, .shift_bit = std::clamp(bits - 7, 1, 32)};
    return n.Op(Opcode::kCvmRightShift, {x}, attrs);
  }
  RescaleAttrs attrs = {.zero_in = n.e.OneIn(3) ? n.Zero(type.interval) : 0,
                        .zero_out = n.e.OneIn(3) ? n.e.Between(-128, 127) : 0,
                        .lo = clamp.lo,
                        .hi = clamp.hi};
  const int rank = type.shape.rank();
  const bool by_channel = rank > 0 && n.e.OneIn(2);
  const int axis = n.e.OneIn(3) || rank < 3 ? rank - 1 : 1;
  if (by_channel) attrs.axis = n.e.OneIn(4) ? axis - rank : axis;
  if (n.e.OneIn(4)) attrs.rounding = static_cast<Rounding>(n.e.Between(0, std::ssize(kRoundingNames) - 1));
  const bool doubles = attrs.rounding == Rounding::kDouble;
  // As quantizers have them: results of about 8 bits. Or of little: shifts below 32.
  const bool low = n.e.OneIn(4);
  const int64_t channels = by_channel ? type.shape[axis] : 1;
  std::vector<int64_t> m, b, s;
  for (int64_t c = 0; c < channels; ++c) {
    s.push_back(low ? n.e.Between(0, 20) : std::clamp<int64_t>(bits + 23 + c % 3, 0, kMaxRescaleShift));
    m.push_back(low ? n.e.Between(doubles ? 0 : -3, 3) : (int64_t{1} << 30) + c % 7 * 12345678);
    b.push_back(!doubles && n.e.OneIn(4) ? n.e.Between(-(int64_t{1} << 36), int64_t{1} << 36) : 0);
  }
  const auto list = [&](const std::vector<int64_t>& v) {
    return n.draft.AddConstant(*Tensor::FromValues(ShapeOf({channels}), v));
  };
  const DraftId multipliers = list(m), biases = list(b), shifts = list(s);
  return n.Op(Opcode::kRescale, {x, multipliers, biases, shifts}, attrs);
}

std::optional<DraftId> ClampValue(Network& n, DraftId x) {
  if (n.e.OneIn(3)) return n.Op(Opcode::kRelu, {x});
  if (n.is_cvm() && n.e.OneIn(2)) {
    return n.Op(Opcode::kCvmClip, {x}, CvmClipAttrs{.precision = n.e.Between(1, 32)});
  }
  const Interval near = n.type(x).interval, limit = TensorLimit(n.draft.profile());
  const Interval clamp = n.e.Pick<Interval>({{-50, 77},
                                             {-50, 77},
                                             {0, 6},
                                             {near.lo, near.hi},
                                             {near.hi, near.hi},
                                             {-kFar, 10},
                                             {-10, kFar},
                                             {kFar, kFar + 1},
                                             {INT32_MAX, kFar}});
  return n.Op(Opcode::kClip, {x},
              ClipAttrs{.a_min = std::clamp(clamp.lo, limit.lo, limit.hi),
                        .a_max = std::clamp(clamp.hi, limit.lo, limit.hi)});
}

std::optional<DraftId> AddResidual(Network& n, DraftId x) {
  const Opcode op = n.e.OneIn(2) ? Opcode::kBroadcastAdd : Opcode::kElemwiseAdd;
  const auto sum = n.Op(op, InAnyOrder(n.e, x, FindResidual(n, x)));
  if (!sum || n.e.OneIn(3)) return sum;
  const auto scaled = Requantize(n, *sum);
  return scaled ? scaled : sum;
}

std::optional<DraftId> CombineResidual(Network& n, DraftId x) {
  const DraftId r = FindResidual(n, x);
  const bool low = n.e.OneIn(3);
  LincombAttrs attrs = {
      .zero_points = {n.Zero({-9, 9}), n.Zero({-9, 9})},
      .bias = n.e.OneIn(3) ? n.e.Between(-100000, 100000) : 0,
      .shift = low ? n.e.Between(0, 16) : n.e.Between(26, 34),
      .rounding = static_cast<Rounding>(n.e.OneIn(4) ? n.e.Between(0, 5) : n.e.Between(0, 1)),
      .zero_out = n.e.OneIn(2) ? n.e.Between(-9, 9) : 0};
  for (int i = 0; i < 2; ++i) {
    attrs.multipliers.push_back((low ? n.e.Between(1, 3) : n.e.Between(1 << 22, 1 << 28)) *
                                (n.e.OneIn(6) ? -1 : 1));
  }
  const Interval clamp = n.e.Pick<Interval>(
      {kByteRange, kByteRange, kByteRange, {0, 100}, {-32768, 32767}, {-kFar, kFar}, {kFar, kFar + 5}});
  attrs.lo = clamp.lo;
  attrs.hi = clamp.hi;
  return n.Op(Opcode::kLincomb, InAnyOrder(n.e, x, r), attrs);
}

std::optional<DraftId> LookUp(Network& n, DraftId x) {
  const Interval range = n.type(x).interval;
  if (!RangeOf(Storage::kI16).Contains(range)) return std::nullopt;
  const int64_t size = n.e.OneIn(3) ? n.e.Between(1, 40) : std::min<int64_t>(256, range.hi - range.lo + 1);
  Interval entries = n.e.OneIn(4) ? n.Elements() : kByteRange;
  if (n.is_cvm()) entries = n.e.Pick<Interval>({{-127, 127}, {-32767, 32767}});
  const Want list = {.shape = ShapeOf({size}), .within = entries};
  const DraftId table = n.is_cvm() && n.e.OneIn(4) ? n.Take(list) : n.Constant(*list.shape, entries);
  if (n.is_cvm()) return n.Op(Opcode::kCvmLut, {x, table}, CvmLutAttrs{.in_dim = size});
  const TableAttrs attrs = {.offset = range.lo + (n.e.OneIn(3) ? n.e.Between(-9, 9) : 0)};
  return n.Op(Opcode::kTable, {x, table}, attrs);
}

void DrawTail(Network& n, DraftId x) {
  const auto then = [&](int n_of, auto stage) {
    if (!n.e.OneIn(n_of)) return false;
    const ModuleDraft::Mark before = n.draft.mark();
    if (const auto y = stage(n, x)) {
      x = *y;
      return true;
    }
    n.draft.Rollback(before);
    return false;
  };
  const Shape shape = n.shape(x);
  if (shape.rank() > 2 && shape.num_elements() == shape[0] * shape[1]) {
    then(2, [&](Network&, DraftId one_position) {
      if (n.e.OneIn(2)) return n.Op(Opcode::kFlatten, {one_position});
      return n.Op(Opcode::kReshape, {one_position}, ReshapeAttrs{.shape = {shape[0], shape[1]}});
    });
  }
  then(4, AddBias);
  if (then(2, [](Network& net, DraftId y) { return Requantize(net, y); })) {
    then(5, ClampValue);
    if (!then(2, AddResidual)) then(2, CombineResidual);
    then(3, ClampValue);
    then(3, LookUp);
  }
  if (n.e.OneIn(6)) Place(n.e, n.draft, x);
  if (n.e.OneIn(3)) n.AddAnyOperator();
}

}  // namespace tally
