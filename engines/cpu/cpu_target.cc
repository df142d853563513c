#include "engines/cpu/cpu_target.h"

#include <cassert>

#include "engines/cpu/gemm/gemm_builder.h"
#include "engines/cpu/gemm/pooled_convolution_builder.h"
#include "engines/cpu/program/operand_formats.h"
#include "engines/cpu/program/proportion.h"
#include "ops/cpu/gemm/depthwise.h"

namespace tally::cpu {

std::optional<GemmForm> CpuTarget::GemmAt(size_t step) {
  if (!context_.uses_gemm) return std::nullopt;
  const auto gemm = FindGemm(function_, step);
  return gemm && FitsGemm(function_, step, context_.flags, *context_.kept_bytes) ? gemm : std::nullopt;
}

bool CpuTarget::WritesIntoConcat(const FusionGroup& group) const {
  if (function_.instruction(group.gemm).op == Opcode::kMatmul || group.viewed || group.residual) return false;
  return !IsDepthwise(ConvolutionOf(function_, group.gemm).shape);
}

std::optional<size_t> CpuTarget::PoolBehind(const FusionGroup& group, const std::vector<int>& uses) const {
  return FindPool(function_, context_, group, uses);
}

// The first layer of a network on images reads its few channels where they are.
Layout CpuTarget::LayoutOfX(const FusionGroup& group, bool has_row_major, bool) const {
  const ConvolutionShape shape = ConvolutionOf(function_, group.gemm).shape;
  const bool few = !IsDepthwise(shape) && shape.channels <= 4 && has_row_major;
  return few ? Layout::kRowMajor : Layout::kChannelsLast;
}

bool CpuTarget::RunsChannelsLast(const Schedule& schedule, const ScheduledOp& op) {
  return FindKernel(schedule, CallOf(function_, op), Layout::kChannelsLast,
                    function_.facts().instructions[op.instruction].accumulator, context_.flags)
      .has_value();
}

bool CpuTarget::MayKeep(int64_t bytes) {
  if (bytes > *context_.kept_bytes) return false;
  *context_.kept_bytes -= bytes;
  return true;
}

void CpuTarget::Select(Schedule& schedule, ScheduledOp& op) {
  StepBuilder builder(function_, context_, schedule, op);
  switch (op.kind) {
    case ScheduledOpKind::kFusionGroup: return AddGemm(builder, schedule.groups[op.group]);
    case ScheduledOpKind::kConvert:
      return builder.AddOperator(ConversionOf(op.operands[0], op.results[0]), Layout::kRowMajor, {});
    case ScheduledOpKind::kCopy: return builder.AddOperator(CallOf(function_, op), op.layout, {});
    case ScheduledOpKind::kInstruction: {
      const InstructionFacts& facts = function_.facts().instructions[op.instruction];
      return builder.AddOperator(CallOf(function_, op), op.layout, facts.accumulator, facts.scratch_bytes);
    }
    case ScheduledOpKind::kView:
    case ScheduledOpKind::kStore:
    case ScheduledOpKind::kRoot: assert(false);  // observers of this engine convert on their own
  }
}

}  // namespace tally::cpu
