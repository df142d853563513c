// Elements from one storage to another, one value everywhere, strides, transposed blocks and repetitions.
#pragma once

#include "ops/simd/isa.h"

namespace tally {

// By codes of storages. A value that is narrowed fits.
struct ConvertLoops {
  void (*convert[4][4])(const void* from, void* to, int64_t n);
  void (*fill[4])(void* to, int64_t n, int64_t value);
  // to[i * to_stride] = from[i * from_stride]
  void (*stride[4][4])(const void* from, int64_t from_stride, void* to, int64_t to_stride, int64_t n);
  // to[i * columns + k] = from[i * step + k * stride], i < rows and k < columns, which are few.
  void (*block[4][4])(const void* from, int64_t step, int64_t stride, void* to, int64_t rows,
                      int64_t columns);
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
