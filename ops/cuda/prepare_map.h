// Launches of Map from what a plan knows of a call.
#pragma once

#include <cassert>
#include <optional>

#include "ops/common/folded.h"
#include "ops/cuda/launch.h"
#include "ops/cuda/map.h"
#include "ops/kernel.h"

namespace tally::cuda {

template <int kTensors>
Loops<kTensors> LoopsOf(const Folded& f) {
  static_assert(kTensors <= Folded::kMaxTensors);
  assert(f.rank <= kMaxLoops && f.tensors >= kTensors);
  Loops<kTensors> loops = {.count = f.outer() * f.inner(), .rank = f.rank};
  for (int axis = 0; axis < f.rank; ++axis) {
    loops.dims[axis] = f.dims[axis];
    for (int t = 0; t < kTensors; ++t) loops.strides[t][axis] = f.strides[t][axis];
  }
  return loops;
}

// `f`: over the result in the order of its memory, with the operands of the call as its tensors.
template <int kOperands>
MapShape<kOperands> MapShapeOf(const KernelFacts& facts, Folded f) {
  f.Fold();
  MapShape<kOperands> shape = {.loops = LoopsOf<kOperands>(f), .result_storage = facts.results[0].storage()};
  for (int k = 0; k < kOperands; ++k) shape.storages[k] = facts.storages[k];
  return shape;
}

// The operands broadcast to the result, all of them in the layout of the call.
template <int kOperands>
MapShape<kOperands> BroadcastShapeOf(const KernelFacts& facts) {
  Folded f(facts.results[0].shape, facts.layout);
  for (int k = 0; k < kOperands; ++k) f.AddBroadcast(facts.operands[k].shape, facts.layout);
  return MapShapeOf<kOperands>(facts, f);
}

template <typename Fn>
Work MapWork(KernelId kernel, const MapShape<Fn::kOperands>& shape, const Fn& fn) {
  Work work;
  work.Add(kernel, GridOver(shape.loops.count), MapParams<Fn>{shape, fn}, {});
  for (int k = 0; k < Fn::kOperands; ++k) work.launches[0].memory.push_back(OperandAt(k));
  work.launches[0].memory.push_back(ResultAt(0));
  return work;
}

// A row's `prepare` for a function without state.
template <KernelId kKernel, typename Fn>
std::optional<Work> PrepareMap(const KernelFacts& facts) {
  return MapWork(kKernel, BroadcastShapeOf<Fn::kOperands>(facts), Fn{});
}

}  // namespace tally::cuda
