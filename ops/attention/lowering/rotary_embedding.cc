// Rotation of pairs of elements by angles that depend on their place.
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/attention/lowering/attrs.h"
#include "ops/common/compose.h"
#include "ops/labels.h"
#include "ops/lowerings.h"
#include "ops/rescale/attrs.h"

namespace tally {
namespace {

// Element `i` of an axis, which stays.
absl::StatusOr<Value> Element(Composition& c, Value x, int axis, int64_t i) {
  const auto dims = c.shape(x).dims();
  StridedSliceAttrs attrs = {.begin = std::vector<int64_t>(dims.size(), 0),
                             .end = {dims.begin(), dims.end()},
                             .stride = std::vector<int64_t>(dims.size(), 1)};
  attrs.begin[axis] = i;
  attrs.end[axis] = i + 1;
  return c.Apply(Opcode::kStridedSlice, {x}, attrs);
}

// round((a * p +- b * q) / 2^shift), one rounding
absl::StatusOr<Value> Rotated(Composition& c, Value a, Value p, Opcode sum, Value b, Value q,
                              const RotaryEmbeddingAttrs& attrs) {
  ASSIGN_OR_RETURN(const Value left, c.Apply(Opcode::kBroadcastMul, {a, p}));
  ASSIGN_OR_RETURN(const Value right, c.Apply(Opcode::kBroadcastMul, {b, q}));
  ASSIGN_OR_RETURN(const Value exact, c.Apply(sum, {left, right}));
  return c.Apply(Opcode::kRescale,
                 {exact, c.Constant({1}, {1}), c.Constant({1}, {0}), c.Constant({1}, {attrs.shift})},
                 RescaleAttrs{.lo = attrs.lo, .hi = attrs.hi});
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerRotaryEmbedding(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  const auto attrs = Unpack<RotaryEmbeddingAttrs>(attributes);
  const Shape x = c.shape(operands[0]), angles = c.shape(operands[1]);
  const int rank = x.rank();
  if (rank < 1 || rank == kMaxRank || x[rank - 1] % 2 != 0 || angles != c.shape(operands[2]) ||
      angles.rank() < 1 || angles.rank() > rank || angles[angles.rank() - 1] != x[rank - 1] / 2) {
    return MakeError(label::lowering_operands,
                     absl::StrCat("x ", x.ToString(), " with angles ", angles.ToString()));
  }
  // An axis of two beside the last one: the members of a pair.
  const int pair = attrs.interleaved ? rank : rank - 1;
  std::vector<int64_t> pairs(x.dims().begin(), x.dims().end());
  pairs.back() /= 2;
  pairs.insert(pairs.begin() + pair, 2);
  std::vector<int64_t> of_pair(angles.dims().begin(), angles.dims().end());
  of_pair.insert(attrs.interleaved ? of_pair.end() : of_pair.end() - 1, 1);

  ASSIGN_OR_RETURN(const Value paired, Reshape(c, operands[0], pairs));
  ASSIGN_OR_RETURN(const Value a, Element(c, paired, pair, 0));
  ASSIGN_OR_RETURN(const Value b, Element(c, paired, pair, 1));
  ASSIGN_OR_RETURN(const Value cosine, Reshape(c, operands[1], of_pair));
  ASSIGN_OR_RETURN(const Value sine, Reshape(c, operands[2], of_pair));
  ASSIGN_OR_RETURN(const Value first, Rotated(c, a, cosine, Opcode::kBroadcastSub, b, sine, attrs));
  ASSIGN_OR_RETURN(const Value second, Rotated(c, b, cosine, Opcode::kBroadcastAdd, a, sine, attrs));
  ASSIGN_OR_RETURN(const Value both,
                   c.Apply(Opcode::kConcatenate, {first, second}, ConcatenateAttrs{.axis = pair}));
  ASSIGN_OR_RETURN(const Value y, Reshape(c, both, {x.dims().begin(), x.dims().end()}));
  return std::vector<Value>{y};
}

}  // namespace tally
