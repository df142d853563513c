#include "ops/op_rules.h"

#include "ops/all_attrs.h"
#include "ops/all_rules.h"

namespace tally {

// A row without its function is a link error that names it.
#define TALLY_OP(code, Name, ...) absl::Status Infer##Name(const InferContext&, Inferred*);
#include "ops/all_ops.inc"
#undef TALLY_OP

const OpRules& RulesOf(Opcode code) {
  switch (code) {
#define TALLY_OP(code, Name, text, profile, min_in, max_in, out, Attrs, gas, precision, reads, ...) \
  case Opcode::k##Name: {                                                                           \
    static constexpr OpRules kRules = {Infer##Name, gas, precision, reads};                         \
    return kRules;                                                                                  \
  }
#include "ops/all_ops.inc"
#undef TALLY_OP
  }
  __builtin_unreachable();  // every enumerator has a row
}

bool ReadsMany(Opcode code, size_t operands) {
  const ReadSet reads = RulesOf(code).reads;
  for (size_t i = 0; i < operands; ++i) {
    if (ReadsOf(reads, i).reach == Reach::kMany) return true;
  }
  return false;
}

}  // namespace tally
