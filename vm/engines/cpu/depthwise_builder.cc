#include "vm/engines/cpu/depthwise_builder.h"

#include <algorithm>

#include "base/int_math.h"
#include "vm/engines/cpu/depthwise_step.h"
#include "vm/engines/cpu/proportion.h"
#include "vm/engines/cpu/sums_finish.h"

namespace tally::cpu {

void AddDepthwise(ProgramBuilder& builder, const SumChain& chain, const ConvolutionCall& call,
                  const Factors& factors) {
  const Instruction& instruction = builder.instruction(chain.sum);
  const ConvolutionShape& source = call.shape;
  const ValueId last = builder.facts().instructions[chain.last].first_result;
  const TensorView& w = *builder.constant(instruction.operands[1]);
  DepthwiseSpec spec;
  spec.kernel = &SelectDepthwiseKernel(factors.wide(), builder.context().flags);
  spec.shape = DepthwiseOf(source);
  spec.zero = call.zero_x - factors.x.base;
  const int threads = builder.context().threads;
  const Element element = spec.kernel->element == Element::kS16 ? Element::kS16 : Element::kS8;
  const ValueRef x = builder.Get(instruction.operands[0], Layout::kChannelsLast);
  spec.x = x.buffer;
  if (x.storage != (element == Element::kS16 ? Storage::kI16 : Storage::kI8) || factors.x.base != 0) {
    spec.x = builder.NewBuffer(x.type.shape.num_elements() * SizeBytes(element));
    builder.Add(MakeStageMatrixStep({x, factors.x.base, element, spec.x}, threads));
  }

  const int64_t taps = spec.shape.taps();
  const int64_t outside = spec.zero + (spec.kernel->element == Element::kBiasedS8 ? 128 : 0);
  std::vector<int16_t> weights;
  const std::vector<int64_t> first = FirstSumsOf(builder, chain, source.channels);
  std::vector<int64_t> init;
  for (int64_t c = 0; c < source.channels; ++c) {
    uint64_t sum = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      weights.push_back(static_cast<int16_t>(w.at(call.weight_at(c, 0, 0, tap)) - call.zero_w));
      sum += static_cast<uint64_t>(weights.back());
    }
    init.push_back(LessZero(first[c], outside, sum));
  }
  const DepthwiseLayout& kernel_layout = *spec.kernel->layout;
  spec.weights = kernel_layout.pack(spec.shape, weights);
  const std::vector<int64_t> slots = kernel_layout.slots(spec.shape);
  SumChain by_slot = chain;
  if (chain.scaled) by_slot.scale = BySlot<RescaleParams>(slots, chain.scale, chain.scale[0]);
  std::vector<PackedWeights> sums(1);
  for (const int64_t first_of_slot : BySlot<int64_t>(slots, init, 0)) {
    sums[0].init.push_back(static_cast<int32_t>(first_of_slot));
    sums[0].long_init.push_back(first_of_slot);
  }

  const Layout layout = chain.viewed ? Layout::kRowMajor : Layout::kChannelsLast;
  spec.y = builder.NewValue(builder.type(last), layout);
  spec.epilogue =
      EpilogueOf(by_slot, static_cast<int64_t>(slots.size()), spec.y.storage, taps, factors, sums);
  spec.init = sums[0].init.empty() ? AlignedVector<int32_t>(slots.size()) : std::move(sums[0].init);
  if (chain.residual) spec.residual = builder.Get(*chain.residual, layout);
  spec.scratch_bytes = RoundUp(kernel_layout.scratch_bytes(spec.shape), kBufferAlignment);
  const int64_t value_bytes = x.type.size_bytes() + spec.y.type.size_bytes();
  const int parts = std::max(1, PartsInProportion(value_bytes, spec.scratch_bytes, threads));
  if (spec.scratch_bytes > 0) spec.scratch = builder.NewBuffer(spec.scratch_bytes * parts);
  const ValueRef y = spec.y;
  builder.Add(MakeDepthwiseStep(std::move(spec), parts));
  builder.Set(last, y);
}

}  // namespace tally::cpu
