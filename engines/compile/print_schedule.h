// A schedule as text, for people: what `tally plan` prints after each pass.
//
//   function 0: 3 operations, 3 steps, arena of 4224 bytes
//     0 convert                    %0 [1,3,8,8] row-major, b0 -> %0 channels-last, b4
//         transpose_i8_avx512, 1 part: reads b0, writes b4 (reads_input)
//     1 convolution+rescale+clip   %0 channels-last, b4; %1 b1 -> %7 channels-last, b5
//         gemm_..., 2 parts: reads b4, writes b5 (rescale, clip)
//   buffers
//     b4 192 bytes at 0
//     b5 512 bytes, in b6 at 64
#pragma once

#include <string>

#include "engines/compile/function_view.h"
#include "engines/compile/schedule.h"

namespace tally {

// The name of an operation: the operators of its instructions, or what it does to a value.
std::string NameOf(const FunctionView& function, const Schedule& schedule, const ScheduledOp& op);

std::string PrintSchedule(const FunctionView& function, const Schedule& schedule);

}  // namespace tally
