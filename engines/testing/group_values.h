// The values of a fusion group, computed from its bias, scales, residual and table, not from the instructions
// that fuse has taken these from: so a field that is wrong or lost shows.
#pragma once

#include <vector>

#include "base/tensor.h"
#include "engines/compile/function_view.h"
#include "engines/compile/fusion_groups.h"

namespace tally {

// `operands`: of its GEMM, and then the residual where it has one. Returns the result of its max_pool if it
// has one, else that of its last instruction.
Tensor ComputeGroup(const FunctionView& function, const FusionGroup& group, std::vector<Tensor> operands);

}  // namespace tally
