#include "ops/reference.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

// table[clamp(index, 0, n - 1)]: a negative index reads the first entry, it does not count from the end.
template <typename Int>
Int Lookup(const Operand<Int>& table, const Int& index) {
  const Int first(int64_t{0}), last(table.size() - 1);
  return table[static_cast<int64_t>(index < first ? first : index > last ? last : index)];
}

}  // namespace

template <typename Int>
void ReferenceCvmLut(const ReferenceContext<Int>& c) {
  for (const int64_t i : c.elements()) c.results[0].Set(i, Lookup<Int>(c.operands[1], c.operands[0][i]));
}

TALLY_REFERENCE(CvmLut);

template <typename Int>
void ReferenceTable(const ReferenceContext<Int>& c) {
  const Int offset(c.template attrs<TableAttrs>().offset);
  for (const int64_t i : c.elements()) {
    c.results[0].Set(i, Lookup<Int>(c.operands[1], Int(c.operands[0][i] - offset)));
  }
}

TALLY_REFERENCE(Table);

}  // namespace tally
