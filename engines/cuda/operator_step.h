// A step that runs one operator: launches of kernels, or its reference on the host.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/compile/operator_call.h"
#include "engines/cuda/program.h"
#include "vm/valid_module.h"

namespace tally::cuda {

// Buffers as launches number them.
std::unique_ptr<Step> MakeLaunchStep(std::string_view name, std::vector<Launch> launches,
                                     std::vector<BufferId> operands, std::vector<BufferId> results,
                                     std::vector<BufferId> constants, std::vector<BufferId> scratch);

// Copies operands to the host and results from there. `constants`: by operand, its bytes on the host or null.
// Functions that the operator names run as `programs` on the device, in the working memory `scratch` or -1;
// besides it has `scratch_bytes` at most on the host.
std::unique_ptr<Step> MakeReferenceStep(OperatorCall call, std::vector<const uint8_t*> constants,
                                        const ValidModule& module, const std::vector<Program>* programs,
                                        BufferId scratch, int64_t scratch_bytes);

}  // namespace tally::cuda
