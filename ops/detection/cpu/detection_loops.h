// Loops of the detection family.
#pragma once

#include <cstdint>

#include "ops/cpu/isa.h"

namespace tally {

// A box as ops/detection/boxes.h has it, its area, and what it shows.
struct BoxFields {
  int64_t lo0, lo1, hi0, hi1, area, id;
};

// One array for each field.
struct BoxLists {
  int64_t *lo0, *lo1, *hi0, *hi1, *area, *id;
};

struct OverlapArgs {
  BoxFields box;
  int64_t offset, numerator, denominator;
  bool or_equal;
};

struct DetectionLoops {
  // The positions of the scores that are at least `least`, in ascending order; how many. By storage.
  int64_t (*candidates[4])(const void* scores, int64_t n, int64_t least, int32_t* positions);
  // For each of n boxes its greatest score of `classes` rows, and the first class that has it.
  void (*best[4])(const void* scores, int64_t classes, int64_t n, int64_t* score, int32_t* cls);
  // The first position of the greatest of n elements. By storage.
  int64_t (*first_best[4])(const void* x, int64_t n);
  // Whether one of the first n boxes suppresses the box of `args`: any of them, or one of the same id. [of
  // one id]
  bool (*suppressed[2])(const BoxLists& boxes, int64_t n, const OverlapArgs& args);
};

TALLY_DECLARE_LOOPS(DetectionLoops)

}  // namespace tally
