// Steps of depthwise convolutions.
#pragma once

#include <memory>

#include "engines/cpu/gemm/gemm_step.h"
#include "ops/cpu/gemm/depthwise.h"

namespace tally::cpu {

struct DepthwiseSpec {
  const DepthwiseKernel* kernel = nullptr;
  DepthwiseShape shape;
  AlignedVector<uint8_t> weights;
  AlignedVector<int32_t> init;  // by slot, as the groups of the epilogue
  EpilogueSpec epilogue;
  BufferId x = -1;  // channels last, elements of the kernel
  int64_t zero = 0;
  ValueRef y;         // channels last
  ValueRef residual;  // buffer -1: none
  BufferId scratch = -1;
  int64_t scratch_bytes = 0;  // per thread
};
// The elements of x, channels last, that the windows of `shape` read, as elements of the kernel: the image of
// `packed` (WithoutUnread).
struct PackReadSpec {
  ValueRef x;
  int64_t base = 0;
  Element element = Element::kS16;
  int64_t zero = 0;  // outside of x
  DepthwiseShape shape, packed;
  BufferId packed_x = -1;
};
std::unique_ptr<Step> MakePackReadStep(PackReadSpec spec, int parts);

std::unique_ptr<Step> MakeDepthwiseStep(DepthwiseSpec spec, int parts);

}  // namespace tally::cpu
