#include "engines/cpu/gemm/matmul_builder.h"

#include "engines/cpu/gemm/gemm_epilogue.h"
#include "engines/cpu/gemm/gemm_step.h"
#include "engines/cpu/program/operand_formats.h"
#include "ops/linear/attrs.h"

namespace tally::cpu {

void AddMatmul(StepBuilder& builder, const FusionGroup& fused) {
  const Instruction& instruction = builder.instruction(fused.gemm);
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  const OperandFormats formats = *MatmulFormats(builder, fused.gemm);
  const MatrixProduct product = *ProductOf(builder, instruction);
  const MicroKernel& kernel = KernelFor(formats, product.rows, builder.context().flags);
  const ValueRef &a = builder.op().operands[0], &b = builder.op().operands[1];

  GemmSpec spec;
  spec.kernel = &kernel;
  spec.rows = PlanMatrix(product.rows, product.depth, product.columns, kernel);
  spec.columns = product.columns;
  spec.x = a.buffer;
  spec.x_group_bytes = product.rows * spec.rows.row_stride;
  const bool biases = kernel.element == Element::kBiasedS8;
  const bool packs = NeedsPacking(builder.schedule(), a, kernel, formats.x) ||
                     (biases && !MayCopyRows(spec.rows, product.columns, kernel));
  if (!packs && biases) ReadSignedRows(spec.rows, spec);
  if (packs) {
    spec.x = builder.NewBuffer(product.matrices * spec.x_group_bytes);
    builder.Add(MakePackMatrixStep({a, formats.x.base, kernel.element, spec.x}, builder.context().threads));
  }
  const int64_t zero_x = attrs.zero_a - formats.x.base;
  const TensorView* w = builder.constant(instruction.operands[1]);
  const std::vector<int64_t> first = AccumulatorInitOf(builder, fused, product.columns);
  if (w != nullptr && product.matrices == 1) {
    const int64_t column = attrs.transpose_b ? product.depth : 1,
                  depth = attrs.transpose_b ? 1 : product.columns;
    spec.weights.push_back(PackWeights(
        spec.rows, kernel.element, product.depth, zero_x, first,
        [&](int64_t n, int64_t k, int64_t) { return w->at(n * column + k * depth) - attrs.zero_b; }));
  } else {
    PackWeightsSpec pack = {.b = b,
                            .transposed = attrs.transpose_b,
                            .base = attrs.zero_b,
                            .depth = product.depth,
                            .columns = product.columns,
                            .matrices = product.matrices,
                            .zero_x = zero_x,
                            .first = first,
                            .element = kernel.element,
                            .k_groups = spec.rows.k_groups_per_segment};
    pack.packed = spec.packed = builder.NewBuffer(product.matrices * PackedMatrixBytes(pack));
    builder.Add(MakePackWeightsStep(std::move(pack), builder.context().threads));
  }
  AddS64Accumulation(formats, kernel, first, spec);
  spec.y = builder.op().results[0];
  spec.y_group = product.rows * product.columns;
  spec.epilogue = EpilogueOf(fused, product.columns, spec.y.storage, product.depth, formats, spec.weights);
  if (fused.residual) spec.residual = ResidualOf(builder);
  builder.Add(MakeGemmStep(std::move(spec), builder.context().threads));
}

}  // namespace tally::cpu
