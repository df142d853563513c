#include "engines/cpu/program/step_builder.h"

#include <algorithm>
#include <utility>

#include "base/int_math.h"
#include "engines/cpu/program/operator_step.h"
#include "engines/cpu/program/proportion.h"

namespace tally::cpu {

std::optional<SelectedKernel> FindKernel(const Schedule& schedule, const OperatorCall& call, Layout layout,
                                         const Interval& accumulator, CpuFlags flags) {
  auto kernel = WithFacts(schedule, call, layout, accumulator,
                          [&](const KernelFacts& facts) { return SelectKernel(facts, flags); });
  if (!kernel) return std::nullopt;
  int64_t& scratch = kernel->prepared.scratch_bytes;
  scratch = RoundUp(scratch, kBufferAlignment);
  if (PartsInProportion(ValueBytes(call), scratch, 1) == 0) return std::nullopt;
  return kernel;
}

Step& StepBuilder::Add(std::unique_ptr<Step> step) {
  Step& added = *step;
  op_.steps.push_back(std::move(step));
  return added;
}

void StepBuilder::AddOperator(OperatorCall call, Layout layout, const Interval& accumulator,
                              int64_t scratch_bytes) {
  auto kernel = FindKernel(schedule_, call, layout, accumulator, context_.flags);
  if (kernel) {
    const int64_t bytes = kernel->prepared.scratch_bytes;
    const int parts = PartsInProportion(ValueBytes(call), bytes, context_.threads);
    const BufferId scratch = bytes == 0 ? -1 : NewBuffer(bytes * parts);
    if (kernel->entry->in_place) WritesOver(0);
    Add(MakeKernelStep(*std::move(kernel), std::move(call), parts, scratch));
    return;
  }
  // Functions have the memory of their programs instead of that which validation has counted.
  int64_t functions = 0, counted = 0;
  ForEachFunction(InfoOf(call.op).attributes, call.attributes, [&](int64_t f) {
    functions = std::max(functions, (*context_.programs)[f].arena_bytes);
    counted = std::max(counted, module().functions()[f].arena_bytes);
  });
  functions = RoundUp(functions, kBufferAlignment);
  const int64_t bytes = functions + scratch_bytes - counted;
  const BufferId scratch = bytes == 0 ? -1 : NewBuffer(bytes);
  Add(MakeReferenceStep(std::move(call), module(), context_.programs, scratch, functions));
}

}  // namespace tally::cpu
