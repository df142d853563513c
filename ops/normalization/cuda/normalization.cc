#include "ops/cuda/prepare_map.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/cuda/kernel_tables.h"
#include "ops/normalization/cuda/normalization_device.h"
#include "ops/reduction/reduce_shape.h"

namespace tally::cuda {
namespace {

// `parameters`: of the shape that is broadcast to x, if there are any.
RowShape RowsOf(const KernelFacts& facts, AxisSet axes, const Shape& parameters = Shape()) {
  const Shape& x = facts.operands[0].shape;
  const Reduction reduction = ReduceOver(x, axes);
  const auto loops = [&](const Shape& shape) {
    Folded f(shape, facts.layout);
    f.AddStrided(StridesOf(x, facts.layout));
    f.AddBroadcast(parameters, facts.layout);
    f.Fold();
    return LoopsOf<2>(f);
  };
  return {loops(reduction.kept), loops(reduction.inner), facts.storages[0], facts.results[0].storage()};
}

template <typename Params>
Work RowWork(KernelId kernel, const KernelFacts& facts, const Params& params) {
  Work work;
  work.Add(kernel, GridOver(params.shape.rows.count * kWarp), params, {});
  auto& memory = work.launches[0].memory;
  for (size_t i = 0; i < facts.operands.size(); ++i) memory.push_back(OperandAt(static_cast<int>(i)));
  memory.push_back(ResultAt(0));
  return work;
}

AxisSet RowAxis(const KernelFacts& facts, int64_t axis) {
  return AxesToReduce(std::vector<int64_t>{axis}, facts.operands[0].shape.rank());
}

Exponentials ExponentialsOf(const KernelFacts& facts) {
  return {facts.operands[1].shape.num_elements(), facts.storages[1]};
}

template <typename Attrs>
NormParams NormOf(const KernelFacts& facts, const Attrs& attrs) {
  const AxisSet axes = AxesToReduce(attrs.axes, facts.operands[0].shape.rank());
  return {.shape = RowsOf(facts, axes, facts.operands[1].shape),
          .centred = true,
          .zero = 0,
          .guard = attrs.guard,
          .epsilon = attrs.epsilon,
          .epsilon_mode = attrs.epsilon_mode,
          .multipliers = facts.storages[1],
          .biases = facts.storages[2],
          .requantization = RequantizationOf(attrs)};
}

std::optional<Work> PrepareSoftmax(const KernelFacts& facts) {
  const auto attrs = facts.attrs<SoftmaxAttrs>();
  return RowWork(KernelId::kSoftmax, facts,
                 SoftmaxParams{.shape = RowsOf(facts, RowAxis(facts, attrs.axis)),
                               .exponentials = ExponentialsOf(facts),
                               .requantization = {61 - attrs.bits, attrs.zero_out, attrs.lo, attrs.hi}});
}

std::optional<Work> PrepareLogSoftmax(const KernelFacts& facts) {
  const auto attrs = facts.attrs<LogSoftmaxAttrs>();
  return RowWork(KernelId::kLogSoftmax, facts,
                 LogSoftmaxParams{.shape = RowsOf(facts, RowAxis(facts, attrs.axis)),
                                  .exponentials = ExponentialsOf(facts),
                                  .logarithms = facts.storages[2],
                                  .multiplier = attrs.multiplier,
                                  .requantization = RequantizationOf(attrs)});
}

std::optional<Work> PrepareLayerNorm(const KernelFacts& facts) {
  return RowWork(KernelId::kNormOfRows, facts, NormOf(facts, facts.attrs<LayerNormAttrs>()));
}

std::optional<Work> PrepareRmsNorm(const KernelFacts& facts) {
  const auto attrs = facts.attrs<RmsNormAttrs>();
  NormParams params = NormOf(facts, attrs);
  params.centred = false;
  params.zero = attrs.zero_in;
  return RowWork(KernelId::kNormOfRows, facts, params);
}

constexpr KernelEntry kRowNormKernels[] = {
    {Opcode::kSoftmax, "softmax", Arch::kSm80, Layouts::kEvery, PrepareSoftmax},
    {Opcode::kLogSoftmax, "log_softmax", Arch::kSm80, Layouts::kEvery, PrepareLogSoftmax},
    {Opcode::kLayerNorm, "layer_norm", Arch::kSm80, Layouts::kEvery, PrepareLayerNorm},
    {Opcode::kRmsNorm, "rms_norm", Arch::kSm80, Layouts::kEvery, PrepareRmsNorm},
};

}  // namespace

KernelTable RowNormKernels() { return kRowNormKernels; }

}  // namespace tally::cuda
