// Rows for devices, one warp for each row, and their softmax: of the operator, and a part of attention.
#pragma once

#include "ops/common/requantize.h"
#include "ops/cuda/elements.h"
#include "ops/cuda/loops.h"

namespace tally::cuda {

// Element i of row r is at the sum of both offsets, in x and y (tensor 0) and in parameters (tensor 1).
struct RowShape {
  Loops<2> rows, elements;
  Storage x, y;
};

struct RowOffsets {
  int64_t x, parameter;
};
TALLY_DEVICE RowOffsets OffsetsIn(const Loops<2>& loops, int64_t i) {
  int64_t offsets[2];
  loops.OffsetsOf(i, offsets);
  return {offsets[0], offsets[1]};
}

// The sum of what the lanes of a warp have.
TALLY_DEVICE int64_t SumOfLanes(const Thread& t, int64_t value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value = WrapAdd(value, t.ShuffleXor(value, mask));
  return value;
}
TALLY_DEVICE int64_t GreatestOfLanes(const Thread& t, int64_t value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const int64_t other = t.ShuffleXor(value, mask);
    value = value < other ? other : value;
  }
  return value;
}

// The row of a warp. Every lane of a warp without a row works on row 0, and stores nothing.
struct RowOfWarp {
  const Thread& t;
  const Memory& m;
  const RowShape& shape;
  bool exists;
  RowOffsets first;

  TALLY_DEVICE RowOfWarp(const Thread& t, const Memory& m, const RowShape& shape) : t(t), m(m), shape(shape) {
    const int64_t row = t.global_index() / kWarp;
    exists = row < shape.rows.count;
    first = OffsetsIn(shape.rows, exists ? row : 0);
  }
  TALLY_DEVICE int64_t length() const { return shape.elements.count; }
  TALLY_DEVICE int64_t x(int64_t i) const {
    return Load(shape.x, m.at[0], first.x + OffsetsIn(shape.elements, i).x);
  }
  // Calls visit(i) for the elements of this lane.
  template <typename Visit>
  TALLY_DEVICE void ForEach(const Visit& visit) const {
    for (int64_t i = t.lane(); i < length(); i += kWarp) visit(i);
  }
  TALLY_DEVICE int64_t Sum(int64_t value) const { return SumOfLanes(t, value); }
  TALLY_DEVICE int64_t Greatest(int64_t value) const { return GreatestOfLanes(t, value); }
  TALLY_DEVICE void Store(uint8_t* y, int64_t i, int64_t value) const {
    if (exists) cuda::Store(shape.y, y, first.x + OffsetsIn(shape.elements, i).x, value);
  }
};

struct Exponentials {
  int64_t size;
  Storage storage;

  TALLY_DEVICE int64_t At(const uint8_t* table, int64_t distance) const {
    return distance < size ? Load(storage, table, distance) : 0;
  }
};

// 2^61 / sum, rounded.
TALLY_DEVICE int64_t ReciprocalOf(int64_t sum) { return ((int64_t{1} << 61) + (sum >> 1)) / sum; }

// The greatest x of a row, and the sum of E[greatest - x].
struct ExponentialsOfRow {
  int64_t greatest, sum;

  TALLY_DEVICE ExponentialsOfRow(const RowOfWarp& row, const Exponentials& e) {
    int64_t most = row.x(0), total = 0;
    row.ForEach([&](int64_t i) { most = row.x(i) > most ? row.x(i) : most; });
    greatest = row.Greatest(most);
    row.ForEach([&](int64_t i) { total += e.At(row.m.at[1], greatest - row.x(i)); });
    sum = row.Sum(total);
  }
};

struct SoftmaxParams {
  RowShape shape;
  Exponentials exponentials;
  Requantization requantization;  // from 61 bits to those of a probability
};

// Memory: x, the exponentials, the result.
TALLY_DEVICE void Softmax(const Thread& t, const Memory& m, const SoftmaxParams& p) {
  const RowOfWarp row(t, m, p.shape);
  const ExponentialsOfRow e(row, p.exponentials);
  const int64_t reciprocal = ReciprocalOf(e.sum);
  row.ForEach([&](int64_t i) {
    const int64_t exponential = p.exponentials.At(m.at[1], e.greatest - row.x(i));
    row.Store(m.at[2], i, Requantize<int64_t>(exponential * reciprocal, p.requantization));
  });
}

}  // namespace tally::cuda
