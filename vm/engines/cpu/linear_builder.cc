#include "vm/engines/cpu/linear_builder.h"

#include <optional>

#include "ops/linear/attrs.h"
#include "ops/linear/packed/depthwise.h"
#include "vm/engines/cpu/convolution_builder.h"
#include "vm/engines/cpu/linear_factors.h"
#include "vm/engines/cpu/matmul_builder.h"

namespace tally::cpu {

std::optional<SumForm> FindSum(const ProgramBuilder& builder, size_t step) {
  const auto form = [](const std::optional<Factors>& factors, int axis) -> std::optional<SumForm> {
    if (!factors) return std::nullopt;
    return SumForm{axis, factors->is_long};
  };
  const int rank = builder.type(builder.facts().instructions[step].first_result).shape.rank();
  switch (builder.instruction(step).op) {
    case Opcode::kConvolution:
    case Opcode::kConvTranspose: return form(ConvolutionFactors(builder, step), 1);
    case Opcode::kMatmul: return form(MatmulFactors(builder, step), rank - 1);
    default: return std::nullopt;
  }
}

bool CanJoin(const ProgramBuilder& builder, const SumChain& chain) {
  const Instruction& instruction = builder.instruction(chain.sum);
  if (instruction.op == Opcode::kMatmul || chain.viewed || chain.residual) return false;
  return !IsDepthwise(ConvolutionOf(builder, chain.sum).shape);
}

void AddSums(ProgramBuilder& builder, const SumChain& chain) {
  if (builder.instruction(chain.sum).op == Opcode::kMatmul) return AddMatmul(builder, chain);
  AddConvolution(builder, chain);
}

}  // namespace tally::cpu
