#include "vm/engines/cpu/step_builder.h"

#include <algorithm>
#include <utility>

#include "base/int_math.h"
#include "ops/kernels.h"
#include "vm/engines/cpu/operator_step.h"
#include "vm/engines/cpu/proportion.h"

namespace tally::cpu {

const KernelEntry* FindKernel(const Schedule& schedule, const OperatorCall& call, Layout layout,
                              const Interval& accumulator, CpuFlags flags) {
  const KernelEntry* const kernel =
      WithFacts(schedule, call, layout, accumulator,
                [&](const KernelFacts& facts) { return SelectKernel(facts, flags); });
  if (kernel == nullptr) return nullptr;
  const int64_t scratch = ScratchBytes(schedule, *kernel, call, accumulator);
  return PartsInProportion(ValueBytes(call), scratch, 1) > 0 ? kernel : nullptr;
}

int64_t ScratchBytes(const Schedule& schedule, const KernelEntry& kernel, const OperatorCall& call,
                     const Interval& accumulator) {
  if (kernel.scratch_bytes == nullptr) return 0;
  return RoundUp(WithFacts(schedule, call, kernel.layout, accumulator, kernel.scratch_bytes),
                 kBufferAlignment);
}

Step& StepBuilder::Add(std::unique_ptr<Step> step) {
  Step& added = *step;
  op_.steps.push_back(std::move(step));
  return added;
}

void StepBuilder::AddOperator(OperatorCall call, Layout layout, const Interval& accumulator,
                              int64_t scratch_bytes) {
  const KernelEntry* const kernel = FindKernel(schedule_, call, layout, accumulator, context_.flags);
  if (kernel != nullptr) {
    const int64_t bytes = ScratchBytes(schedule_, *kernel, call, accumulator);
    const int parts = PartsInProportion(ValueBytes(call), bytes, context_.threads);
    const BufferId scratch = bytes == 0 ? -1 : NewBuffer(bytes * parts);
    if (kernel->in_place) WritesOver(0);
    Add(MakeKernelStep(*kernel, std::move(call), parts, scratch, bytes));
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
