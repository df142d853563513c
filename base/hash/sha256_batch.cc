#include "base/hash/sha256_batch.h"

#include <cstring>

#include "base/hash/sha256.h"

namespace tally {
namespace {

// A batch of one.
template <Sha256Compress kCompress>
void HashAlone(uint8_t prefix, const Sha256Message* messages, size_t, uint8_t* digests) {
  Sha256 hash(kCompress);
  hash.Update({&prefix, 1});
  hash.Update({messages->data, messages->size});
  const Digest digest = hash.Finish();
  std::memcpy(digests, digest.data(), digest.size());
}

// By bytes per cycle, about 1, 1/2, 2/5, 1/6 and 1/13 (//base/hash:sha256_benchmark).
constexpr Sha256Batch kBatches[] = {
#if defined(__x86_64__)
    {"avx512_lanes", CpuFlags().With(CpuFlag::kAvx512), 16, Sha256HashAvx512},
    {"sha_ni", CpuFlags().With(CpuFlag::kShaNi).With(CpuFlag::kSse41), 1, HashAlone<Sha256CompressShaNi>},
    {"avx2_lanes", CpuFlags().With(CpuFlag::kAvx2), 8, Sha256HashAvx2},
    {"sse2_lanes", CpuFlags(), 4, Sha256HashSse2},
#endif
    {"portable", CpuFlags(), 1, HashAlone<Sha256CompressPortable>},
};

}  // namespace

std::span<const Sha256Batch> Sha256Batches() { return kBatches; }

const Sha256Batch& ChooseSha256Batch(CpuFlags cpu) {
  for (const Sha256Batch& batch : kBatches) {
    if (cpu.HasAll(batch.required)) return batch;
  }
  return std::span(kBatches).back();
}

const Sha256Batch& BestSha256Batch() {
  static const Sha256Batch& best = ChooseSha256Batch(DetectCpuFlags());
  return best;
}

}  // namespace tally
