#include "vm/engines/cpu/pooled_convolution_builder.h"

#include <utility>

#include "ops/pooling/attrs.h"
#include "vm/engines/cpu/operand_formats.h"
#include "vm/engines/cpu/pooled_convolution_step.h"
#include "vm/engines/cpu/proportion.h"

namespace tally::cpu {
namespace {

PoolAttrs PoolOf(const Instruction& instruction) { return Unpack<PoolAttrs>(instruction.attributes); }

OperatorCall PoolCall(const PoolAttrs& pool, const TensorType& image, const TensorType& y) {
  return {Opcode::kMaxPool,
          Pack(pool),
          {{-1, image, image.storage(), Layout::kChannelsLast}},
          {{-1, y, y.storage(), Layout::kChannelsLast}}};
}

}  // namespace

std::optional<size_t> FindPool(const ProgramBuilder& builder, const FusionGroup& fused,
                               const std::vector<int>& uses) {
  const auto& facts = builder.facts();
  const ValueId x = facts.instructions[fused.last].first_result;
  const auto step = static_cast<size_t>(facts.last_steps[x]);
  if (uses[x] != 1 || step >= facts.instructions.size()) return std::nullopt;
  const Instruction& pool = builder.instruction(step);
  if (pool.op != Opcode::kMaxPool) return std::nullopt;  // max_pool2d is lowered to it
  const TensorType &image = builder.type(x), &y = builder.type(facts.instructions[step].first_result);
  if (image.shape.rank() != 4 || image.size_bytes() <= builder.context().least_pooled_bytes)
    return std::nullopt;
  // Bands of y must begin where kernels want them, and every thread have some lines.
  if (y.shape[1] * y.shape[3] * SizeBytes(y.storage()) % kBufferAlignment != 0) return std::nullopt;
  if (y.shape[0] * y.shape[2] < 4 * builder.context().threads) return std::nullopt;
  if (ConvolutionOf(builder, fused.gemm).shape.groups != 1) return std::nullopt;
  const OperatorCall call = PoolCall(PoolOf(pool), image, y);
  const KernelEntry* const kernel = builder.FindKernel(call, Layout::kChannelsLast, {});
  if (kernel == nullptr || kernel->layout != Layout::kChannelsLast) return std::nullopt;
  const Int128 bytes = MostBandBytes(PoolOf(pool), image) + builder.ScratchBytes(*kernel, call, {});
  const int threads = builder.context().threads;
  if (PartsInProportion(image.size_bytes() + y.size_bytes(), bytes, threads) < threads) return std::nullopt;
  return step;
}

void AddPooledConvolution(ProgramBuilder& builder, size_t pool, GemmSpec gemm) {
  const ValueId last = builder.facts().instructions[pool].first_result;
  PooledConvolutionSpec spec = {.pool = PoolOf(builder.instruction(pool)),
                                .y = builder.NewValue(builder.type(last), Layout::kChannelsLast)};
  const OperatorCall call = PoolCall(spec.pool, gemm.y.type, spec.y.type);
  spec.gemm = std::move(gemm);
  spec.pool_kernel = builder.FindKernel(call, Layout::kChannelsLast, {});
  spec.pool_scratch_bytes = builder.ScratchBytes(*spec.pool_kernel, call, {});
  PlanBands(spec, builder.context().threads);
  spec.memory = builder.NewBuffer(spec.memory_bytes() * builder.context().threads);
  const ValueRef y = spec.y;
  builder.Add(MakePooledConvolutionStep(std::move(spec)));
  builder.Set(last, y);
}

}  // namespace tally::cpu
