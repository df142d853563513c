#include "engines/cuda/compile_module.h"

#include <utility>

#include "engines/cuda/cuda_target.h"
#include "engines/shared/engine_memory.h"

namespace tally::cuda {

void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Program>& programs,
             Constants& constants) {
  const size_t count = module.functions().size();
  programs.resize(count);
  const int64_t most_made_bytes = PlanMemoryBound(options.published) - module.constant_bytes();
  PlanContext context = {.arch = options.arch,
                         .programs = &programs,
                         .most_made_bytes = most_made_bytes,
                         .direct_bytes_left = most_made_bytes / 2};
  const std::vector<int64_t> memory_bounds = EngineMemoryBounds(options.published, 1);
  for (size_t f = count; f-- > 0;) {
    const FunctionView function(module, f);
    const PlanContext begin = context;
    const auto compile = [&](bool fuses, const PassObserver& after) {
      context = begin;
      context.fuses = fuses;
      CudaTarget target(function, context);
      return CompileFunction(function, target,
                             {.observed = options.observed == nullptr ? nullptr : &(*options.observed)[f],
                              .show_as = options.show_as,
                              .after = after});
    };
    bool fuses = true;
    Schedule schedule = compile(fuses, nullptr);
    // The operands of a fusion group live until its end: a module may be made so that this takes any multiple
    // of its own memory.
    if (schedule.arena_bytes > memory_bounds[f]) schedule = compile(fuses = false, nullptr);
    if (options.after) schedule = compile(fuses, options.after);
    programs[f] = Program(std::move(schedule), constants);
  }
}

}  // namespace tally::cuda
