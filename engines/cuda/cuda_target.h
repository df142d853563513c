// The answers of this engine to the passes of engines/compile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/compile/compile_target.h"
#include "engines/compile/operator_call.h"
#include "engines/cuda/program.h"
#include "ops/cuda/gemm/gemm.h"
#include "ops/cuda/registry.h"

namespace tally::cuda {

struct PlanContext {
  Arch arch = Arch::kSm80;
  const std::vector<Program>* programs = nullptr;  // for the functions after this one, once they are built
  bool fuses = true;                               // GEMM with what follows it
  // The bytes of constants that a plan makes. Half of it is for packed weights: beyond, GEMM reads weights as
  // they are, with what that needs from the other half. Beyond both, steps run on references.
  int64_t most_made_bytes = 0;
  int64_t made_bytes = 0;         // so far
  int64_t direct_bytes_left = 0;  // for that other half
};

class CudaTarget final : public CompileTarget {
 public:
  // Both outlive this.
  CudaTarget(const FunctionView& function, PlanContext& context) : function_(function), context_(context) {}

  std::optional<GemmForm> GemmAt(size_t step) override;
  bool Fuses() const override { return context_.fuses; }
  Layout LayoutOfX(const FusionGroup& group, bool has_row_major, bool has_channels_last) const override;
  bool RunsChannelsLast(const Schedule& schedule, const ScheduledOp& op) override;
  bool MayKeep(int64_t bytes) override;
  void Select(Schedule& schedule, ScheduledOp& op) override;

 private:
  void SelectInstruction(Schedule& schedule, ScheduledOp& op);
  void SelectGemm(Schedule& schedule, ScheduledOp& op);
  // On its reference. Everything is row-major.
  void AddReference(Schedule& schedule, ScheduledOp& op);
  // A step for `work` on the operands and results of `op`.
  void AddWork(std::string_view name, Work work, Schedule& schedule, ScheduledOp& op);

  // Whether GEMM takes the instruction, for which what its launches need is then taken from what the plan may
  // keep.
  bool TakesGemm(size_t step);
  // Takes the constants of `work` from what the plan may keep, if `most` bytes may be made in all.
  bool Keeps(const Work& work, int64_t most);
  std::optional<SelectedKernel> PrepareInstruction(const Schedule& schedule, const ScheduledOp& op) const;

  const FunctionView& function_;
  PlanContext& context_;
  std::map<size_t, SelectedKernel> prepared_;  // instructions that run channels last
};

}  // namespace tally::cuda
