// The parameters of a kernel: the type of its third argument.
#pragma once

#include "ops/cuda/thread.h"

namespace tally::cuda {

template <typename Function>
struct ParamsOfFunction;
template <typename Params>
struct ParamsOfFunction<void(const Thread&, const Memory&, const Params&)> {
  using Type = Params;
};
template <typename Function>
using ParamsOf = typename ParamsOfFunction<Function>::Type;

}  // namespace tally::cuda
