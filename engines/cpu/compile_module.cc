#include "engines/cpu/compile_module.h"

#include <algorithm>
#include <utility>

#include "engines/cpu/cpu_target.h"
#include "engines/cpu/program/program.h"
#include "engines/shared/engine_memory.h"

namespace tally::cpu {
namespace {

bool HasParts(const Schedule& program) {
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    if (program.IsPart(static_cast<BufferId>(id))) return true;
  }
  return false;
}

}  // namespace

void Compile(const ValidModule& module, const CompileOptions& options, std::vector<Schedule>& programs) {
  const size_t count = module.functions().size();
  programs.resize(count);
  const std::vector<int64_t> memory_bounds = EngineMemoryBounds(options.published, options.threads);
  int64_t kept_bytes = PlanMemoryBound(options.published);
  PlanContext context = {.flags = options.flags,
                         .threads = options.threads,
                         .takes_small_layers = options.takes_small_layers,
                         .programs = &programs,
                         .kept_bytes = &kept_bytes};
  for (size_t f = count; f-- > 0;) {
    const FunctionView function(module, f);
    const ObservedFunction* const observed = options.observed == nullptr ? nullptr : &(*options.observed)[f];
    const int64_t bytes_left = kept_bytes;
    struct Way {
      bool parts_are_views, uses_gemm;
    };
    const auto compile = [&](const Way& way, const PassObserver& after) {
      kept_bytes = bytes_left;
      context.uses_gemm = way.uses_gemm;
      CpuTarget target(function, context);
      return CompileFunction(function, target,
                             {.observed = observed,
                              .show_as = options.show_as,
                              .parts_are_views = way.parts_are_views,
                              .writes_in_place = true,
                              .after = after});
    };
    Way way = {true, true};
    Schedule& program = programs[f];
    program = compile(way, nullptr);
    // A value with parts lives as long as they do, and an operand of a fusion group until the group's end. A
    // module may be made so that this takes any multiple of the memory that it has been validated with: then
    // parts are copied, or all is as the module has it.
    if (HasParts(program) && program.arena_bytes > 2 * module.functions()[f].arena_bytes) {
      const Way copies = {false, true};
      Schedule copying = compile(copies, nullptr);
      if (copying.arena_bytes < program.arena_bytes) {
        program = std::move(copying);
        way = copies;
      }
    }
    if (program.arena_bytes > memory_bounds[f]) program = compile(way = {false, false}, nullptr);
    if (options.after) program = compile(way, options.after);
    LinkWeights(program);
  }
}

}  // namespace tally::cpu
