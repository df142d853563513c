// The memory of a GEMM on a micro-kernel, from its shape alone: nothing of the plan is made, so that shapes
// for which it would be out of proportion cost nothing.
#pragma once

#include "base/int_math.h"
#include "ops/cpu/gemm/depthwise.h"
#include "ops/cpu/gemm/gemm_plan.h"

namespace tally {

// Bytes, at most. Saturating.
struct GemmCost {
  Int128 packed_x = 0;  // x as the kernel reads it, of the whole batch
  Int128 weights = 0;   // packed, of all groups
  Int128 rows = 0;      // GemmPlan
  Int128 scratch = 0;   // per thread
};

// As PlanConvolution and PackWeights have it, in whichever layout x is.
GemmCost CostOfConvolution(const ConvolutionShape& shape, const MicroKernel& kernel);

// The cost of `matrices` products of [rows, depth] and [depth, columns].
GemmCost CostOfProducts(int64_t matrices, int64_t rows, int64_t depth, int64_t columns,
                        const MicroKernel& kernel);

GemmCost CostOfDepthwise(const ConvolutionShape& shape, const DepthwiseKernel& kernel);

}  // namespace tally
