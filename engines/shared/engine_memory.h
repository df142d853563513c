// The memory that an engine may allocate, as docs/spec/limits.md bounds it.
//
//   assert(plan->memory_bytes() <= EngineMemoryBounds(*module, threads)[0]);
//
// Validation publishes what a module needs; engines with layouts of their own need more, but in proportion.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/valid_module.h"

namespace tally {

// Bounds the working memory of a run: a multiple of what is published, plus a number of bytes for each
// thread.
inline constexpr int64_t kEngineMemoryFactor = 16;
inline constexpr int64_t kEngineMemoryPerThread = int64_t{2} << 20;
// Bounds what a plan keeps from run to run: a multiple of what is published, plus a number of bytes.
inline constexpr int64_t kPlanMemoryBase = int64_t{16} << 20;

// The arena, all constants, parameters and results, and the parameters of the functions that run inside,
// which an engine copies: the most of any function. It saturates at the largest int64_t, as all bounds do.
int64_t PublishedMemory(const ValidModule& module);

// By function, 0 being the module: the most that a run with that many threads may need.
std::vector<int64_t> EngineMemoryBounds(const ValidModule& module, int threads);

// The most bytes that a plan may keep.
int64_t PlanMemoryBound(const ValidModule& module);

}  // namespace tally
