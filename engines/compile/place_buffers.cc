#include "engines/compile/arena_layout.h"
#include "engines/compile/passes.h"

namespace tally {

void PlaceBuffers(Schedule& schedule) {
  ArenaLayout layout(schedule.buffers.size());
  const auto use = [&](BufferId id, int32_t step) { layout.Use(schedule.Root(id), step); };
  // Parameters arrive ahead of the first step and results leave behind the last one.
  for (const ValueRef& param : schedule.params) use(param.buffer, 0);
  int32_t steps = 0;
  auto shown = schedule.shown.begin();
  const auto show_until = [&](size_t ops) {
    for (; shown != schedule.shown.end() && shown->steps <= ops; ++shown) use(shown->value.buffer, steps);
  };
  for (size_t op = 0; op < schedule.ops.size(); ++op) {
    show_until(op);
    for (const auto& step : schedule.ops[op].steps) {
      ++steps;
      for (const BufferId id : step->reads()) use(id, steps);
      for (const BufferId id : step->writes()) use(id, steps);
    }
  }
  show_until(schedule.ops.size());
  for (const ValueRef& result : schedule.results) use(result.buffer, steps + 1);

  for (size_t id = 0; id < schedule.buffers.size(); ++id) {
    const Buffer& buffer = schedule.buffers[id];
    if (buffer.alias_of >= 0 || buffer.is_constant() || !layout.IsUsed(id)) continue;
    // Bytes past the end that a step reads count for nothing, but other parts must not write there meanwhile.
    layout.Add(id, buffer.size_bytes + buffer.overread_bytes);
  }
  for (const auto& [id, offset] : layout.Place(schedule.arena_bytes)) schedule.buffers[id].offset = offset;
}

}  // namespace tally
