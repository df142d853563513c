// Launches of SampleChannels from what a plan knows of a call.
#pragma once

#include <algorithm>

#include "ops/common/folded.h"
#include "ops/common/quotient_by.h"
#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/sampled_channels_device.h"
#include "ops/kernel.h"

namespace tally::cuda {

// `groups`: of the channels of the result. `divisor` and `fraction`: what most positions end with.
inline SampledShape SampledShapeOf(const KernelFacts& facts, int64_t groups, int64_t channel_step,
                                   int64_t divisor, int64_t fraction) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const auto x_strides = StridesOf(x, facts.layout), y_strides = StridesOf(y, facts.layout);
  const int64_t channels = y[1] / groups;
  SampledShape shape = {.images = x[0],
                        .rows = x[2],
                        .columns = x[3],
                        .dims = {y[0], y[2], y[3]},
                        .groups = groups,
                        .channels = channels,
                        .threads = (channels + kChannelsOfThread - 1) / kChannelsOfThread,
                        .channel_step = channel_step,
                        .x_strides = {},
                        .y_strides = {},
                        .channels_last = facts.layout == Layout::kChannelsLast,
                        .x = facts.storages[0],
                        .y = facts.results[0].storage(),
                        .divisor = divisor,
                        .quotient = QuotientBy(divisor, fraction)};
  std::copy_n(x_strides.begin(), 4, shape.x_strides);
  std::copy_n(y_strides.begin(), 4, shape.y_strides);
  return shape;
}

template <typename Fn>
Work SampleWork(KernelId kernel, const KernelFacts& facts, const SampledShape& shape, const Fn& fn) {
  std::vector<Ref> memory = {ResultAt(0)};
  for (size_t i = 0; i < facts.operands.size(); ++i) memory.push_back(OperandAt(static_cast<int>(i)));
  Work work;
  work.Add(kernel, GridOver(shape.positions() * shape.groups * shape.threads), SampleParams<Fn>{shape, fn},
           memory);
  return work;
}

}  // namespace tally::cuda
