// Long sums on AVX2: 2 rows by 16 columns. vpmaddwd wraps for the pair that passes 2^31, as long_sums.h needs it.
#include <immintrin.h>

#define TALLY_LONG_AVX2
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/long_block.h"

namespace tally {

void LongSumsS16Avx2(const BlockCall& c) noexcept { RunLongSums<Element::kS16>(c); }
void LongSumsS32Avx2(const BlockCall& c) noexcept { RunLongSums<Element::kS32>(c); }

}  // namespace tally
