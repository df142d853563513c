// Parts, orders and shapes of values, as files ask for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// The whole of a shape; parts narrow it.
quant::Slice All(const quant::Shape& shape);
// Narrows axis `axis`, of `size` elements, to those from `begin` to `end`, counted from the back where
// negative and clamped to the axis; `step` is not 0. Returns how many elements that leaves.
int64_t Narrow(quant::Slice& slice, size_t axis, int64_t size, int64_t begin, int64_t end, int64_t step);
// The elements [begin, end) of an axis, which has them.
absl::StatusOr<Operand> Part(Emitter& emitter, const Operand& x, size_t axis, int64_t begin, int64_t end,
                             std::string_view step);

// The shape that a file asks for: 0 copies the dimension of x, unless `allow_zero`, and one -1 is what is
// left. Errors: model_malformed, model_shape.
absl::StatusOr<quant::Shape> ResolveShape(const std::vector<int64_t>& wanted, const quant::Shape& x,
                                          bool allow_zero);
// Without the `axes`, which are 1; without all axes of 1 where none are given. Errors: model_malformed,
// model_shape.
absl::StatusOr<quant::Shape> Squeezed(const quant::Shape& x, const std::optional<std::vector<int64_t>>& axes);
// With axes of 1 at `axes` of the result. Errors: model_malformed.
absl::StatusOr<quant::Shape> Unsqueezed(const quant::Shape& x, const std::vector<int64_t>& axes);
// [d0, ..., dn] -> [d0 ... d(axis-1), daxis ... dn].
quant::Shape Flattened(const quant::Shape& x, int64_t axis);

// x repeated along each axis. The shorter of its shape and `repeats` has ones in front. Errors:
// model_malformed for more numbers than a value has axes.
absl::StatusOr<Operand> Tiled(Emitter& emitter, const Operand& x, std::vector<int64_t> repeats);

// [N, .., C] -> [N, C, ..], and back; a matrix is both. The pass cancel_transposes takes out what two layers
// need of these between them.
absl::StatusOr<Operand> ChannelsFirst(Emitter& emitter, const Operand& x,
                                      std::string_view step = "channels_first");
absl::StatusOr<Operand> ChannelsLast(Emitter& emitter, const Operand& x,
                                     std::string_view step = "channels_last");

// Axis `axis`, of `groups` times c elements, as c times `groups`. Errors: model_malformed where the groups do
// not divide it.
absl::StatusOr<Operand> Shuffled(Emitter& emitter, const Operand& x, size_t axis, int64_t groups);

// [N, C b b, H, W] -> [N, C, H b, W b]: the place within a block is the first part of the channel where
// `block_first`, else the last. Errors: model_malformed for a size below 1, model_shape.
absl::StatusOr<Operand> DepthToSpace(Emitter& emitter, const Operand& x, int64_t size, bool block_first);
// [N, C, H b, W b] -> [N, C b b, H, W], and the same of the place within a block. The same errors.
absl::StatusOr<Operand> SpaceToDepth(Emitter& emitter, const Operand& x, int64_t size, bool block_first);

}  // namespace tally::frontend
