#include "fuzz/plan_pairs.h"

#include <utility>
#include <vector>

#include "base/cpu_flags.h"
#include "engines/cpu/cpu_engine.h"
#include "fuzz/drawn_module.h"

namespace tally {
namespace {

void CountPairs(const Plan& plan, const std::string& level, PlanPairs& pairs) {
  for (const PlanStep& step : plan.steps()) {
    const auto notes = step.notes.names();
    for (const std::string_view note : notes) ++pairs[level + step.kernel + " " + std::string(note)];
    if (notes.empty()) ++pairs[level + step.kernel + " alone"];
  }
  for (const std::string& view : plan.views()) ++pairs[level + "view " + view];
}

}  // namespace

CpuFlags FlagsOfFamily() {
  CpuFlags all, family;
  for (const CpuFlagRow& row : kCpuFlagNames) all = all.With(row.flag);
#if defined(__x86_64__)
  constexpr std::string_view kLevels[] = {"avxvnni", "amx_int8"};  // neither has all of the other
#elif defined(__wasm__)
  constexpr std::string_view kLevels[] = {"simd128"};
#else
  constexpr std::string_view kLevels[] = {"i8mm"};
#endif
  for (const std::string_view level : kLevels) {
    for (const CpuFlagRow& row : kCpuFlagNames) {
      if (CapCpuFlags(all, level)->Has(row.flag)) family = family.With(row.flag);
    }
  }
  return family;
}

void CountPairs(const std::shared_ptr<const ValidModule>& module, PlanPairs& pairs) {
  static const CpuFlags family = FlagsOfFamily();
  std::vector<ModuleForKernels> forms = {LowerForKernels(module)};
  if (forms[0].module != module) forms.push_back({.module = module});
  for (ModuleForKernels& form : forms) {
    const auto compiled = std::make_shared<const ModuleForKernels>(std::move(form));
    for (const std::string_view level : CpuLevelsOf(family)) {
      CountPairs(
          *MakeCpuPlan(module, compiled, {.flags = *CapCpuFlags(family, level), .takes_small_layers = true}),
          std::string(level) + " ", pairs);
    }
  }
}

PlanPairs PairsOfDrawnModules(uint64_t count, uint64_t first) {
  PlanPairs pairs;
  for (uint64_t n = first; n < first + count; ++n)
    CountPairs(DrawModule(NoiseBytes(n, kNoiseOfModule)).module, pairs);
  return pairs;
}

}  // namespace tally
