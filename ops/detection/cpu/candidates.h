// Shared by both suppressions: candidates in order, and the boxes that are kept so far.
#pragma once

#include "ops/cpu/scratch.h"
#include "ops/detection/boxes.h"
#include "ops/detection/cpu/detection_loops.h"

namespace tally::detection {

struct Candidate {
  int64_t score;
  int32_t box;
};

// The better score first, and of equals the lower box.
inline bool IsBefore(const Candidate& p, const Candidate& q) {
  return p.score != q.score ? p.score > q.score : p.box < q.box;
}

inline BoxFields FieldsOf(const Box<int64_t>& box, int64_t offset, int64_t id) {
  return {box.lo[0], box.lo[1], box.hi[0], box.hi[1], AreaOf(box, offset), id};
}

inline BoxLists TakeBoxes(ScratchLayout& scratch, int64_t n) {
  BoxLists boxes;
  for (int64_t** field : {&boxes.lo0, &boxes.lo1, &boxes.hi0, &boxes.hi1, &boxes.area, &boxes.id}) {
    *field = scratch.Take<int64_t>(n);
  }
  return boxes;
}

inline void SetBox(const BoxLists& boxes, int64_t i, const BoxFields& box) {
  boxes.lo0[i] = box.lo0;
  boxes.lo1[i] = box.lo1;
  boxes.hi0[i] = box.hi0;
  boxes.hi1[i] = box.hi1;
  boxes.area[i] = box.area;
  boxes.id[i] = box.id;
}

}  // namespace tally::detection
