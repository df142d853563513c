#include "vm/engines/cpu/matmul_builder.h"

#include "ops/linear/attrs.h"
#include "vm/engines/cpu/linear_factors.h"
#include "vm/engines/cpu/sums_finish.h"
#include "vm/engines/cpu/sums_step.h"

namespace tally::cpu {

void AddMatmul(ProgramBuilder& builder, const SumChain& chain) {
  const Instruction& instruction = builder.instruction(chain.sum);
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  const Factors factors = *MatmulFactors(builder, chain.sum);
  const MatrixProduct product = *ProductOf(builder, instruction);
  const BlockKernel& kernel = KernelFor(builder, factors, product.rows);
  const ValueId last = builder.facts().instructions[chain.last].first_result;
  const ValueRef a = builder.Get(instruction.operands[0], Layout::kRowMajor);
  const ValueRef b = builder.Get(instruction.operands[1], Layout::kRowMajor);

  SumsSpec spec;
  spec.kernel = &kernel;
  spec.rows = PlanMatrix(product.rows, product.depth, product.columns, kernel);
  spec.columns = product.columns;
  spec.x = a.buffer;
  spec.x_group_bytes = product.rows * spec.rows.row_stride;
  if (IsStaged(builder, a, kernel, factors.x)) {
    spec.x = builder.NewBuffer(product.matrices * spec.x_group_bytes);
    builder.Add(MakeStageMatrixStep({a, factors.x.base, kernel.element, spec.x}, builder.context().threads));
  }
  builder.NoteOverread(spec.x, spec.rows.overread_bytes);
  const int64_t zero_x = attrs.zero_a - factors.x.base;
  const TensorView* w = builder.constant(instruction.operands[1]);
  const std::vector<int64_t> first = FirstSumsOf(builder, chain, product.columns);
  if (w != nullptr && product.matrices == 1) {
    const int64_t column = attrs.transpose_b ? product.depth : 1,
                  depth = attrs.transpose_b ? 1 : product.columns;
    spec.weights.push_back(PackWeights(
        spec.rows, kernel.element, product.depth, zero_x, first,
        [&](int64_t n, int64_t k, int64_t) { return w->at(n * column + k * depth) - attrs.zero_b; }));
  } else {
    PackSpec pack = {.b = b,
                     .transposed = attrs.transpose_b,
                     .base = attrs.zero_b,
                     .depth = product.depth,
                     .columns = product.columns,
                     .matrices = product.matrices,
                     .zero_x = zero_x,
                     .first = first,
                     .element = kernel.element,
                     .granules = spec.rows.granules_per_run};
    pack.packed = spec.packed = builder.NewBuffer(product.matrices * PackedMatrixBytes(pack));
    builder.Add(MakePackStep(std::move(pack), builder.context().threads));
  }
  AddLongSums(factors, kernel, first, spec);
  spec.y = builder.NewValue(builder.type(last), Layout::kRowMajor);
  spec.y_group = product.rows * product.columns;
  spec.epilogue = EpilogueOf(chain, product.columns, spec.y.storage, product.depth, factors, spec.weights);
  if (chain.residual) {
    spec.residual = builder.Get(*chain.residual, Layout::kRowMajor);
    ReuseResidual(builder, chain, a, spec);
  }
  const ValueRef y = spec.y;
  builder.Add(MakeSumsStep(std::move(spec), builder.context().threads));
  builder.Set(last, y);
}

}  // namespace tally::cpu
