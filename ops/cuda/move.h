// The kernel of every operator whose result has elements of operands in other places.
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

struct MoveParams {
  Loops<2> loops;          // tensor 0: the result, 1: the operand
  int64_t first_of_x = 0;  // the element of the operand at index 0 of every loop
  int64_t first_of_y = 0;
  Storage from, to;
};

// Memory: the operand, the result. One thread for each element.
TALLY_DEVICE void Move(const Thread& t, const Memory& m, const MoveParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.loops.count) return;
  int64_t offsets[2];
  p.loops.OffsetsOf(i, offsets);
  Store(p.to, m.at[1], p.first_of_y + offsets[0], Load(p.from, m.at[0], p.first_of_x + offsets[1]));
}

}  // namespace tally::cuda
