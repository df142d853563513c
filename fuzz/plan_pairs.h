// The kernels and notes of plans of the cpu engine: kernels, each with what a step does besides
// (vm/step_notes.h), and views, on each level of instructions. A pair of these may be wrong where each by
// itself is right.
//
//   PlanPairs pairs;
//   CountPairs(DrawModule(bytes).module, pairs);
//   pairs["amx_int8 gemm_s8s8s32_32x32_amx bias"];  // steps so far
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/cpu_flags.h"
#include "vm/valid_module.h"

namespace tally {

// Steps by "LEVEL KERNEL NOTE", where "alone" is the note of a step that has none; and views by "LEVEL view
// OPERATOR".
using PlanPairs = std::map<std::string, int64_t>;

// Drawn modules, from number 0 on, that together have every pair of fuzz/plan_pairs.txt.
inline constexpr uint64_t kModulesOfPairs = 40000;

// All that a processor of this family may have.
CpuFlags FlagsOfFamily();

// Adds what plans of `module` are made of on every level of this family of processors, whether this one has
// it or not: plans are compiled, and nothing runs. So that small modules have what large ones have, images of
// any size are pooled as they are computed, and what is lowered is compiled as it is besides, as it is
// where lowering takes too much memory.
void CountPairs(const std::shared_ptr<const ValidModule>& module, PlanPairs& pairs);

// The pairs of drawn modules `first` .. `first` + `count` - 1.
PlanPairs PairsOfDrawnModules(uint64_t count, uint64_t first = 0);

}  // namespace tally
