#include "engines/cpu/gemm/gemm_builder.h"

#include <optional>

#include "engines/cpu/gemm/convolution_builder.h"
#include "engines/cpu/gemm/matmul_builder.h"
#include "engines/cpu/program/operand_formats.h"
#include "ops/linear/attrs.h"

namespace tally::cpu {

std::optional<GemmForm> FindGemm(const FunctionView& function, size_t step) {
  const auto form = [](const std::optional<OperandFormats>& formats, int axis) -> std::optional<GemmForm> {
    if (!formats) return std::nullopt;
    return GemmForm{axis, formats->is_s64};
  };
  const int rank = function.type(function.result(step)).shape.rank();
  switch (function.instruction(step).op) {
    case Opcode::kConvolution:
    case Opcode::kConvTranspose: return form(ConvolutionFormats(function, step), 1);
    case Opcode::kMatmul: return form(MatmulFormats(function, step), rank - 1);
    default: return std::nullopt;
  }
}

void AddGemm(StepBuilder& builder, const FusionGroup& fused) {
  if (builder.instruction(fused.gemm).op == Opcode::kMatmul) return AddMatmul(builder, fused);
  AddConvolution(builder, fused);
}

}  // namespace tally::cpu
