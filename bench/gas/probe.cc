#include "bench/gas/probe.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "base/cpu_flags.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "fuzz/generators/values.h"
#include "tests/kernels/drawn_call.h"

namespace tally::bench {
namespace {

// Others on the machine take time of the wall, and memory traffic at times; the least of many short runs has
// neither.
double ThreadNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

std::string TypeText(const TensorType& type) {
  return absl::StrCat(type.shape.ToString(), ToAbsl(StorageName(type.storage())));
}

Probe WithInputs(std::shared_ptr<const ValidModule> module, EntropySource& e) {
  Probe probe = {std::move(module), {}};
  for (const TensorType& type : probe.module->entry().params) {
    const Tensor input = RandomTensor(e, type);
    probe.inputs.emplace_back(input.bytes().begin(), input.bytes().end());
  }
  return probe;
}

}  // namespace

std::string Probe::Describe() const {
  const Instruction& last = module->entry().body.back();
  const InstructionFacts& facts = module->facts().back();
  std::string text = absl::StrCat(ToAbsl(InfoOf(last.op).name), " (");
  for (const ValueId id : last.operands) absl::StrAppend(&text, " ", TypeText(module->types()[id]));
  absl::StrAppend(&text, " ) ->");
  for (int r = 0; r < facts.num_results; ++r) {
    absl::StrAppend(&text, " ", TypeText(module->types()[facts.first_result + r]));
  }
  return absl::StrCat(text, ", ", facts.gas, " gas");
}

std::string Probe::ShapeClass() const {
  constexpr int64_t kTiny = 64, kNarrow = 8;
  const Shape& y = module->types()[module->facts().back().first_result].shape;
  if (y.num_elements() <= kTiny) return "tiny";
  return y[y.rank() - 1] <= kNarrow ? "narrow" : "wide";
}

std::optional<Probe> DrawProbe(Opcode op, std::span<const uint8_t> bytes) {
  EntropySource e(bytes);
  auto module = DrawRepeated(op, e);
  if (!module) return std::nullopt;
  return WithInputs(std::make_shared<const ValidModule>(*std::move(module)), e);
}

std::optional<Probe> ProbeOfCase(const KernelCase& given) {
  const auto call = CallOfCase(given);
  if (call == nullptr) return std::nullopt;
  auto module = Repeated(*call->module);
  if (!module) return std::nullopt;
  const std::vector<uint8_t> noise = NoiseBytes(1, 1 << 16);
  EntropySource e(noise);
  return WithInputs(std::make_shared<const ValidModule>(*std::move(module)), e);
}

std::vector<Level> LevelsHere() {
  std::vector<Level> levels = {{"formal", ""}, {"reference", ""}};
  for (const std::string_view level : CpuLevelsOf(DetectCpuFlags())) {
    levels.push_back({"cpu", std::string(level)});
  }
  return levels;
}

absl::StatusOr<double> NanosecondsPerGas(const Probe& probe, const Level& level) {
  ASSIGN_OR_RETURN(const std::unique_ptr<const Plan> plan,
                   MakePlan(level.engine, probe.module, {.threads = 1, .level = level.level}));
  const ValidModule& module = *probe.module;
  std::vector<TensorView> inputs;
  for (size_t i = 0; i < probe.inputs.size(); ++i) {
    const TensorType& type = module.entry().params[i];
    inputs.push_back({type.storage(), type.shape, probe.inputs[i]});
  }
  std::vector<AlignedVector<uint8_t>> results;
  for (const ValueId id : module.entry().results) results.emplace_back(module.types()[id].size_bytes());
  const std::vector<std::span<uint8_t>> views(results.begin(), results.end());

  constexpr double kEnough = 4e5;  // ns
  constexpr int kLeastRuns = 3, kMostRuns = 40;
  double least = std::numeric_limits<double>::infinity(), all = 0;
  for (int run = 0; run < kLeastRuns || (run < kMostRuns && all < kEnough); ++run) {
    const double start = ThreadNanoseconds();
    RETURN_IF_ERROR(plan->ExecuteInto(inputs, views, {}));
    const double time = ThreadNanoseconds() - start;
    least = std::min(least, time);
    all += time;
  }
  return least / static_cast<double>(probe.gas());
}

absl::StatusOr<double> LeastNanosecondsPerGas(int measurements, const Probe& probe, const Level& level,
                                              double enough) {
  ASSIGN_OR_RETURN(double least, NanosecondsPerGas(probe, level));
  for (int n = 1; n < measurements && least > enough; ++n) {
    ASSIGN_OR_RETURN(const double ns, NanosecondsPerGas(probe, level));
    least = std::min(least, ns);
  }
  return least;
}

}  // namespace tally::bench
