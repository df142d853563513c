// Scatters for devices. Updates of one position meet there by atomic operations in whose result no order
// shows: sums, products, the greatest, the least. Of those that replace it, the greatest number of an update
// is what meets.
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

// The numbers of ScatterKind.
enum class Scattering { kUpdate, kAdd, kSub, kMul, kMax, kMin };

// Where updates go. Each of `loops` changes `inner` consecutive elements of x, from that to which tensor 0
// and the indices point. Tensor 1: the first of `depth` indices, each into one axis.
struct ScatterPositions {
  Loops<2> loops;
  int64_t inner;
  int depth;
  int64_t dims[8], strides[8];  // for the axes
  Storage index;

  // The first element that update `row` changes, or -1.
  TALLY_DEVICE int64_t PositionOfUpdate(const uint8_t* indices, int64_t row) const {
    int64_t offsets[2];
    loops.OffsetsOf(row, offsets);
    int64_t position = offsets[0];
    for (int k = 0; k < depth; ++k) {
      int64_t i = Load(index, indices, offsets[1] + k);
      if (i < 0) i += dims[k];
      if (i < 0 || i >= dims[k]) return -1;
      position += i * strides[k];
    }
    return position;
  }
};

struct BeginScatterParams {
  int64_t count;
  bool reads_x;
  Storage x;
};

// Memory: x, what updates meet in: the elements of x in i64, or -1.
TALLY_DEVICE void BeginScatter(const Thread& t, const Memory& m, const BeginScatterParams& p) {
  const int64_t i = t.global_index();
  if (i < p.count) m.as<int64_t>(1)[i] = p.reads_x ? Load(p.x, m.at[0], i) : -1;
}

struct ScatterParams {
  Scattering kind;
  ScatterPositions positions;
  Storage updates;
};

// Memory: the indices, the updates, what updates meet in: for kUpdate the number of the last one for each
// `inner` elements of x, else the elements of x. One thread for each that meets.
TALLY_DEVICE void Scatter(const Thread& t, const Memory& m, const ScatterParams& p) {
  const int64_t i = t.global_index(), inner = p.positions.inner;
  const bool replaces = p.kind == Scattering::kUpdate;
  const int64_t row = replaces ? i : i / inner;
  if (row >= p.positions.loops.count) return;
  const int64_t position = p.positions.PositionOfUpdate(m.at[0], row);
  if (position < 0) return;
  int64_t* const met = m.as<int64_t>(2);
  if (replaces) return t.AtomicMax(met + position / inner, row);
  const int64_t update = Load(p.updates, m.at[1], i);
  int64_t* const at = met + position + i % inner;
  switch (p.kind) {
    case Scattering::kUpdate: return;
    case Scattering::kAdd: return t.AtomicAdd(at, update);
    case Scattering::kSub: return t.AtomicAdd(at, -update);
    case Scattering::kMul: return t.AtomicMultiply(at, update);
    case Scattering::kMax: return t.AtomicMax(at, update);
    case Scattering::kMin: return t.AtomicMin(at, update);
  }
}

struct EndScatterParams {
  int64_t count;
  bool replaces;
  int64_t inner;
  Storage x, updates, y;
};

// Memory: x, the updates, what they met in, y.
TALLY_DEVICE void EndScatter(const Thread& t, const Memory& m, const EndScatterParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  int64_t y = m.as<int64_t>(2)[p.replaces ? i / p.inner : i];
  if (p.replaces) {
    y = y < 0 ? Load(p.x, m.at[0], i) : Load(p.updates, m.at[1], y * p.inner + i % p.inner);
  }
  Store(p.y, m.at[3], i, y);
}

}  // namespace tally::cuda
