#include "ops/lowerings.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/all_attrs.h"
#include "ops/all_lowering_attrs.h"
#include "ops/labels.h"

namespace tally {

// A row without its function is a link error that names it.
#define TALLY_LOWERING(Name, ...)                                                                 \
  absl::StatusOr<std::vector<Value>> Lower##Name(Composition& c, std::span<const Value> operands, \
                                                 const Attributes& attributes);
#include "ops/all_lowerings.inc"
#undef TALLY_LOWERING

namespace {

constexpr std::array kLowerings = {
#define TALLY_LOWERING(Name, text, min_in, max_in, Attrs, summary) \
  LoweringInfo{text, TALLY_FAMILY, min_in, max_in, AttrSchema<Attrs>::kSpecs, summary, Lower##Name},
#include "ops/all_lowerings.inc"
#undef TALLY_LOWERING
};

consteval bool NamesAreUnique() {
  for (size_t i = 0; i < kLowerings.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (kLowerings[i].name == kLowerings[j].name) return false;
    }
  }
  return true;
}
static_assert(NamesAreUnique(), "lowering names are unique over all families");

}  // namespace

std::span<const LoweringInfo> AllLowerings() { return kLowerings; }

const LoweringInfo* FindLowering(std::string_view name) {
  const auto it = std::find_if(kLowerings.begin(), kLowerings.end(),
                               [&](const LoweringInfo& lowering) { return lowering.name == name; });
  return it != kLowerings.end() ? &*it : nullptr;
}

absl::StatusOr<std::vector<Value>> Lower(Composition& c, std::string_view name,
                                         std::span<const Value> operands, const Attributes& attributes) {
  const LoweringInfo* info = FindLowering(name);
  if (info == nullptr)
    return MakeError(label::lowering_unknown, absl::StrCat("no lowering '", ToAbsl(name), "'"));
  const int count = static_cast<int>(operands.size());
  if (count < info->min_operands || count > info->max_operands) {
    return MakeError(label::operand_count, absl::StrCat(ToAbsl(name), " has ", count, " operands"));
  }
  RETURN_IF_ERROR(CheckAttributes(info->attributes, attributes));
  return info->lower(c, operands, attributes);
}

}  // namespace tally
