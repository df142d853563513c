#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/prefix_sums.h"
#include "ops/kernel.h"
#include "ops/sampling/attrs.h"
#include "ops/sampling/cuda/kernel_tables.h"
#include "ops/sampling/cuda/sampling_device.h"

namespace tally::cuda {
namespace {

// `iteration`: the operand that it is, where there is one.
template <typename Attrs>
DeviceStream StreamOf(const KernelFacts& facts, const Attrs& attrs, size_t iteration) {
  const bool has = facts.operands.size() > iteration;
  return {attrs.seed, attrs.layer, has, has ? facts.storages[iteration] : Storage::kI8};
}

Ref IterationAt(const DeviceStream& stream, int operand) {
  return stream.has_iteration ? OperandAt(operand) : ResultAt(0);
}

std::optional<Work> PrepareRandomUniform(const KernelFacts& facts) {
  const auto attrs = facts.attrs<RandomUniformAttrs>();
  const RandomUniformParams params = {.count = facts.results[0].shape.num_elements(),
                                      .stream = StreamOf(facts, attrs, 0),
                                      .lo = attrs.lo,
                                      .hi = attrs.hi,
                                      .y = facts.results[0].storage()};
  Work work;
  work.Add(KernelId::kRandomUniform, GridOver(params.count), params,
           {ResultAt(0), IterationAt(params.stream, 0)});
  return work;
}

std::optional<Work> PrepareRandomCategorical(const KernelFacts& facts) {
  const auto attrs = facts.attrs<RandomCategoricalAttrs>();
  const Shape& weights = facts.operands[0].shape;
  const RandomCategoricalParams params = {.count = facts.results[0].shape.num_elements(),
                                          .samples = attrs.samples,
                                          .choices = weights[weights.rank() - 1],
                                          .stream = StreamOf(facts, attrs, 1),
                                          .y = facts.results[0].storage()};
  Work work;
  const Ref sums = AddPrefixSums(work, KernelId::kPrefixSumsOfWeights, weights.num_elements(),
                                 WeightTerms{facts.storages[0]}, {OperandAt(0)});
  work.Add(KernelId::kRandomCategorical, GridOver(params.count), params,
           {sums, ResultAt(0), IterationAt(params.stream, 1)});
  return work;
}

constexpr KernelEntry kSamplingKernels[] = {
    {Opcode::kRandomUniform, "random_uniform", Arch::kSm80, Layouts::kRowMajor, PrepareRandomUniform},
    {Opcode::kRandomCategorical, "random_categorical", Arch::kSm80, Layouts::kRowMajor,
     PrepareRandomCategorical},
};

}  // namespace

std::vector<KernelTable> AllSamplingKernels() { return {kSamplingKernels}; }

}  // namespace tally::cuda
