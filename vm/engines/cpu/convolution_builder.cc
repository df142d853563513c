#include "vm/engines/cpu/convolution_builder.h"

#include "ops/cpu/gemm/depthwise.h"
#include "ops/linear/attrs.h"
#include "vm/engines/cpu/depthwise_builder.h"
#include "vm/engines/cpu/gemm_epilogue.h"
#include "vm/engines/cpu/gemm_step.h"
#include "vm/engines/cpu/operand_formats.h"
#include "vm/engines/cpu/pooled_convolution_builder.h"

namespace tally::cpu {
namespace {

// Where the part of a concatenation begins that the fusion group computes; `rows` are moved to where its rows are.
ValueRef RowsOfConcat(ProgramBuilder& builder, const FusionGroup& fused, GemmPlan& rows) {
  if (!builder.Has(*fused.concat, Layout::kChannelsLast)) {
    builder.Reserve(*fused.concat, builder.NewValue(builder.type(*fused.concat), Layout::kChannelsLast));
  }
  const ValueRef whole = builder.Get(*fused.concat, Layout::kChannelsLast);
  const TensorType& part = builder.type(builder.facts().instructions[fused.last].first_result);
  for (int64_t& row : rows.rows) {
    if (row >= 0) row = row / part.shape[1] * whole.type.shape[1];
  }
  return builder.View(whole, part, fused.concat_channel * SizeBytes(whole.storage));
}

}  // namespace

void AddConvolution(ProgramBuilder& builder, const FusionGroup& fused) {
  const Instruction& instruction = builder.instruction(fused.gemm);
  const ConvolutionCall call = ConvolutionOf(builder, fused.gemm);
  const ConvolutionShape& shape = call.shape;
  const OperandFormats formats = *ConvolutionFormats(builder, fused.gemm);
  const ValueId last = builder.facts().instructions[fused.last].first_result;
  const TensorView& w = *builder.constant(instruction.operands[1]);

  if (IsDepthwise(shape)) return AddDepthwise(builder, fused, call, formats);
  const MicroKernel& kernel = KernelFor(builder, formats, shape.rows());

  // The first layer of a network on images reads its few channels where they are.
  const bool few = shape.channels <= 4 && builder.Has(instruction.operands[0], Layout::kRowMajor);
  const ValueRef x = builder.Get(instruction.operands[0], few ? Layout::kRowMajor : Layout::kChannelsLast);
  const bool is_element = !NeedsPacking(builder, x, kernel, formats.x) && x.layout == Layout::kChannelsLast;
  ConvolutionPlan rows = PlanConvolution(shape, kernel, x.layout == Layout::kRowMajor, is_element);

  GemmSpec spec;
  spec.kernel = &kernel;
  spec.columns = shape.group_out_channels();
  spec.x = x.buffer;
  if (!rows.in_place) {
    const int64_t bytes = shape.batch * shape.groups * rows.image.bytes();
    spec.x = builder.NewBuffer(bytes);
    spec.x_group_bytes = rows.image.bytes();
    builder.Add(MakePackImageStep({shape, rows.image, x, formats.x.base, call.zero_x, spec.x},
                                  builder.context().threads));
  }
  builder.NoteOverread(spec.x, rows.plan.overread_bytes);
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
  const Layout layout = fused.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
  if (fused.pool) {
    spec.y = {-1, builder.type(last), builder.type(last).storage(), layout};
  } else {
    spec.y =
        fused.concat ? RowsOfConcat(builder, fused, spec.rows) : builder.NewValue(builder.type(last), layout);
  }
  spec.y_group = spec.columns;
  spec.epilogue = EpilogueOf(fused, spec.columns, spec.y.storage, channels * taps, formats, spec.weights);
  if (fused.residual) {
    spec.residual = builder.Get(*fused.residual, layout);
    ReuseResidual(builder, fused, x, spec);
  }
  if (fused.pool) return AddPooledConvolution(builder, *fused.pool, std::move(spec));
  const ValueRef y = spec.y;
  builder.Add(MakeGemmStep(std::move(spec), builder.context().threads));
  if (!fused.concat) builder.Set(last, y);
}

}  // namespace tally::cpu
