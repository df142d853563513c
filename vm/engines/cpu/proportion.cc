#include "vm/engines/cpu/proportion.h"

#include <algorithm>

#include "base/wide.h"
#include "ops/cpu/gemm/gemm_cost.h"
#include "ops/proportion.h"
#include "vm/engines/cpu/operand_formats.h"

namespace tally::cpu {
namespace {

// Some hundred bytes of each step describe it.
constexpr int64_t kStepBytes = 2048;

GemmCost CostOf(const ProgramBuilder& builder, size_t step) {
  const Instruction& instruction = builder.instruction(step);
  if (instruction.op == Opcode::kMatmul) {
    const OperandFormats formats = *MatmulFormats(builder, step);
    const MatrixProduct p = *ProductOf(builder, instruction);
    const MicroKernel& kernel = KernelFor(builder, formats, p.rows);
    GemmCost cost = CostOfProducts(p.matrices, p.rows, p.depth, p.columns, kernel);
    if (builder.constant(instruction.operands[1]) == nullptr || p.matrices > 1) {  // packed in each run
      cost.packed_x = SatAdd(cost.packed_x, cost.weights);
      cost.weights = 0;
    }
    return cost;
  }
  const OperandFormats formats = *ConvolutionFormats(builder, step);
  const ConvolutionShape shape = ConvolutionOf(builder, step).shape;
  if (IsDepthwise(shape)) {
    return CostOfDepthwise(shape, SelectDepthwiseKernel(formats.wide(), builder.context().flags));
  }
  return CostOfConvolution(shape, KernelFor(builder, formats, shape.rows()));
}

}  // namespace

int PartsInProportion(Int128 value_bytes, Int128 bytes, int threads) {
  if (bytes <= kFreeStepBytes) return threads;
  return static_cast<int>(std::min<Int128>(MostStepBytes(value_bytes) / bytes, threads));
}

Int128 ValueBytes(const OperatorCall& call) {
  Int128 bytes = 0;
  for (const auto* values : {&call.operands, &call.results}) {
    for (const ValueRef& v : *values) bytes += Int128{v.type.shape.num_elements()} * SizeBytes(v.storage);
  }
  return bytes;
}

bool FitsGemm(const ProgramBuilder& builder, size_t step, int64_t& kept_bytes) {
  const GemmCost cost = CostOf(builder, step);
  Int128 values = builder.type(builder.result(step)).size_bytes();
  for (const ValueId id : builder.instruction(step).operands) values += builder.type(id).size_bytes();
  if (PartsInProportion(values, SatAdd(cost.packed_x, cost.scratch), 1) == 0) return false;
  const Int128 kept = SatAdd(SatAdd(cost.weights, cost.rows), kStepBytes);
  if (kept > kept_bytes) return false;
  kept_bytes -= static_cast<int64_t>(kept);
  return true;
}

}  // namespace tally::cpu
