#include "base/hash/sha256_compress.h"

namespace tally {
namespace {

constexpr Sha256Implementation kImplementations[] = {
#if defined(__x86_64__)
    {"sha_ni", CpuFlags().With(CpuFlag::kShaNi).With(CpuFlag::kSse41), Sha256CompressShaNi},
#endif
    {"portable", CpuFlags(), Sha256CompressPortable},
};

Sha256Compress Choose(CpuFlags cpu) {
  for (const Sha256Implementation& implementation : kImplementations) {
    if (cpu.HasAll(implementation.required)) return implementation.compress;
  }
  return Sha256CompressPortable;
}

}  // namespace

std::span<const Sha256Implementation> Sha256Implementations() { return kImplementations; }

Sha256Compress BestSha256Compress() {
  static const Sha256Compress best = Choose(DetectCpuFlags());
  return best;
}

}  // namespace tally
