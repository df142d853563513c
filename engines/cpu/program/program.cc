#include "engines/cpu/program/program.h"

namespace tally::cpu {

void BindExternals(Program& program) {
  const auto bind = [&](const ValueRef& value, size_t external) {
    Buffer& buffer = program.buffers[program.Root(value.buffer)];
    if (buffer.is_constant() || buffer.external >= 0 || buffer.overread_bytes > 0) return;
    if (program.buffers[value.buffer].size_bytes != buffer.size_bytes) return;
    buffer.external = static_cast<int32_t>(external);
  };
  for (size_t i = 0; i < program.params.size(); ++i) bind(program.params[i], i);
  for (size_t r = 0; r < program.results.size(); ++r) bind(program.results[r], program.params.size() + r);
}

void LinkWeights(Program& program) {
  std::span<const uint8_t> next;
  for (size_t s = program.steps.size(); s-- > 0;) {
    Step& step = StepAt(program, s);
    step.SetNextWeights(next);
    if (!step.weights().empty()) next = step.weights();
  }
}

}  // namespace tally::cpu
