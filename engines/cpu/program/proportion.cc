#include "engines/cpu/program/proportion.h"

#include <algorithm>

#include "base/wide.h"
#include "engines/cpu/program/operand_formats.h"
#include "ops/cpu/gemm/gemm_cost.h"
#include "ops/proportion.h"

namespace tally::cpu {
namespace {

// Some hundred bytes of each step describe it.
constexpr int64_t kStepBytes = 2048;

GemmCost CostOf(const FunctionView& function, size_t step, CpuFlags flags) {
  const Instruction& instruction = function.instruction(step);
  if (instruction.op == Opcode::kMatmul) {
    const OperandFormats formats = *MatmulFormats(function, step);
    const MatrixProduct p = *ProductOf(function, instruction);
    const MicroKernel& kernel = KernelFor(formats, p.rows, flags);
    GemmCost cost = CostOfProducts(p.matrices, p.rows, p.depth, p.columns, kernel);
    if (function.constant(instruction.operands[1]) == nullptr || p.matrices > 1) {  // packed in each run
      cost.packed_x = SatAdd(cost.packed_x, cost.weights);
      cost.weights = 0;
    }
    return cost;
  }
  const OperandFormats formats = *ConvolutionFormats(function, step);
  const ConvolutionShape shape = ConvolutionOf(function, step).shape;
  if (IsDepthwise(shape)) {
    return CostOfDepthwise(shape, SelectDepthwiseKernel(formats.wide(), flags));
  }
  return CostOfConvolution(shape, KernelFor(formats, shape.rows(), flags));
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

bool FitsGemm(const FunctionView& function, size_t step, CpuFlags flags, int64_t& kept_bytes) {
  const GemmCost cost = CostOf(function, step, flags);
  Int128 values = function.type(function.result(step)).size_bytes();
  for (const ValueId id : function.instruction(step).operands) values += function.type(id).size_bytes();
  if (PartsInProportion(values, SatAdd(cost.packed_x, cost.scratch), 1) == 0) return false;
  const Int128 kept = SatAdd(SatAdd(cost.weights, cost.rows), kStepBytes);
  if (kept > kept_bytes) return false;
  kept_bytes -= static_cast<int64_t>(kept);
  return true;
}

}  // namespace tally::cpu
