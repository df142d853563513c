#include "ops/detection/lowering/compose.h"
#include "ops/normalization/attrs.h"

namespace tally {
namespace {

using detection::Concat;
using detection::Require;
using detection::Slice;

}  // namespace

// The channels of a region: x, y, the other coordinates, objectness, classes.
absl::StatusOr<std::vector<Value>> LowerRegionYolo(Composition& c, std::span<const Value> operands,
                                                   const Attributes& attributes) {
  const auto attrs = Unpack<RegionYoloAttrs>(attributes);
  const Shape x = c.shape(operands[0]);
  const int64_t channels = attrs.coords + 1 + attrs.classes;
  const bool sized = attrs.coords > 2, softmax = !attrs.softmax_bits.empty();
  RETURN_IF_ERROR(Require(x.rank() == 4 && x[1] == attrs.regions * channels,
                          "data is [N, regions * (coords + 1 + classes), H, W]"));
  RETURN_IF_ERROR(Require(operands.size() == 2u + (sized ? 1 : 0) + (softmax ? 1 : 0),
                          "a table of sigmoid, one for coordinates behind x and y, one of exp for softmax"));
  ASSIGN_OR_RETURN(const Value regions, Reshape(c, operands[0], {x[0], attrs.regions, channels, x[2], x[3]}));
  const auto mapped = [&](int64_t begin, int64_t end, Value table) -> absl::StatusOr<Value> {
    ASSIGN_OR_RETURN(const Value part, Slice(c, regions, 2, begin, end));
    return c.Apply(Opcode::kTable, {part, table}, TableAttrs{.offset = attrs.table_offset});
  };
  ASSIGN_OR_RETURN(const Value center, mapped(0, 2, operands[1]));
  std::vector<Value> parts = {center};
  if (sized) {
    ASSIGN_OR_RETURN(const Value size, mapped(2, attrs.coords, operands[2]));
    parts.push_back(size);
  }
  ASSIGN_OR_RETURN(const Value rest,
                   mapped(attrs.coords, softmax ? attrs.coords + 1 : channels, operands[1]));
  parts.push_back(rest);
  if (softmax) {
    const int64_t bits = attrs.softmax_bits[0];
    ASSIGN_OR_RETURN(const Value scores, Slice(c, regions, 2, attrs.coords + 1, channels));
    ASSIGN_OR_RETURN(const Value classes,
                     c.Apply(Opcode::kSoftmax, {scores, operands.back()},
                             SoftmaxAttrs{.axis = 2, .bits = bits, .lo = 0, .hi = int64_t{1} << bits}));
    parts.push_back(classes);
  }
  ASSIGN_OR_RETURN(Value y, Concat(c, std::move(parts), 2));
  if (softmax) {
    ASSIGN_OR_RETURN(y, c.Apply(Opcode::kFlatten, {y}));
  } else {
    ASSIGN_OR_RETURN(y, Reshape(c, y, {x[0], x[1], x[2], x[3]}));
  }
  return std::vector<Value>{y};
}

}  // namespace tally
