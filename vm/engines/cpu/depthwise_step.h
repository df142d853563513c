// Steps of depthwise convolutions.
#pragma once

#include <memory>

#include "ops/linear/packed/depthwise.h"
#include "vm/engines/cpu/sums_step.h"

namespace tally::cpu {

struct DepthwiseSpec {
  const DepthwiseKernel* kernel = nullptr;
  ConvolutionShape source;
  DepthwiseShape shape;
  PackedDepthwise packed;
  EpilogueSpec epilogue;
  ValueRef x;  // channels last
  int64_t base = 0;
  int64_t zero = 0;
  BufferId staged = -1;
  ValueRef y;         // channels last
  ValueRef residual;  // buffer -1: none
};

// Two steps, in order: x is staged, then computed with.
struct DepthwiseSteps {
  std::unique_ptr<Step> stage, compute;
};
DepthwiseSteps MakeDepthwiseSteps(DepthwiseSpec spec, int parts);

}  // namespace tally::cpu
