#include "vm/engines/cpu/gemm_builder.h"

#include <optional>

#include "ops/cpu/gemm/depthwise.h"
#include "ops/linear/attrs.h"
#include "vm/engines/cpu/convolution_builder.h"
#include "vm/engines/cpu/matmul_builder.h"
#include "vm/engines/cpu/operand_formats.h"

namespace tally::cpu {

std::optional<GemmForm> FindGemm(const ProgramBuilder& builder, size_t step) {
  const auto form = [](const std::optional<OperandFormats>& formats, int axis) -> std::optional<GemmForm> {
    if (!formats) return std::nullopt;
    return GemmForm{axis, formats->is_s64};
  };
  const int rank = builder.type(builder.facts().instructions[step].first_result).shape.rank();
  switch (builder.instruction(step).op) {
    case Opcode::kConvolution:
    case Opcode::kConvTranspose: return form(ConvolutionFormats(builder, step), 1);
    case Opcode::kMatmul: return form(MatmulFormats(builder, step), rank - 1);
    default: return std::nullopt;
  }
}

bool CanWriteIntoConcat(const ProgramBuilder& builder, const FusionGroup& fused) {
  const Instruction& instruction = builder.instruction(fused.gemm);
  if (instruction.op == Opcode::kMatmul || fused.viewed || fused.residual) return false;
  return !IsDepthwise(ConvolutionOf(builder, fused.gemm).shape);
}

void AddGemm(ProgramBuilder& builder, const FusionGroup& fused) {
  if (builder.instruction(fused.gemm).op == Opcode::kMatmul) return AddMatmul(builder, fused);
  AddConvolution(builder, fused);
}

}  // namespace tally::cpu
