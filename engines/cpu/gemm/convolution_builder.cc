#include "engines/cpu/gemm/convolution_builder.h"

#include "engines/cpu/gemm/depthwise_builder.h"
#include "engines/cpu/gemm/gemm_epilogue.h"
#include "engines/cpu/gemm/gemm_step.h"
#include "engines/cpu/gemm/pooled_convolution_builder.h"
#include "engines/cpu/gemm/winograd_step.h"
#include "engines/cpu/program/operand_formats.h"
#include "ops/cpu/gemm/depthwise.h"
#include "ops/linear/attrs.h"

namespace tally::cpu {
namespace {

// Rows of `channels` to where they are among those of a concatenation.
void MoveToConcat(int64_t channels, const TensorType& whole, GemmPlan& rows) {
  for (int64_t& row : rows.rows) {
    if (row >= 0) row = row / channels * whole.shape[1];
  }
}

}  // namespace

void AddConvolution(StepBuilder& builder, const FusionGroup& fused) {
  const Instruction& instruction = builder.instruction(fused.gemm);
  const ConvolutionCall call = ConvolutionOf(builder, fused.gemm);
  const ConvolutionShape& shape = call.shape;
  const OperandFormats formats = *ConvolutionFormats(builder, fused.gemm);
  const TensorView& w = *builder.constant(instruction.operands[1]);

  if (IsDepthwise(shape)) return AddDepthwise(builder, fused, call, formats);
  const MicroKernel& kernel = KernelFor(formats, shape.rows(), builder.context().flags);

  if (const WinogradKernel* winograd = WinogradFor(builder, fused, call, formats, kernel)) {
    return AddWinograd(builder, fused, call, formats, *winograd);
  }

  const ValueRef& x = builder.op().operands[0];
  const bool is_element =
      !NeedsPacking(builder.schedule(), x, kernel, formats.x) && x.layout == Layout::kChannelsLast;
  ConvolutionPlan rows = PlanConvolution(shape, kernel, x.layout == Layout::kRowMajor, is_element);

  GemmSpec spec;
  spec.kernel = &kernel;
  spec.columns = shape.group_out_channels();
  spec.x = x.buffer;
  if (rows.in_place && kernel.element == Element::kBiasedS8) {
    rows.in_place = shape.taps() == 1 && MayCopyRows(rows.plan, spec.columns, kernel);
    if (rows.in_place) ReadSignedRows(rows.plan, spec);
  }
  if (!rows.in_place) {
    const int64_t bytes = shape.batch * shape.groups * rows.image.bytes();
    spec.x = builder.NewBuffer(bytes);
    spec.x_group_bytes = rows.image.bytes();
    builder.Add(MakePackImageStep({shape, rows.image, x, formats.x.base, call.zero_x, spec.x},
                                  builder.context().threads));
  }
  const std::vector<int64_t> first = AccumulatorInitOf(builder, fused, shape.out_channels);
  const int64_t channels = shape.group_channels(), taps = shape.taps();
  for (int64_t g = 0; g < shape.groups; ++g) {
    spec.weights.push_back(PackWeights(
        rows.plan, kernel.element, channels, call.zero_x - formats.x.base,
        std::span(first).subspan(g * spec.columns, spec.columns),
        [&](int64_t n, int64_t c, int64_t tap) { return w.at(call.weight_at(g, n, c, tap)) - call.zero_w; }));
  }
  spec.rows = std::move(rows.plan);
  AddS64Accumulation(formats, kernel, first, spec);
  spec.y = builder.op().results[0];
  if (fused.pool) {
    const TensorType& image = builder.type(builder.result(fused.last));
    spec.y = {-1, image, image.storage(), Layout::kChannelsLast};
  }
  if (fused.concat) MoveToConcat(spec.y.type.shape[1], builder.type(*fused.concat), spec.rows);
  spec.y_group = spec.columns;
  spec.epilogue = EpilogueOf(fused, spec.columns, spec.y.storage, channels * taps, formats, spec.weights);
  if (fused.residual) spec.residual = ResidualOf(builder);
  if (fused.pool) return AddPooledConvolution(builder, *fused.pool, std::move(spec));
  builder.Add(MakeGemmStep(std::move(spec), builder.context().threads));
}

}  // namespace tally::cpu
