#include "fuzz/generators/call_generators.h"

namespace tally {

CallGenerator FindCallGenerator(Opcode op) {
  for (const auto find : {FindAttentionCallGenerator, FindComparisonCallGenerator, FindControlCallGenerator,
                          FindElementwiseCallGenerator, FindImageCallGenerator, FindLayoutCallGenerator,
                          FindLinearCallGenerator, FindLookupCallGenerator, FindNormalizationCallGenerator,
                          FindPoolingCallGenerator, FindRandomCallGenerator, FindRecurrentCallGenerator,
                          FindReductionCallGenerator, FindRescaleCallGenerator, FindSamplingCallGenerator,
                          FindSortCallGenerator}) {
    if (const CallGenerator generate = find(op)) return generate;
  }
  return nullptr;
}

}  // namespace tally
