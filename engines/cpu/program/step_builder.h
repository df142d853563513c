// Builds the steps of one operation on kernels of this processor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/cpu_flags.h"
#include "engines/compile/function_view.h"
#include "engines/compile/operator_call.h"
#include "engines/cpu/program/program.h"
#include "ops/cpu/registry.h"

namespace tally::cpu {

struct PlanContext {
  CpuFlags flags;
  int threads = 1;
  bool takes_small_layers = false;                  // see CpuPlanOptions
  const std::vector<Schedule>* programs = nullptr;  // for the functions after this one, once they are built
  // Micro-kernels compute GEMM, fused with what follows them, on copies as they want them. Else every step
  // reads and writes values as the module has them.
  bool uses_gemm = true;
  int64_t* kept_bytes = nullptr;  // that the plan may still keep
};

// The kernel for `call` in `layout`, if there is one whose working memory is in proportion. That of a thread
// is a multiple of kBufferAlignment.
std::optional<SelectedKernel> FindKernel(const Schedule& schedule, const OperatorCall& call, Layout layout,
                                         const Interval& accumulator, CpuFlags flags);

class StepBuilder : public FunctionView {
 public:
  StepBuilder(const FunctionView& function, const PlanContext& context, Schedule& schedule, ScheduledOp& op)
      : FunctionView(function), context_(context), schedule_(schedule), op_(op) {}

  const PlanContext& context() const { return context_; }
  const Schedule& schedule() const { return schedule_; }
  const ScheduledOp& op() const { return op_; }

  BufferId NewBuffer(int64_t size_bytes) { return schedule_.NewBuffer(size_bytes); }
  Step& Add(std::unique_ptr<Step> step);
  // The first result may be written over this operand.
  void WritesOver(int operand) { op_.in_place_operand = operand; }

  // The step of `call` on a kernel in `layout` if there is one, else on the reference, which needs row-major
  // operands. `scratch_bytes`: of an operator that calls functions.
  void AddOperator(OperatorCall call, Layout layout, const Interval& accumulator, int64_t scratch_bytes = 0);

 private:
  const PlanContext& context_;
  Schedule& schedule_;
  ScheduledOp& op_;
};

}  // namespace tally::cpu
