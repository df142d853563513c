// The best class of each of many: a launch of arg_extreme.
#pragma once

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/reduction_device.h"

namespace tally::cuda {

// In i32, the lowest of the greatest of `classes` elements of `x`, `stride` apart, for each of `loops`.
inline Ref AddBestClasses(Work& work, const Loops<1>& loops, int64_t classes, int64_t stride, Ref x,
                          Storage storage) {
  const Ref best = work.AddScratch(loops.count * SizeBytes(Storage::kI32));
  const Loops<1> of_classes = {.count = classes, .rank = 1, .dims = {classes}, .strides = {{stride}}};
  const ArgExtremeParams params = {.groups = {.outer = loops,
                                              .inner = of_classes,
                                              .by_warp = stride == 1 && classes >= kWarp,
                                              .x = storage,
                                              .y = Storage::kI32},
                                   .greatest = true,
                                   .highest = false};
  work.Add(KernelId::kArgExtreme, GridOver(loops.count * params.groups.lanes()), params, {x, best});
  return best;
}

}  // namespace tally::cuda
