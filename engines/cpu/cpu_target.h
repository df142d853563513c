// The answers of this engine to the passes of engines/compile.
#pragma once

#include "engines/compile/compile_target.h"
#include "engines/cpu/program/step_builder.h"

namespace tally::cpu {

class CpuTarget final : public CompileTarget {
 public:
  // Both outlive this.
  CpuTarget(const FunctionView& function, const PlanContext& context)
      : function_(function), context_(context) {}

  std::optional<GemmForm> GemmAt(size_t step) override;
  bool Fuses() const override { return context_.uses_gemm; }
  bool WritesIntoConcat(const FusionGroup& group) const override;
  std::optional<size_t> PoolBehind(const FusionGroup& group, const std::vector<int>& uses) const override;
  Layout LayoutOfX(const FusionGroup& group, bool has_row_major, bool has_channels_last) const override;
  bool RunsChannelsLast(const Schedule& schedule, const ScheduledOp& op) override;
  bool MayKeep(int64_t bytes) override;
  void Select(Schedule& schedule, ScheduledOp& op) override;

 private:
  const FunctionView& function_;
  const PlanContext& context_;
};

}  // namespace tally::cpu
