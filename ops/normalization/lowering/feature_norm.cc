// Instance norm, group norm and MVN: layer_norm over axes that a name implies.
#include <numeric>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/common/compose.h"
#include "ops/elementwise/attrs.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/lowering/attrs.h"
#include "ops/reduction/attrs.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// [first, rank)
std::vector<int64_t> AxesFrom(int64_t first, int rank) {
  std::vector<int64_t> axes(rank - first);
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

// x [N, C, ..] with a spatial axis, m and b lists of C.
absl::Status CheckChannels(const Composition& c, std::span<const Value> operands, int min_rank) {
  const Shape& x = c.shape(operands[0]);
  if (x.rank() < min_rank) return MakeError(label::lowering_operands, absl::StrCat("x ", x.ToString()));
  for (const Value list : {operands[1], operands[2]}) {
    if (c.constant(list) == nullptr || c.shape(list) != *Shape::Create({x[1]})) {
      return MakeError(
          label::lowering_operands,
          absl::StrCat(c.shape(list).ToString(), " is not a constant list for ", x[1], " channels"));
    }
  }
  return absl::OkStatus();
}

// layer_norm of x with m and b in `dims`.
absl::StatusOr<Value> LayerNorm(Composition& c, Value x, std::span<const Value> operands,
                                const std::vector<int64_t>& dims, std::vector<int64_t> axes,
                                const InstanceNormAttrs& attrs) {
  ASSIGN_OR_RETURN(const Value m, Reshape(c, operands[1], dims));
  ASSIGN_OR_RETURN(const Value b, Reshape(c, operands[2], dims));
  return c.Apply(Opcode::kLayerNorm, {x, m, b},
                 LayerNormAttrs{.axes = std::move(axes),
                                .guard = attrs.guard,
                                .epsilon = attrs.epsilon,
                                .epsilon_mode = attrs.epsilon_mode,
                                .shift = attrs.shift,
                                .zero_out = attrs.zero_out,
                                .lo = attrs.lo,
                                .hi = attrs.hi});
}

// [C, 1, ..]: a channel list that broadcasts to x.
std::vector<int64_t> ChannelDims(const Shape& x) {
  std::vector<int64_t> dims(x.rank() - 1, 1);
  dims[0] = x[1];
  return dims;
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerInstanceNorm(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  RETURN_IF_ERROR(CheckChannels(c, operands, 3));
  const Shape x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const Value y, LayerNorm(c, operands[0], operands, ChannelDims(x), AxesFrom(2, x.rank()),
                                            Unpack<InstanceNormAttrs>(attributes)));
  return std::vector<Value>{y};
}

absl::StatusOr<std::vector<Value>> LowerGroupNorm(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  RETURN_IF_ERROR(CheckChannels(c, operands, 2));
  const auto attrs = Unpack<GroupNormAttrs>(attributes);
  const Shape x = c.shape(operands[0]);
  if (x[1] % attrs.groups != 0 || x.rank() == kMaxRank) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("x ", x.ToString(), " in ", attrs.groups, " groups"));
  }
  std::vector<int64_t> grouped(x.dims().begin(), x.dims().end());
  grouped[1] = x[1] / attrs.groups;
  grouped.insert(grouped.begin() + 1, attrs.groups);
  std::vector<int64_t> channels(x.rank(), 1);
  channels[0] = attrs.groups;
  channels[1] = x[1] / attrs.groups;
  ASSIGN_OR_RETURN(const Value rows, Reshape(c, operands[0], grouped));
  ASSIGN_OR_RETURN(const Value y, LayerNorm(c, rows, operands, channels, AxesFrom(2, x.rank() + 1), attrs));
  ASSIGN_OR_RETURN(const Value back, Reshape(c, y, {x.dims().begin(), x.dims().end()}));
  return std::vector<Value>{back};
}

absl::StatusOr<std::vector<Value>> LowerMvn(Composition& c, std::span<const Value> operands,
                                            const Attributes& attributes) {
  RETURN_IF_ERROR(CheckChannels(c, operands, 3));
  const auto attrs = Unpack<MvnAttrs>(attributes);
  const Shape x = c.shape(operands[0]);
  const std::vector<int64_t> axes = AxesFrom(attrs.across_channels ? 1 : 2, x.rank());
  if (attrs.normalize_variance) {
    ASSIGN_OR_RETURN(const Value y, LayerNorm(c, operands[0], operands, ChannelDims(x), axes, attrs));
    return std::vector<Value>{y};
  }
  int64_t length = 1;
  for (const int64_t axis : axes) length *= x[static_cast<int>(axis)];
  ASSIGN_OR_RETURN(const Value scaled,
                   c.Apply(Opcode::kBroadcastMul, {operands[0], c.Constant({}, {length})}));
  ASSIGN_OR_RETURN(const Value sum,
                   c.Apply(Opcode::kReduce, {operands[0]},
                           ReduceAttrs{.kind = ReduceKind::kSum, .axes = axes, .keepdims = true}));
  ASSIGN_OR_RETURN(const Value centred, c.Apply(Opcode::kBroadcastSub, {scaled, sum}));
  const std::vector<int64_t> shifts(x[1], attrs.shift);
  ASSIGN_OR_RETURN(
      const Value y,
      c.Apply(Opcode::kRescale, {centred, operands[1], operands[2], c.Constant({x[1]}, shifts)},
              RescaleAttrs{.axis = 1, .zero_out = attrs.zero_out, .lo = attrs.lo, .hi = attrs.hi}));
  return std::vector<Value>{y};
}

}  // namespace tally
