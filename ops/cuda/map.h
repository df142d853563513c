// The kernel of every operator that computes each element from the elements that meet there.
//
//   struct ClipFn {
//     static constexpr int kOperands = 1;
//     int64_t lo, hi;
//     TALLY_DEVICE int64_t operator()(const int64_t (&x)[1]) const { return x[0] < lo ? lo : x[0] > hi ? hi : x[0]; }
//   };
//   TALLY_CUDA_KERNEL(Clip, Map<ClipFn>)  // in device_kernels.inc
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

template <int kOperands>
struct MapShape {
  Loops<kOperands> loops;  // over the result, in the order of its memory
  Storage storages[kOperands];
  Storage result_storage;
};

template <typename Fn>
struct MapParams {
  MapShape<Fn::kOperands> shape;
  Fn fn;
};

// Memory: the operands, the result. One thread for each element.
template <typename Fn>
TALLY_DEVICE void Map(const Thread& t, const Memory& m, const MapParams<Fn>& p) {
  const int64_t i = t.global_index();
  if (i >= p.shape.loops.count) return;
  int64_t offsets[Fn::kOperands], x[Fn::kOperands];
  p.shape.loops.OffsetsOf(i, offsets);
  for (int k = 0; k < Fn::kOperands; ++k) x[k] = Load(p.shape.storages[k], m.at[k], offsets[k]);
  Store(p.shape.result_storage, m.at[Fn::kOperands], i, p.fn(x));
}

}  // namespace tally::cuda
