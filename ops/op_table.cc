#include "ops/op_table.h"

#include <algorithm>
#include <array>

#include "ops/all_attrs.h"

namespace tally {
namespace {

constexpr std::array kOps = {
#define TALLY_OP(code, Name, text, profile, min_in, max_in, out, Attrs, gas, precision, reads, since, \
                 status, summary)                                                                     \
  OpInfo{Opcode::k##Name,           text,  TALLY_FAMILY,     Profile::profile, min_in, max_in, out,   \
         AttrSchema<Attrs>::kSpecs, since, OpStatus::status, summary},
#include "ops/all_ops.inc"
#undef TALLY_OP
};

consteval bool CodesAscend() {
  for (size_t i = 1; i < kOps.size(); ++i) {
    if (kOps[i - 1].code >= kOps[i].code) return false;
  }
  return true;
}
consteval bool NamesAreUnique() {
  for (size_t i = 0; i < kOps.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (kOps[i].name == kOps[j].name) return false;
    }
  }
  return true;
}
consteval bool NamesAFunction(const OpInfo& op) {
  for (const AttrSpec& spec : op.attributes) {
    if (spec.kind == AttrKind::kFunction) return true;
  }
  return false;
}
consteval bool ArityIsBounded() {
  for (const OpInfo& op : kOps) {
    if (op.min_operands > op.max_operands || op.max_operands > kMaxOperands) return false;
    if (op.results < 1 && !(op.results == kResultsOfFunction && NamesAFunction(op))) return false;
  }
  return true;
}
static_assert(CodesAscend(), "opcodes are unique and ascend within and across families");
static_assert(NamesAreUnique(), "operator names are unique over all families");
static_assert(ArityIsBounded(), "operand ranges are sane and every operator has results");

}  // namespace

std::span<const OpInfo> AllOps() { return kOps; }

const OpInfo* FindOp(uint64_t code) {
  const auto it = std::lower_bound(kOps.begin(), kOps.end(), code, [](const OpInfo& op, uint64_t c) {
    return static_cast<uint64_t>(op.code) < c;
  });
  return it != kOps.end() && static_cast<uint64_t>(it->code) == code ? &*it : nullptr;
}

const OpInfo* FindOp(std::string_view name) {
  const auto it = std::find_if(kOps.begin(), kOps.end(), [&](const OpInfo& op) { return op.name == name; });
  return it != kOps.end() ? &*it : nullptr;
}

const OpInfo& InfoOf(Opcode code) { return *FindOp(static_cast<uint64_t>(code)); }

}  // namespace tally
