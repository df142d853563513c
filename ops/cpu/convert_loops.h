// Elements from one storage to another, one value everywhere, strides, transposed blocks and repetitions.
#pragma once

#include "ops/cpu/isa.h"

namespace tally {

// A block of a few columns: element (p, i, k) is at p * plane_step + i * step + k * stride.
struct BlockShape {
  int64_t planes, rows, columns;
  int64_t plane_step, step, stride;
};

// By codes of storages. A value that is narrowed fits.
struct ConvertLoops {
  void (*convert[4][4])(const void* from, void* to, int64_t n);
  void (*fill[4])(void* to, int64_t n, int64_t value);
  // to[i * to_stride] = from[i * from_stride]
  void (*stride[4][4])(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t n);
  // The elements of a block, one after the other.
  void (*block[4][4])(const void* from, const BlockShape& shape, void* to);
  // to[i * to_stride + k] = from[i + k * from_stride], i < rows and k < columns.
  void (*transpose[4])(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t rows,
                       int64_t columns);
  // to[i * times + k] = from[i * from_stride], i < n and k < times.
  void (*repeat[4])(const void* from, int64_t from_stride, void* to, int64_t n, int64_t times);
  // `count` runs of `bytes`, from_step and to_step bytes apart.
  void (*copy_runs)(const void* from, int64_t from_step, void* to, int64_t to_step, int64_t bytes,
                    int64_t count);
};

TALLY_DECLARE_LOOPS(ConvertLoops)

}  // namespace tally
