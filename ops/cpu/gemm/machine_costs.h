// The approximate cost of GEMM on kinds of processors: it decides how threads share a step and how its loops
// are blocked, and no result. `./dev bench costs` measures a row on the machine at hand and prints it beside
// the one in use.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/cpu_flags.h"

namespace tally {

struct MachineCosts {
  std::string_view level;  // for instructions, as CapCpuFlags
  CpuFlags flags;
  // A block: a pair of M-tiles by a panel. It loads and stores accumulators, requantizes them, and takes so
  // many steps along K.
  int64_t block_ns;
  int64_t step_ns;  // for each kStepBytes of K
  // Weights come from memory that all threads share; what another thread wrote, from its second-level cache.
  int64_t memory_bytes_per_ns;
  int64_t others_bytes_per_ns;
  // The share of a core's caches for panels or rows.
  int64_t first_level_bytes;
  int64_t second_level_bytes;

  static constexpr int64_t kStepBytes = 64;
};

// Best first; a kernel has the first row whose instructions it has. The first row was fitted on a Sapphire
// Rapids, the others on an Emerald Rapids without AMX (docs/results/cpu-engine.md); no arm64 has been
// measured, whose kernels have the last row.
inline constexpr std::array<MachineCosts, 6> kMachineCosts = {{
    {"amx_int8", CpuFlags().With(CpuFlag::kAmxInt8), 100, 32, 15, 8, 24 << 10, 1 << 20},
    {"avx512vnni", CpuFlags().With(CpuFlag::kAvx512Vnni), 100, 150, 15, 13, 24 << 10, 1 << 20},
    {"avxvnni", CpuFlags().With(CpuFlag::kAvxVnni), 110, 110, 15, 13, 24 << 10, 1 << 20},
    {"avx512", CpuFlags().With(CpuFlag::kAvx512), 110, 560, 15, 13, 24 << 10, 1 << 20},
    {"avx2", CpuFlags().With(CpuFlag::kAvx2), 120, 320, 15, 13, 24 << 10, 1 << 20},
    {"portable", CpuFlags(), 3000, 5300, 15, 13, 24 << 10, 1 << 20},
}};

constexpr const MachineCosts& CostsOf(CpuFlags kernel) {
  for (const MachineCosts& costs : kMachineCosts) {
    if (kernel.HasAll(costs.flags)) return costs;
  }
  return kMachineCosts.back();
}

}  // namespace tally
