// Observed runs. Their programs fuse nothing and compute nothing in place: each value of the module is somewhere when it is
// to be shown, although what runs is the lowering of the module.
#pragma once

#include <vector>

#include "base/aligned_vector.h"
#include "vm/engines/cpu/program.h"
#include "vm/plan.h"

namespace tally::cpu {

// One observed run.
class Observation {
 public:
  explicit Observation(const Observer& observer) : observer_(observer) {}

  // Shows what is there once `steps` steps of the frame's program have run.
  void Show(const Frame& frame, size_t steps);

  // Around the body that an instruction runs.
  void Enter(const CallSite& site) { path_.push_back(site); }
  void Leave() { path_.pop_back(); }

 private:
  const Observer& observer_;
  std::vector<CallSite> path_;
  AlignedVector<uint8_t> bytes_;  // of a value that lies in another storage than its type's
};

}  // namespace tally::cpu
