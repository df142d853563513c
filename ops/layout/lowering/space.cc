// Lowerings that move elements between channels and space, or among channels: reshape, transpose, reshape.
#include "ops/common/compose.h"
#include "ops/layout/lowering/attrs.h"
#include "ops/lowerings.h"

namespace tally {
namespace {

absl::StatusOr<Value> Rearrange(Composition& c, Value x, const Dims& apart, const Dims& axes,
                                const Dims& together) {
  ASSIGN_OR_RETURN(const Value split, Reshape(c, x, apart));
  ASSIGN_OR_RETURN(const Value moved, Transpose(c, split, axes));
  return Reshape(c, moved, together);
}

// x is [N, C, D1, .., DK].
absl::StatusOr<int> SpaceAxes(const Shape& x) {
  if (x.rank() < 3 || 2 * x.rank() - 2 > kMaxRank)
    return Meaningless(absl::StrCat("no space in ", x.ToString()));
  return x.rank() - 2;
}

absl::StatusOr<Value> SpaceToDepth(Composition& c, Value value, const BlockAttrs& attrs) {
  const Shape x = c.shape(value);
  ASSIGN_OR_RETURN(const int space, SpaceAxes(x));
  // [N, C, D1/b, b, .., DK/b, b]: the outer part of space axis k is axis 2 + 2k, the inner one 3 + 2k.
  Dims apart = {x[0], x[1]}, outer, inner, together = {x[0], x[1]};
  for (int k = 0; k < space; ++k) {
    const int64_t dim = x[2 + k];
    if (dim % attrs.block != 0)
      return Meaningless(absl::StrCat("blocks of ", attrs.block, " in ", x.ToString()));
    apart.insert(apart.end(), {dim / attrs.block, attrs.block});
    outer.push_back(2 + 2 * k);
    inner.push_back(3 + 2 * k);
    together[1] *= attrs.block;  // a factor of the elements
    together.push_back(dim / attrs.block);
  }
  Dims axes = {0};
  if (attrs.mode == BlockMode::kDepthFirst) axes.push_back(1);
  axes.insert(axes.end(), inner.begin(), inner.end());
  if (attrs.mode == BlockMode::kBlocksFirst) axes.push_back(1);
  axes.insert(axes.end(), outer.begin(), outer.end());
  return Rearrange(c, value, apart, axes, together);
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerSpaceToDepth(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  return One(SpaceToDepth(c, operands[0], Unpack<BlockAttrs>(attributes)));
}

absl::StatusOr<std::vector<Value>> LowerDepthToSpace(Composition& c, std::span<const Value> operands,
                                                     const Attributes& attributes) {
  const auto attrs = Unpack<BlockAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const int space, SpaceAxes(x));
  int64_t channels = x[1];
  for (int k = 0; k < space; ++k) {
    if (channels % attrs.block != 0)
      return Meaningless(absl::StrCat("blocks of ", attrs.block, " in ", x.ToString()));
    channels /= attrs.block;
  }
  // The channels apart, then space as it is.
  const bool blocks_first = attrs.mode == BlockMode::kBlocksFirst;
  const int depth_axis = blocks_first ? 1 + space : 1, first_block = blocks_first ? 1 : 2;
  Dims apart(2 + space, attrs.block), axes = {0, depth_axis}, together = {x[0], channels};
  apart[0] = x[0];
  apart[depth_axis] = channels;
  for (int k = 0; k < space; ++k) {
    apart.push_back(x[2 + k]);
    axes.insert(axes.end(), {2 + space + k, first_block + k});
    together.push_back(x[2 + k] * attrs.block);
  }
  return One(Rearrange(c, operands[0], apart, axes, together));
}

absl::StatusOr<std::vector<Value>> LowerReorg(Composition& c, std::span<const Value> operands,
                                              const Attributes& attributes) {
  const auto attrs = Unpack<BlockAttrs>(attributes);
  const Shape x = c.shape(operands[0]);
  RETURN_IF_ERROR(SpaceAxes(x).status());
  Dims length = DimsOf(x);
  for (int axis = 2; axis < x.rank(); ++axis) length[axis] -= length[axis] % attrs.block;
  for (const int64_t dim : length) {
    if (dim == 0) return Meaningless(absl::StrCat("no block of ", attrs.block, " in ", x.ToString()));
  }
  Value whole = operands[0];
  if (length != DimsOf(x)) {
    ASSIGN_OR_RETURN(whole, Crop(c, whole, Dims(x.rank(), 0), length));
  }
  return One(SpaceToDepth(c, whole, attrs));
}

absl::StatusOr<std::vector<Value>> LowerReorgYolo(Composition& c, std::span<const Value> operands,
                                                  const Attributes& attributes) {
  const int64_t s = Unpack<ReorgYoloAttrs>(attributes).stride;
  const Shape& x = c.shape(operands[0]);
  if (x.rank() != 4 || x[1] % s != 0 || x[1] / s % s != 0 || x[2] % s != 0 || x[3] % s != 0) {
    return Meaningless(absl::StrCat("stride ", s, " in ", x.ToString()));
  }
  return One(Rearrange(c, operands[0], {x[0], x[1] / s / s, x[2], s, x[3], s}, {0, 3, 5, 1, 2, 4},
                       {x[0], x[1] * s * s, x[2] / s, x[3] / s}));
}

absl::StatusOr<std::vector<Value>> LowerShuffleChannels(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const auto attrs = Unpack<ShuffleChannelsAttrs>(attributes);
  const Shape& x = c.shape(operands[0]);
  ASSIGN_OR_RETURN(const int axis, AxisOf(attrs.axis, x.rank()));
  if (x[axis] % attrs.group != 0) return Meaningless(absl::StrCat(attrs.group, " groups of ", x[axis]));
  const int64_t inner = x.stride(axis), outer = x.num_elements() / (x[axis] * inner);
  return One(
      Rearrange(c, operands[0], {outer, attrs.group, x[axis] / attrs.group, inner}, {0, 2, 1, 3}, DimsOf(x)));
}

}  // namespace tally
