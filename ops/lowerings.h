// The lowerings: named compositions of operators that every producer shares (docs/spec/opcodes.md lists
// them).
//
//   ASSIGN_OR_RETURN(const std::vector<Value> y,
//                    Lower(c, "space_to_depth", {x}, Pack(SpaceToDepthAttrs{.block = 2})));
//
// A name exists once: as an operator, or as a lowering, or as both. Where it is both, the operator is an
// instance or a composition of others: its reference defines it, engines run its lowering and have no kernel
// for it, and the tests prove the two equal.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/composition.h"

namespace tally {

using LoweringFn = absl::StatusOr<std::vector<Value>> (*)(Composition&, std::span<const Value>,
                                                          const Attributes&);

// The return value of a lowering with one result.
inline absl::StatusOr<std::vector<Value>> One(const absl::StatusOr<Value>& value) {
  if (!value.ok()) return value.status();
  return std::vector<Value>{*value};
}

struct LoweringInfo {
  std::string_view name;
  std::string_view family;
  int min_operands;
  int max_operands;
  std::span<const AttrSpec> attributes;
  std::string_view summary;
  LoweringFn lower;
};

// All rows of ops/*/lowering/lowerings.inc, family by family.
std::span<const LoweringInfo> AllLowerings();

// Null when there is no such row.
const LoweringInfo* FindLowering(std::string_view name);

// Writes the lowering `name` of `operands`. Errors: lowering_unknown; operand_count and those of
// CheckAttributes; lowering_operands, when the operands or attributes have no meaning; whatever refuses
// one of its instructions.
absl::StatusOr<std::vector<Value>> Lower(Composition& c, std::string_view name,
                                         std::span<const Value> operands, const Attributes& attributes);

// The one result of a lowering that has one.
template <typename Attrs = NoAttrs>
absl::StatusOr<Value> LowerOne(Composition& c, std::string_view name, std::span<const Value> operands,
                               const Attrs& attrs = {}) {
  const auto results = Lower(c, name, operands, Pack(attrs));
  if (!results.ok()) return results.status();
  return results->front();
}

}  // namespace tally
