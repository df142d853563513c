#include "ops/references.h"

namespace tally {

// A row without its reference is a link error that names it.
#define TALLY_OP(code, Name, ...) \
  template <typename Int>         \
  void Reference##Name(const ReferenceContext<Int>&);
#include "ops/all_ops.inc"
#undef TALLY_OP

template <typename Int>
ReferenceFn<Int> ReferenceOf(Opcode code) {
  switch (code) {
#define TALLY_OP(code, Name, ...) \
  case Opcode::k##Name:           \
    return Reference##Name<Int>;
#include "ops/all_ops.inc"
#undef TALLY_OP
  }
  __builtin_unreachable();  // every enumerator has a row
}

template ReferenceFn<int64_t> ReferenceOf<int64_t>(Opcode);
template ReferenceFn<TrappingInt> ReferenceOf<TrappingInt>(Opcode);
template ReferenceFn<FormalInt> ReferenceOf<FormalInt>(Opcode);

}  // namespace tally
