// Observed runs. Their programs fuse nothing across what is shown: it is somewhere when it is to be shown,
// although what runs is the lowering of the module.
#pragma once

#include <functional>
#include <vector>

#include "base/aligned_vector.h"
#include "engines/cpu/program/run_hook.h"
#include "vm/plan.h"

namespace tally::cpu {

// Called with where a value is (as Observer), its type, and its bytes in the storage of the type, in the
// layout that the program was compiled to show; and with the threads of the run.
using ShowFn = std::function<void(std::span<const CallSite>, ValueId, const TensorType&, Layout,
                                  std::span<const uint8_t>, ThreadPool::Caller&)>;

// One observed run.
class Observation final : public RunHook {
 public:
  explicit Observation(const ShowFn& show) : show_(show) {}

  void Begin(ThreadPool::Caller& caller) override { caller_ = &caller; }

  // Shows what is there by then.
  void After(const Frame& frame, size_t steps) override;

  void Enter(const CallSite& site, size_t, std::span<const Operand<int64_t>>) override {
    path_.push_back(site);
  }
  void Leave() override { path_.pop_back(); }

 private:
  const ShowFn& show_;
  ThreadPool::Caller* caller_ = nullptr;
  std::vector<CallSite> path_;
  AlignedVector<uint8_t> bytes_;  // for a value that is in another storage than its type's
};

}  // namespace tally::cpu
