#include <optional>

#include "ops/cuda/launch.h"
#include "ops/gather/attrs.h"
#include "ops/gather/gather_device.h"
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

int AxisOf(int64_t axis, const Shape& x) { return static_cast<int>(axis < 0 ? axis + x.rank() : axis); }

}  // namespace

// Without an axis all of x is that axis.
std::optional<Work> PrepareTake(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<TakeAttrs>();
  GatherParams params = {.length = x.num_elements(), .inner = 1, .wraps = false, .elementwise = false};
  if (!attrs.axis.empty()) {
    params.length = x[AxisOf(attrs.axis[0], x)];
    params.inner = x.stride(AxisOf(attrs.axis[0], x));
  }
  params.indices = facts.operands[1].shape.num_elements();
  return GatherWork(KernelId::kGather, facts, params);
}

std::optional<Work> PrepareGather(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const int axis = AxisOf(facts.attrs<GatherAttrs>().axis, x);
  return GatherWork(KernelId::kGather, facts,
                    GatherParams{.length = x[axis],
                                 .inner = x.stride(axis),
                                 .indices = facts.operands[1].shape.num_elements(),
                                 .wraps = true,
                                 .elementwise = false});
}

// The axes of the result may be shorter than those of x on every axis but one: the offset of the others is not the same.
std::optional<Work> PrepareGatherElements(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const int axis = AxisOf(facts.attrs<GatherAttrs>().axis, x);
  for (int k = 0; k < x.rank(); ++k) {
    if (k != axis && x[k] != y[k]) return std::nullopt;
  }
  return GatherWork(KernelId::kGather, facts,
                    GatherParams{.length = x[axis],
                                 .inner = x.stride(axis),
                                 .indices = y[axis],
                                 .wraps = true,
                                 .elementwise = true});
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

}  // namespace tally::cuda
