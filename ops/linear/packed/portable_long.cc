// Long sums for any machine.
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/long_block.h"

namespace tally {

void LongSumsS16Portable(const BlockCall& c) noexcept { RunLongSums<Element::kS16>(c); }
void LongSumsS32Portable(const BlockCall& c) noexcept { RunLongSums<Element::kS32>(c); }

}  // namespace tally
