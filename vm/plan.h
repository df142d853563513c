// Plans of engines, and their runs.
//
//   ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute({image.view()}, {}));
//
// A plan is immutable and may be executed by many threads at once. Every engine returns the same bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "base/tensor.h"
#include "vm/call_path.h"
#include "vm/cancellation.h"
#include "vm/step_notes.h"
#include "vm/valid_module.h"

namespace tally {

// Called once per computed value (no constants, no parameters), in execution order. Arguments: the call
// path of the running body, empty in the entry; the value's id in that function; the tensor, valid during the
// call. The results of an instruction that runs functions come after the values of those functions.
using Observer = std::function<void(std::span<const CallSite>, ValueId, const TensorView&)>;

// The same for the values that a trace commits to (vm/committed_values.h), with their ValueRoot
// (base/hash/tensor_leaves.h) instead of their bytes. Engines fuse the others as always, and hash values in
// the layout in which they have them; the cuda engine does so on the device, and copies only roots to the
// host.
using RootObserver =
    std::function<void(std::span<const CallSite>, ValueId, Storage, const Shape&, const Digest& root)>;

struct ExecuteOptions {
  int64_t gas_limit = std::numeric_limits<int64_t>::max();
  // For the arena of the module, which is the same on every engine.
  int64_t memory_limit_bytes = std::numeric_limits<int64_t>::max();
  Observer observer;
  RootObserver root_observer;  // a run has one of the two observers at most
  // Compares each value with the references where the engine has it (engines/check/run_check.h), and takes as
  // long as they do: for tests, and for those who doubt an engine. Runs with an observer and scalar engines,
  // which are references, do not. The environment variable TALLY_CHECK=1 asks for it in all runs of a
  // process.
  bool check = false;
  // Called when so many steps of the entry (Plan::steps) have run, 0 first: for those who time them. The cpu
  // engine alone does, in runs with no observer and no check.
  std::function<void(size_t)> step_observer;
  // Ends the run between two steps; null where nobody does. The cuda engine replays steps as graphs: it looks
  // between those, which are cut where the host has a part in the work.
  const Cancellation* cancellation = nullptr;
};

struct Outcome {
  std::vector<Tensor> results;  // in the storage of their types
  int64_t gas_used = 0;         // the module's gas: the same for every input
};

// Whether runs of a module are within limits. Errors gas_limit, memory_limit, in this order.
absl::Status CheckLimits(const ValidModule& module, const ExecuteOptions& limits);

// Whether a run takes place, which is known before it: the errors of CheckLimits, then those of inputs.
absl::Status CheckRun(const ValidModule& module, std::span<const TensorView> inputs,
                      const ExecuteOptions& options);

class Plan {
 public:
  virtual ~Plan() = default;

  const ValidModule& module() const { return *module_; }

  // Working memory of a run in bytes, beyond constants, inputs and results. It differs between engines and
  // machines; no limit is compared with it (docs/spec/limits.md bounds it).
  virtual int64_t memory_bytes() const = 0;
  // The same for a run with an observer. The cpu engine makes another plan when it is first asked for one.
  virtual int64_t observed_memory_bytes() const { return memory_bytes(); }
  // The same for a run with a root observer.
  virtual int64_t hashed_memory_bytes() const { return observed_memory_bytes(); }

  // Bytes that the plan made for its runs, packed weights above all: beside the module, and on a device its
  // constants too. PlanMemoryBound (engines/shared/engine_memory.h) bounds it.
  virtual int64_t kept_bytes() const { return 0; }

  // The steps of a run, function by function and in order there; nothing of the scalar engines.
  virtual std::vector<PlanStep> steps() const { return {}; }

  // The kernels of the entry, in order; for people and benchmarks.
  std::vector<std::string> kernels() const;

  // Why operators that kernels could compute once they were lowered run on their references instead, which is
  // slow: a limit of modules that the lowered one would exceed; or lowering_failed, a fault to report. Else
  // OK.
  virtual absl::Status lowering() const { return absl::OkStatus(); }

  // The operators for which nothing runs, because their results are bytes of other values; in order.
  virtual std::vector<std::string> views() const { return {}; }

  // One tensor for each parameter, any storage. Errors, checked before the first instruction runs: gas_limit,
  // memory_limit, input_count, input_shape, input_interval. The cuda engine also: device_failed,
  // device_memory. A checked run: check_failed. A run that somebody cancels: cancelled.
  absl::StatusOr<Outcome> Execute(std::span<const TensorView> inputs, const ExecuteOptions& options) const;

  // The same with results in the caller's memory: for each result exactly the bytes of its type, in its
  // storage, which overlap nothing else. The cpu engine then allocates nothing once it has run before; and it
  // works in this memory, and in that of inputs in the storage of their types, where they begin at a
  // multiple of 64. Errors also: result_count, result_size. After an error the memory is as it was, but for
  // check_failed and cancelled, which come while results are being written.
  absl::Status ExecuteInto(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                           const ExecuteOptions& options) const;

 protected:
  explicit Plan(std::shared_ptr<const ValidModule> module) : module_(std::move(module)) {}

  // `inputs` and `results` have passed the checks; only a device can still fail.
  virtual absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                           const ExecuteOptions& options) const = 0;
  // A run with a root observer. An engine without a way of its own hashes what it shows.
  virtual absl::Status RunHashed(std::span<const TensorView> inputs,
                                 std::span<const std::span<uint8_t>> results,
                                 const ExecuteOptions& options) const;

 private:
  absl::Status RunChecked(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                          const ExecuteOptions& options) const;

  std::shared_ptr<const ValidModule> module_;
};

}  // namespace tally
