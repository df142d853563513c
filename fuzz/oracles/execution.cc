#include "fuzz/oracles/execution.h"

#include <string>
#include <vector>

#include "base/cpu_flags.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/program/thread_pool.h"
#include "engines/cuda/cuda_engine.h"
#include "engines/engine.h"
#include "engines/scalar/scalar_engine.h"
#include "engines/testing/test_devices.h"
#include "fuzz/generators/entropy_source.h"
#include "fuzz/oracles/serving.h"
#include "fuzz/oracles/transcript.h"
#include "vm/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

constexpr int kMostThreads = 3;

absl::Status CheckType(const TensorView& value, const TensorType& type, const std::string& what) {
  if (value.shape != type.shape || value.storage != type.storage()) {
    return absl::InternalError(absl::StrCat(what, " has another shape or storage than ", type.ToString()));
  }
  if (const Interval bounds = value.Bounds(); !type.interval.Contains(bounds)) {
    return absl::InternalError(absl::StrCat(what, " spans ", bounds.ToString(), ", type ", type.ToString()));
  }
  return absl::OkStatus();
}

// |v| <= 2^(p-1) - 1 at published precision p.
absl::Status CheckPrecision(const Interval& bounds, int precision, const std::string& what) {
  if (precision < 1 || bounds.Magnitude() > (uint64_t{1} << (precision - 1)) - 1) {
    return absl::InternalError(
        absl::StrCat(what, " spans ", bounds.ToString(), ", published precision ", precision));
  }
  return absl::OkStatus();
}

// That values are what validation proved of them; runs that are compared with this one need not be asked
// again.
absl::Status CheckProven(const Transcript& run, const ValidModule& module) {
  for (const auto& [path, id, value] : run.values) {
    const size_t function = FunctionAt(module.module(), path);
    const FunctionFacts& facts = module.functions()[function];
    const std::string what = absl::StrCat("value %", id, " of function ", function);
    RETURN_IF_ERROR(CheckType(value.view(), facts.types[id], what));
    if (module.module().profile != Profile::kCvm) continue;
    RETURN_IF_ERROR(CheckPrecision(value.view().Bounds(), facts.precisions[id], what));
  }
  const auto& results = module.entry().results;
  if (run.outcome.results.size() != results.size()) return absl::InternalError("another number of results");
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(
        CheckType(run.outcome.results[i].view(), module.types()[results[i]], absl::StrCat("result ", i)));
  }
  if (run.outcome.gas_used != module.gas()) {
    return absl::InternalError(absl::StrCat("a run reports gas ", run.outcome.gas_used));
  }
  return absl::OkStatus();
}

absl::Status CheckGas(const ValidModule& module) {
  for (const FunctionFacts& facts : module.functions()) {
    int64_t sum = kGasPerFunction;
    for (const auto& passed : {facts.params, facts.results}) {
      for (const TensorType& value : passed) {
        sum += kGasPerPassedValue + kGasPerPassedElement * value.shape.num_elements();
      }
    }
    for (const InstructionFacts& instruction : facts.instructions) sum += instruction.gas;
    if (sum != facts.gas)
      return absl::InternalError(absl::StrCat("gas ", facts.gas, " is not the sum ", sum));
  }
  return absl::OkStatus();
}

// The law, or the part of it that a number draws.
class Law {
 public:
  Law(const std::shared_ptr<const ValidModule>& module, std::span<const TensorView> inputs,
      std::optional<uint64_t> sample)
      : module_(module),
        inputs_(inputs),
        samples_(sample.has_value()),
        noise_(NoiseBytes(sample.value_or(0), 64)),
        part_(noise_) {}

  absl::Status Check() {
    RETURN_IF_ERROR(CheckGas(*module_));
    ASSIGN_OR_RETURN(expected_, Observe(*MakeTrappingPlan(module_), inputs_));
    RETURN_IF_ERROR(CheckProven(expected_, *module_));
    for (const EngineInfo& info : AllEngines()) {
      if (!info.available || info.name == "cpu" || !Tries(info.name == "formal" ? 6 : 2)) continue;
      const std::string name(info.name);
      ASSIGN_OR_RETURN(const auto plan, MakePlan(info.name, module_));
      RETURN_IF_ERROR(CheckObserved(name, *plan, inputs_, expected_, false));
    }
    RETURN_IF_ERROR(CheckCpu());
    return samples_ && Tries(1024) ? CheckEmulatedDevice() : absl::OkStatus();
  }

 private:
  // Whether this module is one of the one in `n` on which something is tried.
  bool Tries(int n) { return !samples_ || part_.OneIn(n); }

  absl::Status CheckCpu() {
    // The process keeps its threads. Runs of others leave none of them to the runs here.
    static const auto* const pool = new std::shared_ptr<ThreadPool>(ThreadPool::Shared(kMostThreads));
    std::vector<std::unique_ptr<ThreadPool::Caller>> others;
    const bool shares = !Tries(16);
    while (shares && others.size() < kMostThreads) {
      others.push_back(std::make_unique<ThreadPool::Caller>(**pool));
    }
    // Sometimes what lowering leaves as it is where it would take too much memory, which nothing does here.
    const bool lowers = !samples_ || !part_.OneIn(8);
    const auto lowered = std::make_shared<const ModuleForKernels>(
        lowers ? LowerForKernels(module_) : ModuleForKernels{.module = module_});
    if (HasLabel(lowered->status, label::lowering_failed)) return lowered->status;
    const std::vector<std::string_view> levels = CpuLevelsOf(DetectCpuFlags());
    const std::string_view drawn = part_.PickFrom(levels);
    const bool all = Tries(16);
    for (const std::string_view level : levels) {
      if (!all && level != drawn) continue;
      const auto only = static_cast<int>(part_.Between(1, kMostThreads));
      for (int threads = 1; threads <= kMostThreads; ++threads) {
        if (!samples_ || threads == only) RETURN_IF_ERROR(CheckCpu(lowered, level, threads));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckCpu(const std::shared_ptr<const ModuleForKernels>& lowered, std::string_view level,
                        int threads) {
    CpuPlanOptions options = {.flags = *CapCpuFlags(DetectCpuFlags(), level), .threads = threads};
    if (samples_) options.takes_small_layers = part_.OneIn(2);
    const auto plan = MakeCpuPlan(module_, lowered, options);
    const std::string name = absl::StrCat("cpu (", ToAbsl(level), ", ", threads, " threads)");
    RETURN_IF_ERROR(CheckServed(name, *plan, inputs_, expected_.outcome));
    if (Tries(4)) RETURN_IF_ERROR(plan->Execute(inputs_, {.check = true}).status());
    if (Tries(3)) RETURN_IF_ERROR(CheckObserved(name, *plan, inputs_, expected_, false));
    if (Tries(8)) RETURN_IF_ERROR(CheckObserved(name, *plan, inputs_, expected_, true));
    return absl::OkStatus();
  }

  absl::Status CheckEmulatedDevice() {
    const auto& device = part_.PickFrom(cuda::TestDevices());
    ASSIGN_OR_RETURN(const auto plan, MakeCudaPlan(module_, device));
    ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(inputs_, {}));
    RETURN_IF_ERROR(CheckSameOutcome(device->info().name, outcome, expected_.outcome));
    if (Tries(4)) RETURN_IF_ERROR(plan->Execute(inputs_, {.check = true}).status());
    return CheckObserved(device->info().name, *plan, inputs_, expected_, part_.OneIn(2));
  }

  const std::shared_ptr<const ValidModule>& module_;
  std::span<const TensorView> inputs_;
  const bool samples_;
  const std::vector<uint8_t> noise_;
  EntropySource part_;
  Transcript expected_;
};

}  // namespace

absl::Status CheckExecution(const std::shared_ptr<const ValidModule>& module,
                            std::span<const TensorView> inputs, std::optional<uint64_t> sample) {
  return Law(module, inputs, sample).Check();
}

}  // namespace tally
