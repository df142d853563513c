// Launches of Move.
#pragma once

#include <array>

#include "ops/cuda/move.h"
#include "ops/cuda/prepare_map.h"

namespace tally::cuda {

using StridesByAxis = std::array<int64_t, kMaxRank>;

inline StridesByAxis OnesByAxis() {
  StridesByAxis ones;
  ones.fill(1);
  return ones;
}

// `f`: tensor 0 is result 0, tensor 1 is `operand`; the elements of both at index 0 of every loop.
inline void AddMove(Work& work, const KernelFacts& facts, Folded f, int operand, int64_t first_of_x,
                    int64_t first_of_y) {
  f.Fold();
  const MoveParams params = {LoopsOf<2>(f), first_of_x, first_of_y, facts.storages[operand],
                             facts.results[0].storage()};
  work.Add(KernelId::kMove, GridOver(params.loops.count), params, {OperandAt(operand), ResultAt(0)});
}

// Element d of operand 0, of dims[axis] along the axes of the result, is `tiles` times, each time
// `repeats` times in an entry.
inline Work RepeatedMove(const KernelFacts& facts, const StridesByAxis& dims, const StridesByAxis& x_strides,
                         const StridesByAxis& tiles, const StridesByAxis& repeats) {
  const Shape& y = facts.results[0].shape;
  const StridesByAxis y_strides = StridesOf(y, facts.layout);
  const auto order = MemoryOrder(y.rank(), facts.layout);
  Folded f;
  f.AddLoop(1, 0, 0);
  for (int i = 0; i < y.rank(); ++i) {
    const int axis = order[i];
    const auto add = [&](int64_t dim, int64_t y_step, int64_t x_stride) {
      if (dim > 1) f.AddLoop(dim, y_step * y_strides[axis], x_stride);
    };
    add(tiles[axis], dims[axis] * repeats[axis], 0);
    add(dims[axis], repeats[axis], x_strides[axis]);
    add(repeats[axis], 1, 0);
  }
  Work work;
  AddMove(work, facts, f, 0, 0, 0);
  return work;
}

}  // namespace tally::cuda
