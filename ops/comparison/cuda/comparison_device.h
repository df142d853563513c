// The comparisons on one element each, for devices.
#pragma once

#include "ops/cuda/map.h"

namespace tally::cuda {

// The numbers of Comparison.
enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

struct CompareFn {
  static constexpr int kOperands = 2;
  Relation relation;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[2]) const {
    switch (relation) {
      case Relation::kEqual: return x[0] == x[1];
      case Relation::kNotEqual: return x[0] != x[1];
      case Relation::kLess: return x[0] < x[1];
      case Relation::kLessEqual: return x[0] <= x[1];
      case Relation::kGreater: return x[0] > x[1];
      case Relation::kGreaterEqual: break;
    }
    return x[0] >= x[1];
  }
};

struct SelectFn {
  static constexpr int kOperands = 3;
  TALLY_DEVICE int64_t operator()(const int64_t (&x)[3]) const { return x[0] != 0 ? x[1] : x[2]; }
};

}  // namespace tally::cuda
