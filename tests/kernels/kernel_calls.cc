// Calls as quantized networks make them: the conditions of fast paths that few random numbers meet.
#include <algorithm>
#include <type_traits>

#include "fuzz/generators/values.h"
#include "ops/detection/attrs.h"
#include "ops/normalization/attrs.h"
#include "ops/pooling/attrs.h"
#include "ops/recurrent/attrs.h"
#include "ops/rescale/attrs.h"
#include "ops/sort/attrs.h"
#include "ops/table/attrs.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

// Bytes and words, some of them at one end, where sums are as large as they get.
Interval EdgeInterval(EntropySource& e) {
  return e.Pick<Interval>(
      {{-128, 127}, {-32768, 32767}, {-128, -127}, {126, 127}, {-32768, -32767}, {32000, 32767}});
}

// Results of 8, 16 and 32 bits, around a zero point, with a clamp that is beyond what they reach or within;
// now and then all of it is beyond, on one side.
template <typename Attrs>
void DrawClamp(CallContext& c, Attrs& attrs) {
  const int64_t reach = c.e.Pick<int64_t>({127, 127, 32767, 1 << 20, int64_t{1} << 40});
  attrs.lo = c.e.OneIn(3) ? c.e.Between(-100, 0) : -reach - 1;
  attrs.hi = c.e.OneIn(3) ? c.e.Between(0, 100) : reach;
  attrs.zero_out = c.e.OneIn(2) ? 0 : c.e.Pick<int64_t>({-128, 127, -5, 32767, -32768});
  if (!c.e.OneIn(10)) return;
  const int64_t far = c.e.Pick<int64_t>({1 << 15, 1 << 20, int64_t{1} << 31, int64_t{1} << 40});
  attrs.lo = c.e.OneIn(2) ? far : -far - 9;
  attrs.hi = attrs.lo + c.e.Between(0, 8);
}

// Normalized multipliers, shifts above and around 32, 8-bit results.
Attempt DrawQuantizedRescale(CallContext& c) {
  RescaleAttrs attrs;
  const Shape shape = TileShape(c.e);
  const DraftId x = c.draft.AddParam({shape, TileInterval(c.e)});
  attrs.axis = c.e.Between(0, shape.rank() - 1);
  attrs.zero_in = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.zero_out = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.lo = c.e.Pick<int64_t>({-128, 0, -32768, attrs.zero_out});
  attrs.hi = c.e.Pick<int64_t>({127, 255, 32767});
  attrs.rounding = c.e.OneIn(6) ? Rounding::kHalfEven : Rounding::kHalfUp;
  const int64_t channels = c.e.OneIn(3) ? 1 : DimAt(shape, attrs.axis);
  const int64_t least_shift = c.e.OneIn(2) ? 32 : c.e.Between(20, 40);
  std::vector<int64_t> m, b, s;
  for (int64_t i = 0; i < channels; ++i) {
    m.push_back(c.e.Between(int64_t{1} << 30, (int64_t{1} << 31) - 1) * (c.e.OneIn(8) ? -1 : 1));
    b.push_back(c.e.OneIn(2) ? 0 : c.e.Between(-(int64_t{1} << 40), int64_t{1} << 40));
    s.push_back(least_shift + c.e.Between(0, 8));
  }
  const Shape list = ShapeOf({channels});
  return {{x, c.Constant(list, m), c.Constant(list, b), c.Constant(list, s)}, Pack(attrs)};
}

// Residual adds of 8-bit tensors.
Attempt DrawQuantizedLincomb(CallContext& c) {
  LincombAttrs attrs;
  const Shape shape = TileShape(c.e);
  Attempt attempt;
  const int64_t bits = c.e.Pick<int64_t>({8, 16, 21, 30});
  for (int64_t i = c.e.Between(1, 4); i > 0; --i) {
    attempt.operands.push_back(c.draft.AddParam({shape, {-128, 127}}));
    attrs.multipliers.push_back(c.e.Between(1, (int64_t{1} << bits) - 1) * (c.e.OneIn(4) ? -1 : 1));
    attrs.zero_points.push_back(c.e.OneIn(2) ? 0 : c.e.Between(-128, 127));
  }
  attrs.shift = bits;
  attrs.bias = c.e.OneIn(2) ? 0 : c.e.Between(-1000, 1000);
  attrs.rounding = c.e.OneIn(4) ? Rounding::kHalfAway : Rounding::kHalfUp;
  attrs.zero_out = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.lo = c.e.Pick<int64_t>({-128, 0});
  attrs.hi = 127;
  attempt.attributes = Pack(attrs);
  return attempt;
}

// Windows over the axes after N and C, and none over those.
template <typename Attrs>
DraftId DrawWindows(CallContext& c, size_t trivial, Attrs& attrs) {
  const Shape shape = TileShape(c.e, static_cast<int>(c.e.Between(3, 5)));
  const DraftId x = c.draft.AddParam({shape, c.e.OneIn(3) ? EdgeInterval(c.e) : TileInterval(c.e)});
  for (size_t i = 0; i < trivial; ++i) {
    for (auto* list : {&attrs.kernel, &attrs.stride, &attrs.dilation}) list->push_back(1);
    for (auto* list : {&attrs.pad_begin, &attrs.pad_end}) list->push_back(0);
  }
  const bool global = c.e.OneIn(4);
  for (int axis = 2; axis < shape.rank(); ++axis) {
    const int64_t size = global ? shape[axis] : std::min(c.e.Between(1, 3), shape[axis]);
    attrs.kernel.push_back(size);
    attrs.stride.push_back(c.e.Between(1, 3));
    attrs.dilation.push_back(
        global || c.e.OneIn(2) || size == 1 ? 1 : c.e.Between(1, (shape[axis] - 1) / (size - 1)));
    attrs.pad_begin.push_back(global ? 0 : c.e.Between(0, size - 1));
    attrs.pad_end.push_back(global ? 0 : c.e.Between(0, size - 1));
  }
  return x;
}

Attempt DrawSpatialSum(CallContext& c) {
  WindowSumAttrs attrs;
  const DraftId x = DrawWindows(c, 2, attrs);
  attrs.zero = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  return {{x}, Pack(attrs)};
}

// Plain averages, and those that become another scale.
Attempt DrawQuantizedAverage(CallContext& c) {
  AveragePoolAttrs attrs;
  const DraftId x = DrawWindows(c, 0, attrs);
  attrs.count_include_pad = c.e.OneIn(2);
  attrs.zero_in = c.e.OneIn(2) ? 0 : c.e.Between(-128, 127);
  attrs.rounding = static_cast<Rounding>(c.e.Pick({0, 1, 2, 2, 3, 5}));
  if (c.e.OneIn(2)) {
    attrs.multiplier = c.e.Between(int64_t{1} << 30, (int64_t{1} << 31) - 1);
    attrs.shift = c.e.Between(28, 33);
  }
  DrawClamp(c, attrs);
  return {{x}, Pack(attrs)};
}

// 8-bit activations, and some of 12 and 16 bits.
Attempt DrawByteTable(CallContext& c) {
  const int64_t reach = c.e.OneIn(2) ? 128 : c.e.Pick<int64_t>({128, 2048, 32768});
  const DraftId x = c.draft.AddParam({TileShape(c.e), {-reach, reach - 1}});
  const Interval entries = c.e.Pick<Interval>({{-128, 127}, {-32768, 32767}, {0, 255}, {-100000, 100000}});
  std::vector<int64_t> table(c.e.OneIn(3) ? c.e.Between(1, 300) : reach <= 2048 ? 2 * reach : 1000);
  for (int64_t& entry : table)
    entry = c.e.exhausted() ? &entry - table.data() : c.e.Between(entries.lo, entries.hi);
  for (int64_t& entry : table) entry = std::clamp(entry, entries.lo, entries.hi);
  const auto n = static_cast<int64_t>(table.size());
  const Attributes attributes = c.op.code == Opcode::kTable
                                    ? Pack(TableAttrs{.offset = c.e.Between(-reach - 2, -reach + 28)})
                                    : Pack(CvmLutAttrs{.in_dim = n});
  return {{x, c.Constant(ShapeOf({n}), table)}, attributes};
}

// Roots, quotients and logarithms as tables have them: mantissas of 30 bits that rise or fall, with shifts
// around 30; and mantissas and exponents that 32 bits do not hold.
Attempt DrawBinadeTable(CallContext& c) {
  NormalizedTableAttrs attrs;
  attrs.combine = c.e.OneIn(2) ? Combine::kProduct : Combine::kSum;
  attrs.shift = attrs.combine == Combine::kProduct ? c.e.Between(20, 34) : c.e.Between(0, 20);
  DrawClamp(c, attrs);
  const int64_t most = c.e.Pick<int64_t>({1, 127, 32767, 1 << 20, INT32_MAX, int64_t{1} << 40});
  const DraftId x = c.draft.AddParam({TileShape(c.e), {c.e.OneIn(4) ? most : 1, most}});
  std::vector<int64_t> mantissas(1025), exponents(47);
  const int64_t first = c.e.Pick<int64_t>({1 << 29, 1 << 30, INT32_MAX, int64_t{1} << 31, -(1 << 30)}),
                step = (first > 1 << 30 ? -1 : 1) * c.e.Between(0, 1 << 20);
  for (int64_t i = 0; i < 1025; ++i) mantissas[i] = first + i * step;
  for (int64_t& e : exponents) {
    e = c.e.OneIn(3)   ? c.e.Between(-(1 << 20), 1 << 20)
        : c.e.OneIn(4) ? c.e.Between(0, int64_t{1} << 40)
                       : c.e.Between(0, INT32_MAX);
  }
  return {{x, c.Constant(ShapeOf({1025}), mantissas), c.Constant(ShapeOf({47}), exponents)}, Pack(attrs)};
}

// An exponential that falls to 0, or ends before, or begins low.
DraftId DrawExponentials(CallContext& c) {
  std::vector<int64_t> table(c.e.Between(1, 300));
  int64_t entry = c.e.OneIn(6) ? int64_t{1} << c.e.Between(20, 30) : int64_t{1} << 30;
  for (int64_t& e : table) {
    e = entry;
    entry -= entry >> 5;
  }
  return c.Constant(ShapeOf({static_cast<int64_t>(table.size())}), table);
}

// Two entries whose parts of their sum, 13 * 2^27, end in half a unit at 15 bits: it is rounded up, as the
// reciprocal is, and down by one that is less.
DraftId TiedExponentials(CallContext& c) {
  constexpr int64_t kHalf = 1 << 15, kUnit = 13 << 11;
  return c.Constant(ShapeOf({2}), {(kHalf + 1) * kUnit, (kHalf - 1) * kUnit});
}

DraftId DrawLogits(CallContext& c, const Shape& shape) {
  return c.draft.AddParam({shape, c.e.OneIn(3)   ? EdgeInterval(c.e)
                                  : c.e.OneIn(2) ? Interval{-128, 127}
                                                 : Interval{-3000, 3000}});
}

// Probabilities of 8 bits and of 16.
Attempt DrawQuantizedSoftmax(CallContext& c) {
  const Shape shape = TileShape(c.e);
  SoftmaxAttrs attrs = {.axis = c.e.OneIn(2) ? -1 : c.Axis(shape.rank())};
  attrs.bits = c.e.Pick({7, 8, 15});
  attrs.zero_out = attrs.bits == 8 ? -128 : 0;
  attrs.hi = (int64_t{1} << attrs.bits) - 1 + attrs.zero_out;
  attrs.lo = attrs.zero_out;
  if (c.e.OneIn(3)) DrawClamp(c, attrs);
  const DraftId x = DrawLogits(c, shape);
  return {{x, c.e.OneIn(8) ? TiedExponentials(c) : DrawExponentials(c)}, Pack(attrs)};
}

// Shifts below, at and above 32, multipliers and logarithms up to where 64 bits end.
Attempt DrawQuantizedLogSoftmax(CallContext& c) {
  const Shape shape = TileShape(c.e);
  LogSoftmaxAttrs attrs = {.axis = c.e.OneIn(2) ? -1 : c.Axis(shape.rank())};
  const bool far = c.e.OneIn(6);  // logarithms beyond 2^31, where a factor for the shift leaves 64 bits
  attrs.shift = far ? c.e.Between(1, 4) : c.e.Between(8, 40);
  attrs.multiplier =
      far ? 1 : c.e.Between(1, int64_t{1} << std::min<int64_t>(attrs.shift, c.e.OneIn(4) ? 40 : 30));
  DrawClamp(c, attrs);
  std::vector<int64_t> logarithms(1025);
  const int64_t step = (int64_t{1} << (far ? 32 : std::min<int64_t>(attrs.shift, 30))) >> 10;
  for (int64_t i = 0; i < 1025; ++i) logarithms[i] = i * step;
  const DraftId x = DrawLogits(c, shape), table = DrawExponentials(c);
  return {{x, table, c.Constant(ShapeOf({1025}), logarithms)}, Pack(attrs)};
}

// Rows along the last axes, or along the channels, with parameters for each element or one of each for a row.
template <typename Attrs>
Attempt DrawDenseNorm(CallContext& c) {
  const bool long_rows = c.e.OneIn(40);
  const Shape shape = long_rows ? ShapeOf({1, c.e.Between(32766, 32769)}) : TileShape(c.e);
  const DraftId x =
      c.draft.AddParam({shape, c.e.OneIn(4) ? Interval{-(1 << 20), 1 << 20} : EdgeInterval(c.e)});
  Attrs attrs;
  const bool channels = shape.rank() >= 3 && c.e.OneIn(2);
  attrs.axes = {channels ? 1 : -1};
  std::vector<int64_t> dims = {channels ? shape[1] : shape[shape.rank() - 1]};
  if (long_rows || c.e.OneIn(4)) dims = {1};
  if (channels) dims.resize(shape.rank() - 1, 1);
  attrs.guard = c.e.Between(0, 4);
  attrs.epsilon = c.e.Between(0, 1 << 20);
  attrs.epsilon_mode = static_cast<EpsilonMode>(c.e.Between(0, 2));
  attrs.shift = c.e.Between(20, 36);
  if constexpr (std::is_same_v<Attrs, RmsNormAttrs>)
    attrs.zero_in = c.e.Pick<int64_t>({0, 0, -128, 127, 32000});
  DrawClamp(c, attrs);
  const int64_t most = int64_t{1} << c.e.Pick({14, 24, 30});
  std::vector<int64_t> m, b;
  for (int64_t i = 0; i < ShapeOf(dims).num_elements(); ++i) {
    m.push_back(c.e.Between(-most, most));
    b.push_back(c.e.Between(-(1 << 24), 1 << 24));
  }
  return {{x, c.Constant(ShapeOf(dims), m), c.Constant(ShapeOf(dims), b)}, Pack(attrs)};
}

// Constants that grow from one number, as many as a layer has.
DraftId GrownConstant(CallContext& c, const std::vector<int64_t>& dims, const Interval& interval) {
  const TensorType type = {ShapeOf(dims), interval};
  const Tensor tensor = RandomTensor(c.e, type);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < type.shape.num_elements(); ++i) values.push_back(tensor.view().at(i));
  return c.Constant(type.shape, values);
}

// Units and inputs around the length of a vector, sequences of different lengths, gates that move in their
// tables.
template <typename Attrs>
Attempt DrawWideRecurrent(CallContext& c) {
  constexpr bool kLstm = std::is_same_v<Attrs, LstmAttrs>, kGru = std::is_same_v<Attrs, GruAttrs>;
  constexpr int kGates = kLstm ? 4 : kGru ? 3 : 1, kTables = kLstm ? 3 : kGru ? 2 : 1;
  constexpr Interval kStates = {-kState, kState - 1};
  Attrs attrs;
  attrs.direction = static_cast<Direction>(c.e.Between(0, 2));
  attrs.initial_state = c.e.OneIn(2);
  attrs.lengths = c.e.OneIn(2);
  attrs.shift = c.e.Between(20, 28);
  const auto width = [&] { return c.e.OneIn(3) ? c.e.Between(1, 70) : c.e.Between(1, 20); };
  const int64_t d = attrs.direction == Direction::kBidirectional ? 2 : 1, steps = c.e.Between(1, 18),
                batch = c.e.Between(1, 6), inputs = width(), units = width(), rows = kGates * units;
  int64_t states = units;
  if constexpr (kLstm) {
    attrs.projection = c.e.OneIn(2);
    if (attrs.projection) states = width();
  }
  const bool bytes = c.e.OneIn(2);
  const Interval weights = c.e.OneIn(2) ? Interval{-127, 127} : Interval{-2000, 2000};
  const auto multipliers = [&](int bits) {
    return GrownConstant(c, {d, rows}, {-(int64_t{1} << bits), int64_t{1} << bits});
  };
  const auto matrix = [&](int64_t n) {
    return c.e.OneIn(2) ? GrownConstant(c, {d, rows, n}, weights)
                        : c.draft.AddParam({ShapeOf({d, rows, n}), weights});
  };
  Attempt attempt;
  auto& operands = attempt.operands;
  const Interval x = bytes ? Interval{-128, 127} : kStates;
  operands = {c.draft.AddParam({ShapeOf({steps, batch, inputs}), x}), matrix(inputs), matrix(states)};
  operands.push_back(multipliers(bytes ? 17 : 10));
  operands.push_back(multipliers(10));
  operands.push_back(multipliers(30));
  for (int i = 0; i < kTables; ++i) {
    const int64_t top = c.e.OneIn(4) ? kState : kState - 1;
    operands.push_back(GrownConstant(c, {2 * c.e.Between(1, 300)}, {kGru && i == 0 ? 0 : -kState + 1, top}));
  }
  const auto state = [&](int64_t n) { return c.draft.AddParam({ShapeOf({d, batch, n}), kStates}); };
  if (attrs.initial_state) operands.push_back(state(states));
  if (attrs.initial_state && kLstm) operands.push_back(state(units));
  if (attrs.lengths) operands.push_back(c.draft.AddParam({ShapeOf({batch}), {0, steps}}));
  if constexpr (kLstm) {
    attrs.peephole = c.e.OneIn(2);
    attrs.coupled = c.e.OneIn(3);
    attrs.cell_bits = c.e.Between(0, 15);
    attrs.cell_lo = -c.e.Between(0, kState);
    attrs.cell_hi = c.e.Between(0, kState - 1);
    attrs.output_shift = c.e.Pick({15, 15, 16, 23, 30});
    if (attrs.peephole) operands.push_back(GrownConstant(c, {d, 3 * units}, {-1000, 1000}));
    if (attrs.projection) {
      attrs.projection_shift = c.e.Between(12, 24);
      operands.push_back(GrownConstant(c, {d, states, units}, {-127, 127}));
      operands.push_back(GrownConstant(c, {d, states}, {-(1 << 14), 1 << 14}));
    }
  }
  if constexpr (kGru) {
    attrs.reset_after = c.e.OneIn(2);
    if (attrs.reset_after) operands.push_back(GrownConstant(c, {d, units}, {-(1 << 25), 1 << 25}));
  }
  attempt.attributes = Pack(attrs);
  return attempt;
}

// More boxes than a block of candidates has, close enough to overlap, with scores that are often equal.
Attempt DrawManyBoxes(CallContext& c) {
  NmsAttrs attrs;
  const int64_t batches = c.e.Between(1, 3), classes = c.e.Between(1, 4),
                boxes = c.e.OneIn(2) ? c.e.Between(200, 600) : c.e.Between(1, 80);
  const int64_t extent = c.e.Pick<int64_t>({6, 30, 30000});
  const bool own = c.e.OneIn(3);
  attrs.encoding = static_cast<BoxEncoding>(c.e.Between(0, 2));
  attrs.side_offset = c.e.Between(0, 1);
  attrs.iou_numerator = c.e.Between(0, 4);
  attrs.iou_denominator = c.e.Between(4, 8);
  attrs.suppress_equal = c.e.OneIn(2);
  attrs.classes = static_cast<NmsClasses>(c.e.Between(0, 2));
  attrs.at_least_one = c.e.OneIn(2);
  attrs.top_k = c.e.OneIn(2) ? c.e.Between(1, 200) : kNoNmsLimit;
  attrs.max_per_class = c.e.OneIn(2) ? c.e.Between(1, 60) : kNoNmsLimit;
  attrs.max_per_batch = c.e.OneIn(2) ? c.e.Between(1, 100) : kNoNmsLimit;
  attrs.batches = static_cast<NmsBatches>(c.e.Between(0, 2));
  attrs.order = attrs.batches == NmsBatches::kMerged || c.e.OneIn(2) ? NmsOrder::kScore : NmsOrder::kClass;
  const Interval scores = c.e.Pick<Interval>({{-128, 127}, {0, 5}, {-30000, 30000}, {0, 1 << 20}});
  attrs.min_score =
      c.e.OneIn(6) ? c.e.Pick<int64_t>({-40000, 200, 1 << 21}) : c.e.Between(scores.lo, scores.hi);
  const Shape box_shape = own ? ShapeOf({batches, classes, boxes, 4}) : ShapeOf({batches, boxes, 4});
  const DraftId b = c.draft.AddParam({box_shape, {0, extent}});
  return {{b, c.draft.AddParam({ShapeOf({batches, classes, boxes}), scores})}, Pack(attrs)};
}

// Rows of CVM's detections: close enough to overlap, or so far apart that areas need 60 bits.
Attempt DrawRankedBoxes(CallContext& c) {
  constexpr int64_t kFarthest = (int64_t{1} << 29) - 1;
  const int64_t batches = c.e.Between(1, 3), rows = c.e.OneIn(2) ? c.e.Between(1, 12) : c.e.Between(30, 120);
  const int64_t extent = c.e.Pick<int64_t>({4, 10, 100, 30000, kFarthest});
  const NonMaxSuppressionAttrs attrs = {.iou_threshold = c.e.Between(1, 110),
                                        .max_output_size = c.e.OneIn(2) ? -1 : c.e.Between(0, rows),
                                        .force_suppress = c.e.OneIn(2),
                                        .top_k = c.e.OneIn(2) ? -1 : c.e.Between(0, rows)};
  const DraftId x = c.draft.AddParam({ShapeOf({batches, rows, 6}), {c.e.OneIn(4) ? -extent : -1, extent}});
  return {{x, c.draft.AddParam({ShapeOf({batches}), {-1, rows + 1}})}, Pack(attrs)};
}

// Equal elements, as many as positions have bits for, but for the last, which is one better or worse.
DraftId LineOfEquals(CallContext& c, int64_t n) {
  std::vector<int64_t> line(n);
  line.back() = c.e.OneIn(2) ? 1 : -1;
  return c.Constant(ShapeOf({1, n, 1}), line);
}

// Lines that the best of are few, and many.
Attempt DrawLongLines(CallContext& c) {
  const bool equals = c.e.OneIn(16);
  const int64_t n = equals         ? int64_t{1} << c.e.Between(7, 12)
                    : c.e.OneIn(2) ? c.e.Between(1, 6000)
                                   : c.e.Between(1, 300);
  const DraftId x =
      equals ? LineOfEquals(c, n)
             : c.draft.AddParam({ShapeOf({c.e.Between(1, 4), n, c.e.OneIn(2) ? 1 : 3}), TileInterval(c.e)});
  if (c.op.code != Opcode::kTopK) return {{x}, Pack(SortAttrs{.axis = 1, .descending = c.e.OneIn(2)})};
  const int64_t k = c.e.OneIn(4)   ? 1
                    : c.e.OneIn(2) ? c.e.Between(1, std::min<int64_t>(n, 10))
                                   : c.e.Between(1, n);
  return {
      {x},
      Pack(TopKAttrs{
          .k = k, .axis = 1, .largest = c.e.OneIn(2), .order = static_cast<TopKOrder>(c.e.Between(0, 1))})};
}

}  // namespace

CallGenerator FindKernelCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kRescale: return DrawQuantizedRescale;
    case Opcode::kLincomb: return DrawQuantizedLincomb;
    case Opcode::kWindowSum: return DrawSpatialSum;
    case Opcode::kAveragePool: return DrawQuantizedAverage;
    case Opcode::kTable:
    case Opcode::kCvmLut: return DrawByteTable;
    case Opcode::kNormalizedTable: return DrawBinadeTable;
    case Opcode::kSoftmax: return DrawQuantizedSoftmax;
    case Opcode::kLogSoftmax: return DrawQuantizedLogSoftmax;
    case Opcode::kLayerNorm: return DrawDenseNorm<LayerNormAttrs>;
    case Opcode::kRmsNorm: return DrawDenseNorm<RmsNormAttrs>;
    case Opcode::kNms: return DrawManyBoxes;
    case Opcode::kNonMaxSuppression: return DrawRankedBoxes;
    case Opcode::kSort:
    case Opcode::kArgSort:
    case Opcode::kTopK: return DrawLongLines;
    case Opcode::kRnn: return DrawWideRecurrent<RnnAttrs>;
    case Opcode::kLstm: return DrawWideRecurrent<LstmAttrs>;
    case Opcode::kGru: return DrawWideRecurrent<GruAttrs>;
    case Opcode::kScaledDotProductAttention: return FindAttentionKernelCallGenerator(op);
    case Opcode::kCropResize:
    case Opcode::kGridSample:
    case Opcode::kRoiMaxPool:
    case Opcode::kRoiAlign:
    case Opcode::kPsroiPool:
    case Opcode::kDeformablePsroiPool: return FindSamplingKernelCallGenerator(op);
    default: return FindLinearKernelCallGenerator(op);
  }
}

}  // namespace tally
