#include "engines/cpu/gemm/depthwise_builder.h"

#include <algorithm>

#include "base/int_math.h"
#include "engines/cpu/gemm/depthwise_step.h"
#include "engines/cpu/gemm/gemm_epilogue.h"
#include "engines/cpu/program/proportion.h"

namespace tally::cpu {

void AddDepthwise(StepBuilder& builder, const FusionGroup& fused, const ConvolutionCall& call,
                  const OperandFormats& formats) {
  const Instruction& instruction = builder.instruction(fused.gemm);
  const ConvolutionShape& source = call.shape;
  const TensorView& w = *builder.constant(instruction.operands[1]);
  DepthwiseSpec spec;
  spec.kernel = &SelectDepthwiseKernel(formats.wide(), builder.context().flags);
  spec.shape = DepthwiseOf(source);
  spec.zero = call.zero_x - formats.x.base;
  const int threads = builder.context().threads;
  const Element element = spec.kernel->element == Element::kS16 ? Element::kS16 : Element::kS8;
  const ValueRef& x = builder.op().operands[0];
  spec.x = x.buffer;
  if (x.storage != (element == Element::kS16 ? Storage::kI16 : Storage::kI8) || formats.x.base != 0) {
    // All of x in one run, unless most of it is passed by.
    const DepthwiseShape read = WithoutUnread(spec.shape);
    const int64_t all = x.type.shape.num_elements(),
                  elements = read.batch * read.lines * read.columns * read.channels;
    if (2 * elements <= all) {
      spec.x = builder.NewBuffer(elements * SizeBytes(element));
      builder.Add(
          MakePackReadStep({x, formats.x.base, element, spec.zero, spec.shape, read, spec.x}, threads));
      spec.shape = read;
    } else {
      spec.x = builder.NewBuffer(all * SizeBytes(element));
      builder.Add(MakePackMatrixStep({x, formats.x.base, element, spec.x}, threads));
    }
  }

  const int64_t taps = spec.shape.taps();
  const int64_t outside = spec.zero + (spec.kernel->element == Element::kBiasedS8 ? 128 : 0);
  std::vector<int16_t> weights;
  const std::vector<int64_t> first = AccumulatorInitOf(builder, fused, source.channels);
  std::vector<int64_t> init;
  for (int64_t c = 0; c < source.channels; ++c) {
    uint64_t sum = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      weights.push_back(static_cast<int16_t>(w.at(call.weight_at(c, 0, 0, tap)) - call.zero_w));
      sum += static_cast<uint64_t>(weights.back());
    }
    init.push_back(WithZeroPoint(first[c], outside, sum));
  }
  const DepthwiseLayout& kernel_layout = *spec.kernel->layout;
  spec.weights = kernel_layout.pack(spec.shape, weights);
  const std::vector<int64_t> slots = kernel_layout.slots(spec.shape);
  FusionGroup by_slot = fused;
  if (fused.scaled) by_slot.scale = BySlot<RescaleParams>(slots, fused.scale, fused.scale[0]);
  std::vector<PackedWeights> packed(1);
  for (const int64_t first_of_slot : BySlot<int64_t>(slots, init, 0)) {
    packed[0].init.push_back(static_cast<int32_t>(first_of_slot));
    packed[0].init_s64.push_back(first_of_slot);
  }

  spec.y = builder.op().results[0];
  spec.epilogue =
      EpilogueOf(by_slot, static_cast<int64_t>(slots.size()), spec.y.storage, taps, formats, packed);
  spec.init = packed[0].init.empty() ? AlignedVector<int32_t>(slots.size()) : std::move(packed[0].init);
  if (fused.residual) spec.residual = builder.op().operands.back();
  spec.scratch_bytes = RoundUp(kernel_layout.scratch_bytes(spec.shape), kBufferAlignment);
  const int64_t value_bytes = x.type.size_bytes() + spec.y.type.size_bytes();
  const int parts = std::max(1, PartsInProportion(value_bytes, spec.scratch_bytes, threads));
  if (spec.scratch_bytes > 0) spec.scratch = builder.NewBuffer(spec.scratch_bytes * parts);
  builder.Add(MakeDepthwiseStep(std::move(spec), parts));
}

}  // namespace tally::cpu
