#include "ops/detection/lowering/compose.h"

namespace tally {
namespace {

using detection::Concat;
using detection::Lincomb;
using detection::Slice;

// The halves (a, b) of the last axis become (m0 a + m1 b, m2 a + m3 b), halved when asked for.
absl::StatusOr<std::vector<Value>> Mix(Composition& c, Value x, const Attributes& attributes,
                                       const std::vector<int64_t>& m) {
  const int axis = c.shape(x).rank() - 1;
  RETURN_IF_ERROR(
      detection::Require(axis >= 0 && c.shape(x)[axis] == 4, "boxes have four elements on the last axis"));
  const int64_t shift = Unpack<BoxFormAttrs>(attributes).halve ? 1 : 0;
  ASSIGN_OR_RETURN(const Value a, Slice(c, x, axis, 0, 2));
  ASSIGN_OR_RETURN(const Value b, Slice(c, x, axis, 2, 4));
  ASSIGN_OR_RETURN(const Value first, Lincomb(c, {a, b}, {m[0], m[1]}, 0, shift));
  ASSIGN_OR_RETURN(const Value second, Lincomb(c, {a, b}, {m[2], m[3]}, 0, shift));
  ASSIGN_OR_RETURN(const Value y, Concat(c, {first, second}, axis));
  return std::vector<Value>{y};
}

}  // namespace

absl::StatusOr<std::vector<Value>> LowerCenterToCorners(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  return Mix(c, operands[0], attributes, {2, -1, 2, 1});
}

absl::StatusOr<std::vector<Value>> LowerCornersToCenter(Composition& c, std::span<const Value> operands,
                                                        const Attributes& attributes) {
  return Mix(c, operands[0], attributes, {1, 1, -2, 2});
}

}  // namespace tally
