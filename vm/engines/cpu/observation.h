// Observed runs. Their programs fuse nothing: each value of the module is somewhere when it is to be shown,
// although what runs is the lowering of the module.
#pragma once

#include <vector>

#include "base/aligned_vector.h"
#include "vm/engines/cpu/run_hook.h"
#include "vm/plan.h"

namespace tally::cpu {

// One observed run.
class Observation final : public RunHook {
 public:
  explicit Observation(const Observer& observer) : observer_(observer) {}

  // Shows what is there by then.
  void After(const Frame& frame, size_t steps) override;

  void Enter(const CallSite& site, size_t, std::span<const Operand<int64_t>>) override {
    path_.push_back(site);
  }
  void Leave() override { path_.pop_back(); }

 private:
  const Observer& observer_;
  std::vector<CallSite> path_;
  AlignedVector<uint8_t> bytes_;  // for a value that is in another storage than its type's
};

}  // namespace tally::cpu
