#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/lines.h"
#include "ops/cuda/prepare_map.h"
#include "ops/gather/attrs.h"
#include "ops/gather/cuda/gather_device.h"
#include "ops/gather/cuda/gather_tree_device.h"
#include "ops/gather/cuda/kernel_tables.h"
#include "ops/kernel.h"

namespace tally::cuda {
namespace {

template <typename Params>
Work GatherWork(KernelId kernel, const KernelFacts& facts, Params params) {
  params.count = facts.results[0].shape.num_elements();
  params.x = facts.storages[0];
  params.index = facts.storages[1];
  params.y = facts.results[0].storage();
  Work work;
  work.Add(kernel, GridOver(params.count), params, {OperandAt(0), OperandAt(1), ResultAt(0)});
  return work;
}

// Without an axis all of x is that axis.
std::optional<Work> PrepareTake(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<TakeAttrs>();
  GatherParams params = {.length = x.num_elements(), .inner = 1, .wraps = false};
  if (!attrs.axis.empty()) {
    const LinesAlong along(x, attrs.axis[0]);
    params.length = along.n;
    params.inner = along.inner;
  }
  params.indices = facts.operands[1].shape.num_elements();
  return GatherWork(KernelId::kGather, facts, params);
}

std::optional<Work> PrepareGather(const KernelFacts& facts) {
  const LinesAlong x(facts.operands[0].shape, facts.attrs<GatherAttrs>().axis);
  return GatherWork(
      KernelId::kGather, facts,
      GatherParams{
          .length = x.n, .inner = x.inner, .indices = facts.operands[1].shape.num_elements(), .wraps = true});
}

// The other axes of the result may be shorter than those of x.
std::optional<Work> PrepareGatherElements(const KernelFacts& facts) {
  const Shape& shape = facts.operands[0].shape;
  const LinesAlong x(shape, facts.attrs<GatherAttrs>().axis);
  auto strides = StridesOf(shape, Layout::kRowMajor);
  strides[x.axis] = 0;
  Folded lines(facts.results[0].shape, Layout::kRowMajor);
  lines.AddStrided(strides);
  lines.Fold();
  return GatherWork(KernelId::kGatherElements, facts,
                    GatherElementsParams{.lines = LoopsOf<1>(lines), .length = x.n, .stride = x.inner});
}

std::optional<Work> PrepareGatherNd(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &indices = facts.operands[1].shape;
  const int batch = static_cast<int>(facts.attrs<GatherNdAttrs>().batch_dims);
  const int64_t depth = indices[indices.rank() - 1];
  if (batch + depth > kMaxRank) return std::nullopt;
  int64_t batches = 1;
  for (int axis = 0; axis < batch; ++axis) batches *= x[axis];
  GatherNdParams params = {
      .inner = batch + depth == 0 ? x.num_elements() : x.stride(static_cast<int>(batch + depth - 1)),
      .rows_of_batch = indices.num_elements() / depth / batches,
      .batch_stride = x.num_elements() / batches,
      .depth = static_cast<int>(depth)};
  for (int k = 0; k < params.depth; ++k) {
    params.dims[k] = x[batch + k];
    params.strides[k] = x.stride(batch + k);
  }
  return GatherWork(KernelId::kGatherNd, facts, params);
}

std::optional<Work> PrepareGatherTree(const KernelFacts& facts) {
  const Shape& steps = facts.operands[0].shape;
  const GatherTreeParams params = {.steps = steps[0],
                                   .batches = steps[1],
                                   .beams = steps[2],
                                   .step = facts.storages[0],
                                   .parent = facts.storages[1],
                                   .length = facts.storages[2],
                                   .end = facts.storages[3],
                                   .y = facts.results[0].storage()};
  Work work;
  work.Add(KernelId::kGatherTree, GridOver(params.batches * params.beams), params,
           {OperandAt(0), OperandAt(1), OperandAt(2), OperandAt(3), ResultAt(0)});
  return work;
}

constexpr KernelEntry kGatherKernels[] = {
    {Opcode::kTake, "take", Arch::kSm80, Layouts::kRowMajor, PrepareTake},
    {Opcode::kGather, "gather", Arch::kSm80, Layouts::kRowMajor, PrepareGather},
    {Opcode::kGatherNd, "gather_nd", Arch::kSm80, Layouts::kRowMajor, PrepareGatherNd},
    {Opcode::kGatherElements, "gather_elements", Arch::kSm80, Layouts::kRowMajor, PrepareGatherElements},
    {Opcode::kGatherTree, "gather_tree", Arch::kSm80, Layouts::kRowMajor, PrepareGatherTree},
};

}  // namespace

KernelTable GatherKernels() { return kGatherKernels; }

}  // namespace tally::cuda
