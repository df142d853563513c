// Observed runs. Their programs fuse nothing across what is shown: it is somewhere on the device when it is
// to be shown, although what runs is the lowering of the module.
#pragma once

#include <functional>
#include <vector>

#include "base/aligned_vector.h"
#include "engines/cuda/run_hook.h"
#include "vm/call_path.h"

namespace tally::cuda {

// Called with where a value is (as Observer), its type, and what the program shows of it.
using ShowFn =
    std::function<void(std::span<const CallSite>, ValueId, const TensorType&, std::span<const uint8_t>)>;

// One observed run.
class Observation final : public RunHook {
 public:
  explicit Observation(const ShowFn& show) : show_(show) {}

  // Shows what is there by then.
  absl::Status After(const Frame& frame, size_t steps) override;

  void Enter(const CallSite& site, size_t, std::span<const Operand<int64_t>>) override {
    path_.push_back(site);
  }
  void Leave() override { path_.pop_back(); }

 private:
  const ShowFn& show_;
  std::vector<CallSite> path_;
  AlignedVector<uint8_t> bytes_;
};

}  // namespace tally::cuda
