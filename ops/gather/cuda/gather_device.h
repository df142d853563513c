// Gathers for devices: one thread for each result.
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

// The position in an axis of n elements that an index points to: the nearest one. `wraps`: negative indices
// count from the back.
TALLY_DEVICE int64_t ClampedIndexOf(int64_t index, int64_t n, bool wraps) {
  const int64_t position = wraps && index < 0 ? index + n : index;
  return position < 0 ? 0 : position < n ? position : n - 1;
}

// y[o, j, i] = x[o, position(indices[j]), i]
struct GatherParams {
  int64_t count;
  int64_t length, inner;  // for the axis in x
  int64_t indices;        // along the axis in y
  bool wraps;
  Storage x, index, y;
};

// Memory: x, the indices, the result.
TALLY_DEVICE void Gather(const Thread& t, const Memory& m, const GatherParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i / p.inner, j = row % p.indices, outer = row / p.indices;
  const int64_t position = ClampedIndexOf(Load(p.index, m.at[1], j), p.length, p.wraps);
  Store(p.y, m.at[2], i, Load(p.x, m.at[0], (outer * p.length + position) * p.inner + i % p.inner));
}

// Each element of y has an index of its own into the line of x along an axis.
struct GatherElementsParams {
  int64_t count;
  Loops<1> lines;          // over y; tensor 0: the first element of the line of x
  int64_t length, stride;  // for the axis in x
  Storage x, index, y;
};

// Memory: x, the indices, the result.
TALLY_DEVICE void GatherElements(const Thread& t, const Memory& m, const GatherElementsParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  int64_t from[1];
  p.lines.OffsetsOf(i, from);
  const int64_t position = ClampedIndexOf(Load(p.index, m.at[1], i), p.length, true);
  Store(p.y, m.at[2], i, Load(p.x, m.at[0], from[0] + position * p.stride));
}

// y[row, i] = x[batch of the row, positions(indices[row, ..]), i]
struct GatherNdParams {
  int64_t count;
  int64_t inner;                        // elements after the axes that are pointed into
  int64_t rows_of_batch, batch_stride;  // in x
  int depth;
  int64_t dims[8], strides[8];  // for the axes that are pointed into
  Storage x, index, y;
};

// Memory: x, the indices, the result.
TALLY_DEVICE void GatherNd(const Thread& t, const Memory& m, const GatherNdParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t row = i / p.inner;
  int64_t from = row / p.rows_of_batch * p.batch_stride + i % p.inner;
  for (int k = 0; k < p.depth; ++k) {
    from += ClampedIndexOf(Load(p.index, m.at[1], row * p.depth + k), p.dims[k], true) * p.strides[k];
  }
  Store(p.y, m.at[2], i, Load(p.x, m.at[0], from));
}

}  // namespace tally::cuda
