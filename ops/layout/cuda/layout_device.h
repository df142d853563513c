// Kernels of the layout family that are not moves by strides.
#pragma once

#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"
#include "ops/cuda/move.h"

namespace tally::cuda {

struct IotaParams {
  int64_t count;
  int64_t inner;   // elements after the axis, in memory
  int64_t length;  // for the axis
  int64_t start, step;
  Storage storage;
};

// Memory: the result. One thread for each element.
TALLY_DEVICE void Iota(const Thread& t, const Memory& m, const IotaParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  Store(p.storage, m.at[0], i, WrapAdd(p.start, WrapMul(p.step, i / p.inner % p.length)));
}

// The numbers of PadMode.
enum class Border { kConstant, kEdge, kReflect, kSymmetric, kWrap };

struct PadParams {
  int64_t count;
  int rank;
  Border mode;
  int64_t dims[8], x_dims[8], before[8];  // in the order of memory
  int64_t value;
  Storage from, to;
};

TALLY_DEVICE int64_t FloorMod(int64_t a, int64_t b) { return (a % b + b) % b; }

// The index in [0, n) of the element that is at index i of an axis that goes on for ever; i for a
// constant.
TALLY_DEVICE int64_t SourceOf(Border mode, int64_t i, int64_t n) {
  switch (mode) {
    case Border::kConstant: break;
    case Border::kEdge: return i < 0 ? 0 : i < n ? i : n - 1;
    case Border::kReflect: {
      if (n == 1) return 0;
      const int64_t k = FloorMod(i, 2 * (n - 1));
      return k < n ? k : 2 * (n - 1) - k;
    }
    case Border::kSymmetric: {
      const int64_t k = FloorMod(i, 2 * n);
      return k < n ? k : 2 * n - 1 - k;
    }
    case Border::kWrap: return FloorMod(i, n);
  }
  return i;
}

// Memory: the operand, the result. One thread for each element.
TALLY_DEVICE void Pad(const Thread& t, const Memory& m, const PadParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  int64_t rest = i, source = 0, stride = 1;
  bool inside = true;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    const int64_t at = SourceOf(p.mode, rest % p.dims[axis] - p.before[axis], p.x_dims[axis]);
    inside = inside && 0 <= at && at < p.x_dims[axis];
    source += at * stride;
    stride *= p.x_dims[axis];
    rest /= p.dims[axis];
  }
  Store(p.to, m.at[1], i, inside ? Load(p.from, m.at[0], source) : p.value);
}

struct ReverseSequenceParams {
  int64_t count;
  int64_t batch_stride, batches;
  int64_t sequence_stride, length;
  Storage from, to, lengths;
};

// Memory: the operand, the lengths, the result. One thread for each element.
TALLY_DEVICE void ReverseSequence(const Thread& t, const Memory& m, const ReverseSequenceParams& p) {
  const int64_t i = t.global_index();
  if (i >= p.count) return;
  const int64_t at = i / p.sequence_stride % p.length;
  const int64_t given = Load(p.lengths, m.at[1], i / p.batch_stride % p.batches);
  const int64_t n = given < 0 ? 0 : given < p.length ? given : p.length;
  const int64_t from = at < n ? i + (n - 1 - 2 * at) * p.sequence_stride : i;
  Store(p.to, m.at[2], i, Load(p.from, m.at[0], from));
}

}  // namespace tally::cuda
