#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/elementwise/attrs.h"
#include "ops/gather/attrs.h"
#include "ops/labels.h"
#include "ops/layout/attrs.h"
#include "ops/lowerings.h"
#include "ops/pooling/lowering/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

absl::Status CheckSpatial(const Shape& x) {
  if (x.rank() >= 3) return absl::OkStatus();
  return MakeError(label::lowering_operands, absl::StrCat("x ", x.ToString(), " has no axis behind N and C"));
}

// `list` with `first` in front, for N and for C.
std::vector<int64_t> BehindChannels(std::vector<int64_t> list, int64_t first) {
  list.insert(list.begin(), 2, first);
  return list;
}

// x summed over windows on the axes after N and C.
template <typename Attrs>
absl::StatusOr<Value> Sums(Composition& c, Value x, const Attrs& attrs, int64_t zero) {
  return c.Apply(Opcode::kWindowSum, {x},
                 WindowSumAttrs{.kernel = BehindChannels(attrs.kernel, 1),
                                .stride = BehindChannels(attrs.stride, 1),
                                .dilation = BehindChannels(attrs.dilation, 1),
                                .pad_begin = BehindChannels(attrs.pad_begin, 0),
                                .pad_end = BehindChannels(attrs.pad_end, 0),
                                .zero = zero});
}

// |x - zero| ^ p
absl::StatusOr<Value> Power(Composition& c, Value x, int64_t zero, int64_t p) {
  if (zero != 0) {
    ASSIGN_OR_RETURN(x, c.Apply(Opcode::kBroadcastSub, {x, c.Constant({1}, {zero})}));
  }
  ASSIGN_OR_RETURN(x, c.Apply(Opcode::kAbs, {x}));
  return p == 1 ? x : c.Apply(Opcode::kBroadcastMul, {x, x});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerMaxPool2d(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const auto attrs = Unpack<MaxPool2dAttrs>(attributes);
  const std::vector<int64_t> padding = {attrs.padding_of(0), attrs.padding_of(1)};
  return One(c.Apply(Opcode::kMaxPool, {operands[0]},
                     PoolAttrs{.kernel = attrs.pool_size,
                               .stride = attrs.strides,
                               .dilation = {1, 1},
                               .pad_begin = padding,
                               .pad_end = padding,
                               .ceil_mode = attrs.ceil_mode}));
}

absl::StatusOr<std::vector<Value>> LowerSumPool(Composition& c, std::span<const Value> operands,
                                                const Attributes& attributes) {
  RETURN_IF_ERROR(CheckSpatial(c.shape(operands[0])));
  const auto attrs = Unpack<WindowSumAttrs>(attributes);
  return One(Sums(c, operands[0], attrs, attrs.zero));
}

absl::StatusOr<std::vector<Value>> LowerPowerPool(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  RETURN_IF_ERROR(CheckSpatial(c.shape(operands[0])));
  const auto attrs = Unpack<PowerPoolAttrs>(attributes);
  ASSIGN_OR_RETURN(const Value powers, Power(c, operands[0], attrs.zero, attrs.p));
  return One(Sums(c, powers, attrs, 0));
}

absl::StatusOr<std::vector<Value>> LowerGlobalMaxPool(Composition& c, std::span<const Value> operands,
                                                      const Attributes&) {
  const Shape& x = c.shape(operands[0]);
  RETURN_IF_ERROR(CheckSpatial(x));
  ReduceAttrs attrs = {.kind = ReduceKind::kMax, .keepdims = true};
  for (int axis = 2; axis < x.rank(); ++axis) attrs.axes.push_back(axis);
  return One(c.Apply(Opcode::kReduce, {operands[0]}, attrs));
}

// p = (n, c, row-major place) becomes (n, c, column-major place): the coordinates of the place, weighed anew.
absl::StatusOr<std::vector<Value>> LowerMaxPoolIndicesColumnMajor(Composition& c,
                                                                  std::span<const Value> operands,
                                                                  const Attributes& attributes) {
  ASSIGN_OR_RETURN(std::vector<Value> y,
                   c.Emit(Opcode::kMaxPoolIndices, {operands[0]}, Pack(Unpack<PoolAttrs>(attributes))));
  const Shape x = c.shape(operands[0]);
  if (x.rank() == 3) return y;
  const int64_t places = x.num_elements() / (x[0] * x[1]);
  const auto remainder = [&](Value v, int64_t divisor) {
    return c.Apply(Opcode::kModulo, {v, c.Constant({}, {divisor})}, ModuloAttrs{Remainder::kFloor});
  };
  ASSIGN_OR_RETURN(const Value place, remainder(y[1], places));
  ASSIGN_OR_RETURN(const Value channel, c.Apply(Opcode::kBroadcastSub, {y[1], place}));
  LincombAttrs sum = {.multipliers = {1}, .hi = x.num_elements() - 1};
  std::vector<Value> parts = {channel};
  int64_t behind = places, before = 1;  // elements of the axes after and in front of the current one
  for (int axis = 2; axis < x.rank(); ++axis) {
    behind /= x[axis];
    ASSIGN_OR_RETURN(Value coordinate, c.Apply(Opcode::kDivide, {place, c.Constant({}, {behind})},
                                               DivideAttrs{Rounding::kFloor}));
    ASSIGN_OR_RETURN(coordinate, remainder(coordinate, x[axis]));
    parts.push_back(coordinate);
    sum.multipliers.push_back(before);
    before *= x[axis];
  }
  sum.zero_points.assign(parts.size(), 0);
  ASSIGN_OR_RETURN(y[1], c.Apply(Opcode::kLincomb, parts, sum));
  return y;
}

// One window over all positions, which stand in a row.
absl::StatusOr<std::vector<Value>> LowerGlobalAveragePool(Composition& c, std::span<const Value> operands,
                                                          const Attributes& attributes) {
  const Shape x = c.shape(operands[0]);
  RETURN_IF_ERROR(CheckSpatial(x));
  const auto attrs = Unpack<GlobalAveragePoolAttrs>(attributes);
  const int64_t positions = x.num_elements() / (x[0] * x[1]);
  ASSIGN_OR_RETURN(const Value row,
                   c.Apply(Opcode::kReshape, {operands[0]}, ReshapeAttrs{.shape = {x[0], x[1], positions}}));
  ASSIGN_OR_RETURN(const Value average, c.Apply(Opcode::kAveragePool, {row},
                                                AveragePoolAttrs{.kernel = {positions},
                                                                 .stride = {1},
                                                                 .dilation = {1},
                                                                 .pad_begin = {0},
                                                                 .pad_end = {0},
                                                                 .zero_in = attrs.zero_in,
                                                                 .multiplier = attrs.multiplier,
                                                                 .shift = attrs.shift,
                                                                 .rounding = attrs.rounding,
                                                                 .zero_out = attrs.zero_out,
                                                                 .lo = attrs.lo,
                                                                 .hi = attrs.hi}));
  std::vector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
  dims[0] = x[0], dims[1] = x[1];
  return One(c.Apply(Opcode::kReshape, {average}, ReshapeAttrs{.shape = dims}));
}

absl::StatusOr<std::vector<Value>> LowerGlobalPowerPool(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const Shape& x = c.shape(operands[0]);
  RETURN_IF_ERROR(CheckSpatial(x));
  const auto attrs = Unpack<GlobalPowerPoolAttrs>(attributes);
  const std::vector<int64_t> ones(static_cast<size_t>(x.rank()) - 2, 1), zeros(ones.size(), 0);
  return LowerPowerPool(c, operands,
                        Pack(PowerPoolAttrs{.kernel = {x.dims().begin() + 2, x.dims().end()},
                                            .stride = ones,
                                            .dilation = ones,
                                            .pad_begin = zeros,
                                            .pad_end = zeros,
                                            .zero = attrs.zero,
                                            .p = attrs.p}));
}

absl::StatusOr<std::vector<Value>> LowerSlidingWindows(Composition& c, std::span<const Value> operands,
                                                       const Attributes& attributes) {
  const auto attrs = Unpack<SlidingWindowsAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  const int64_t axis = attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis;
  if (axis < 0 || axis >= x.rank() || attrs.size > x[static_cast<int>(axis)]) {
    return MakeError(label::lowering_operands, absl::StrCat("no windows of ", attrs.size, " on axis ",
                                                            attrs.axis, " of ", x.ToString()));
  }
  const int64_t windows =
      CountWindows({.size = attrs.size, .stride = attrs.step}, x[static_cast<int>(axis)], false);
  RETURN_IF_ERROR(Shape::Create({windows, attrs.size}).status());
  std::vector<int64_t> positions;
  for (int64_t window = 0; window < windows; ++window) {
    for (int64_t i = 0; i < attrs.size; ++i) positions.push_back(window * attrs.step + i);
  }
  const Value table = c.Constant({windows, attrs.size}, positions);
  return One(c.Apply(Opcode::kTake, {operands[0], table}, TakeAttrs{.axis = {axis}}));
}

}  // namespace tally
