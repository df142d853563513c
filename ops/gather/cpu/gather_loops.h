// Loops of the gather family.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// positions[i] = base + i * step + position * stride, where position is the index clamped to [0, n): as it
// is, or counted from the back where it is negative.
struct PositionArgs {
  int64_t n;
  int64_t stride;
  int64_t base;
  int64_t step;
  bool from_back;
};

// Updates of y, one after the other: update i goes to positions[i], unless that is outside of [begin, end).
struct UpdateArgs {
  int kind;  // ScatterKind's
  const void* updates;
  const int64_t* positions;  // null: begin, begin + 1 ..
  int64_t count;
  int64_t begin, end;
  void* y;
};

struct GatherLoops {
  // By storage of the indices.
  void (*positions[4])(const void* indices, int64_t count, const PositionArgs& args, int64_t* positions);
  // y[i] = x[positions[i]], of one storage.
  void (*gather[4])(const void* x, const int64_t* positions, int64_t count, void* y);
  // positions[i] += position * stride, where position is indices[i * step], from the back where it is
  // negative; -1 where that is outside of [0, n), and where it has been before. By storage of the indices.
  void (*add_positions[4])(const void* indices, int64_t step, int64_t count, int64_t n, int64_t stride,
                           int64_t* positions);
  // By storage of y, and whether updates are of i64 instead.
  void (*update[4][2])(const UpdateArgs& args);
};

TALLY_DECLARE_LOOPS(GatherLoops)

}  // namespace tally
