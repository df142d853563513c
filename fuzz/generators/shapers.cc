#include "fuzz/generators/shapers.h"

namespace tally {

Shaper FindShaper(Opcode op) {
  for (const auto find : {FindAttentionShaper, FindComparisonShaper, FindControlShaper, FindElementwiseShaper,
                          FindImageShaper, FindLayoutShaper, FindLinearShaper, FindLookupShaper,
                          FindNormalizationShaper, FindPoolingShaper, FindRandomShaper, FindRecurrentShaper,
                          FindReductionShaper, FindRescaleShaper, FindSamplingShaper, FindSortShaper}) {
    if (const Shaper shaper = find(op)) return shaper;
  }
  return nullptr;
}

}  // namespace tally
