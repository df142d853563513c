#include "vm/engines/cpu/convolution_builder.h"

#include "ops/linear/attrs.h"
#include "ops/linear/packed/depthwise.h"
#include "vm/engines/cpu/depthwise_builder.h"
#include "vm/engines/cpu/linear_factors.h"
#include "vm/engines/cpu/pooled_sums_builder.h"
#include "vm/engines/cpu/sums_finish.h"
#include "vm/engines/cpu/sums_step.h"

namespace tally::cpu {
namespace {

// Where the result of a joined chain begins; `rows` are moved to where its rows are.
ValueRef JoinedRows(ProgramBuilder& builder, const SumChain& chain, RowPlan& rows) {
  if (!builder.Has(*chain.joined, Layout::kChannelsLast)) {
    builder.Reserve(*chain.joined, builder.NewValue(builder.type(*chain.joined), Layout::kChannelsLast));
  }
  const ValueRef whole = builder.Get(*chain.joined, Layout::kChannelsLast);
  const TensorType& part = builder.type(builder.facts().instructions[chain.last].first_result);
  for (int64_t& row : rows.rows) {
    if (row >= 0) row = row / part.shape[1] * whole.type.shape[1];
  }
  return builder.View(whole, part, chain.joined_channel * SizeBytes(whole.storage));
}

}  // namespace

void AddConvolution(ProgramBuilder& builder, const SumChain& chain) {
  const Instruction& instruction = builder.instruction(chain.sum);
  const ConvolutionCall call = ConvolutionOf(builder, chain.sum);
  const ConvolutionShape& shape = call.shape;
  const Factors factors = *ConvolutionFactors(builder, chain.sum);
  const ValueId last = builder.facts().instructions[chain.last].first_result;
  const TensorView& w = *builder.constant(instruction.operands[1]);

  if (IsDepthwise(shape)) return AddDepthwise(builder, chain, call, factors);
  const BlockKernel& kernel = KernelFor(builder, factors, shape.rows());

  // The first layer of a network on images reads its few channels where they are.
  const bool few = shape.channels <= 4 && builder.Has(instruction.operands[0], Layout::kRowMajor);
  const ValueRef x = builder.Get(instruction.operands[0], few ? Layout::kRowMajor : Layout::kChannelsLast);
  const bool is_element = !IsStaged(builder, x, kernel, factors.x) && x.layout == Layout::kChannelsLast;
  ConvolutionRows rows = PlanConvolution(shape, kernel, x.layout == Layout::kRowMajor, is_element);

  SumsSpec spec;
  spec.kernel = &kernel;
  spec.columns = shape.group_out_channels();
  spec.x = x.buffer;
  if (!rows.in_place) {
    const int64_t bytes = shape.batch * shape.groups * rows.image.bytes();
    spec.x = builder.NewBuffer(bytes);
    spec.x_group_bytes = rows.image.bytes();
    builder.Add(MakeStageStep({shape, rows.image, x, factors.x.base, call.zero_x, spec.x},
                              builder.context().threads));
  }
  builder.NoteOverread(spec.x, rows.plan.overread_bytes);
  const std::vector<int64_t> first = FirstSumsOf(builder, chain, shape.out_channels);
  const int64_t channels = shape.group_channels(), taps = shape.taps();
  for (int64_t g = 0; g < shape.groups; ++g) {
    spec.weights.push_back(PackWeights(
        rows.plan, kernel.element, channels, call.zero_x - factors.x.base,
        std::span(first).subspan(g * spec.columns, spec.columns),
        [&](int64_t n, int64_t c, int64_t tap) { return w.at(call.weight_at(g, n, c, tap)) - call.zero_w; }));
  }
  spec.rows = std::move(rows.plan);
  AddLongSums(factors, kernel, first, spec);
  const Layout layout = chain.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
  if (chain.pool) {
    spec.y = {-1, builder.type(last), builder.type(last).storage(), layout};
  } else {
    spec.y =
        chain.joined ? JoinedRows(builder, chain, spec.rows) : builder.NewValue(builder.type(last), layout);
  }
  spec.y_group = spec.columns;
  spec.epilogue = EpilogueOf(chain, spec.columns, spec.y.storage, channels * taps, factors, spec.weights);
  if (chain.residual) {
    spec.residual = builder.Get(*chain.residual, layout);
    ReuseResidual(builder, chain, x, spec);
  }
  if (chain.pool) return AddPooledSums(builder, *chain.pool, std::move(spec));
  const ValueRef y = spec.y;
  builder.Add(MakeSumsStep(std::move(spec), builder.context().threads));
  if (!chain.joined) builder.Set(last, y);
}

}  // namespace tally::cpu
