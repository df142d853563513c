// The law of the compiler: what each pass leaves computes what the module does, for every engine, level and
// function. So a value that an engine gets wrong names the pass at fault; kernels have no part in this.
#include <gtest/gtest.h>

#include <map>

#include "base/testing/random_source.h"
#include "engines/compile/lower_operators.h"
#include "engines/cpu/compile_module.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cuda/compile_module.h"
#include "engines/testing/schedule_run.h"
#include "fuzz/drawn_module.h"
#include "fuzz/plan_pairs.h"

namespace tally {
namespace {

constexpr uint64_t kModules = 10000;

std::string_view NameOf(Pass pass) { return kPasses[static_cast<size_t>(pass)].name; }

std::vector<Tensor> InputsOf(const FunctionView& function, RandomSource& source) {
  std::vector<Tensor> inputs;
  for (const TensorType& type : function.facts().params) {
    const int64_t count = type.shape.num_elements();
    inputs.push_back(*Tensor::FromValues(type.shape, source.ValuesOrEnds(count, type.interval, 3)));
  }
  return inputs;
}

class Passes : public testing::Test {
 protected:
  PassObserver Observer(std::string_view engine, uint64_t seed) {
    return [this, engine, seed](Pass pass, const FunctionView& function, const Schedule& schedule) {
      RandomSource source(seed);
      const std::vector<Tensor> inputs = InputsOf(function, source);
      std::vector<Operand<int64_t>> arguments;
      for (size_t i = 0; i < inputs.size(); ++i) {
        arguments.emplace_back(function.facts().params[i], inputs[i].storage(), inputs[i].bytes().data(),
                               nullptr);
      }
      RunCheck check(function.module());
      check.Enter(function.function(), arguments);
      ScheduleRun(function, schedule, NameOf(pass), check).Run(ViewsOf(inputs));
      EXPECT_TRUE(check.status().ok()) << engine << ", module " << seed << ": " << check.status();
      for (const ScheduledOp& op : schedule.ops) ++met_[pass][op.kind];
    };
  }

  std::map<Pass, std::map<ScheduledOpKind, int>> met_;
};

TEST_F(Passes, LeaveWhatComputesTheModule) {
  const CpuFlags family = FlagsOfFamily();
  const std::vector<std::string_view> levels = CpuLevelsOf(family);
  for (uint64_t n = 0; n < kModules && !HasFailure(); ++n) {
    const auto module = DrawModule(NoiseBytes(n, kNoiseOfModule)).module;
    const auto lowered = LowerForKernels(module).module;
    const CpuFlags flags = *CapCpuFlags(family, levels[n % levels.size()]);
    std::vector<Schedule> cpu;
    cpu::Compile(*lowered,
                 {.published = *module,
                  .flags = flags,
                  .threads = 2,
                  .takes_small_layers = true,
                  .after = Observer(levels[n % levels.size()], n)},
                 cpu);
    std::vector<cuda::Program> cuda;
    cuda::Constants constants;
    const auto arch = n % 2 == 0 ? cuda::Arch::kSm80 : cuda::Arch::kSm90a;
    cuda::Compile(*lowered, {.published = *module, .arch = arch, .after = Observer("cuda", n)}, cuda,
                  constants);
  }
  // Nothing of it was left out.
  for (const ScheduledOpKind kind :
       {ScheduledOpKind::kInstruction, ScheduledOpKind::kFusionGroup, ScheduledOpKind::kView,
        ScheduledOpKind::kCopy, ScheduledOpKind::kConvert}) {
    EXPECT_GT(met_[Pass::kPlace][kind], 0) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace tally
