// The memory that steps may need besides their values, and that a plan may keep besides the module.
//
// A kernel that would need more is not taken: another one, the reference, or fewer threads do the work. So
// hostile shapes cannot make a run need many times what validation has published
// (engines/shared/engine_memory.h).
#pragma once

#include <cstdint>

#include "base/int_math.h"
#include "engines/cpu/program/step_builder.h"

namespace tally::cpu {

// How many of `threads` may have `bytes` each in a step that reads and writes `value_bytes`: 0 where that is
// out of proportion even for one.
int PartsInProportion(Int128 value_bytes, Int128 bytes, int threads);

// The bytes of the values of `call`.
Int128 ValueBytes(const OperatorCall& call);

// Whether micro-kernels may compute instruction `step`, a GEMM that FindGemm finds. If so, what the plan will
// keep for it is taken from `kept_bytes`.
bool FitsGemm(const FunctionView& function, size_t step, CpuFlags flags, int64_t& kept_bytes);

}  // namespace tally::cpu
