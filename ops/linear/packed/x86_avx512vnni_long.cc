// Long sums on AVX-512 with VNNI: 4 rows by 32 columns.
#include <immintrin.h>

#define TALLY_LONG_AVX512VNNI
#include "ops/linear/packed/kernels.h"
#include "ops/linear/packed/long_block.h"

namespace tally {

void LongSumsS16Avx512Vnni(const BlockCall& c) noexcept { RunLongSums<Element::kS16>(c); }
void LongSumsS32Avx512Vnni(const BlockCall& c) noexcept { RunLongSums<Element::kS32>(c); }

}  // namespace tally
