#include "engines/cpu/gemm/pooled_convolution_builder.h"

#include <utility>

#include "engines/cpu/gemm/pooled_convolution_step.h"
#include "engines/cpu/program/operand_formats.h"
#include "engines/cpu/program/proportion.h"
#include "ops/pooling/attrs.h"

namespace tally::cpu {
namespace {

// An image that the second-level cache holds is pooled as fast by a step of its own (docs/performance.md).
constexpr int64_t kHeldBytes = 2 << 20;

PoolAttrs PoolOf(const Instruction& instruction) { return Unpack<PoolAttrs>(instruction.attributes); }

}  // namespace

std::optional<size_t> FindPool(const FunctionView& function, const PlanContext& context,
                               const FusionGroup& fused, const std::vector<int>& uses) {
  const auto& facts = function.facts();
  const ValueId x = facts.instructions[fused.last].first_result;
  const auto step = static_cast<size_t>(facts.last_steps[x]);
  if (uses[x] != 1 || step >= facts.instructions.size()) return std::nullopt;
  const Instruction& pool = function.instruction(step);
  if (pool.op != Opcode::kMaxPool) return std::nullopt;  // max_pool2d is lowered to it
  const TensorType &image = function.type(x), &y = function.type(facts.instructions[step].first_result);
  const bool pays = context.takes_small_layers || image.size_bytes() > kHeldBytes;
  if (image.shape.rank() != 4 || !pays) return std::nullopt;
  // Bands of y must begin where kernels want them, and every thread have some lines.
  if (y.shape[1] * y.shape[3] * SizeBytes(y.storage()) % kBufferAlignment != 0) return std::nullopt;
  if (y.shape[0] * y.shape[2] < 4 * context.threads) return std::nullopt;
  if (ConvolutionOf(function, fused.gemm).shape.groups != 1) return std::nullopt;
  const auto kernel =
      FindKernel({}, PoolCall(PoolOf(pool), image, y), Layout::kChannelsLast, {}, context.flags);
  if (!kernel) return std::nullopt;
  const Int128 bytes = MostBandBytes(PoolOf(pool), image) + kernel->prepared.scratch_bytes;
  const int threads = context.threads;
  if (PartsInProportion(image.size_bytes() + y.size_bytes(), bytes, threads) < threads) return std::nullopt;
  return step;
}

void AddPooledConvolution(StepBuilder& builder, size_t pool, GemmSpec gemm) {
  PooledConvolutionSpec spec = {.pool = PoolOf(builder.instruction(pool)), .y = builder.op().results[0]};
  const OperatorCall call = PoolCall(spec.pool, gemm.y.type, spec.y.type);
  spec.gemm = std::move(gemm);
  spec.pool_kernel = FindKernel({}, call, Layout::kChannelsLast, {}, builder.context().flags)->entry;
  PlanBands(spec, builder.context().threads);
  spec.memory = builder.NewBuffer(spec.memory_bytes() * builder.context().threads);
  builder.Add(MakePooledConvolutionStep(std::move(spec)));
}

}  // namespace tally::cpu
