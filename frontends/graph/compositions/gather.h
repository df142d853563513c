// Elements that indices choose, and elements that they replace; where the indices are constants, now.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "frontends/graph/emitter.h"

namespace tally::frontend {

// An index means what quant::Gather says, but a constant one outside of its axis is refused. Errors, for all
// of these: model_malformed for a constant index outside, model_shape, those of the graph.
absl::StatusOr<Operand> GatherSlices(Emitter& emitter, const Operand& x, const Operand& indices,
                                     int64_t axis);
absl::StatusOr<Operand> GatherFromLines(Emitter& emitter, const Operand& x, const Operand& indices,
                                        int64_t axis);
absl::StatusOr<Operand> GatherTuples(Emitter& emitter, const Operand& x, const Operand& indices,
                                     int64_t batch_dims);
// x with the slices that tuples of constant indices name replaced by those of `updates`, the last of several.
absl::StatusOr<Operand> ReplaceTuples(Emitter& emitter, const Operand& x, const quant::Int64Tensor& indices,
                                      const Operand& updates);

// x updated at `indices` as `how` says. Where one element has several updates and they replace, the last
// wins. Errors: also model_unsupported_attribute for products of floats.
absl::StatusOr<Operand> Scattered(Emitter& emitter, const Operand& x, const Operand& indices,
                                  const Operand& updates, const quant::Scatter& how);

// Where x is not 0: the first `bound` places in row-major order, [bound, rank], and how many are meant; of a
// constant as many as there are, and no count.
struct Found {
  Operand places;
  std::optional<Operand> count;
};
absl::StatusOr<Found> NonZeroPlaces(Emitter& emitter, const Operand& x, int64_t bound);

}  // namespace tally::frontend
