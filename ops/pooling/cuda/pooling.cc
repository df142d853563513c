#include "ops/cuda/prepare_map.h"
#include "ops/pooling/attrs.h"
#include "ops/pooling/cuda/kernel_tables.h"
#include "ops/pooling/cuda/pooling_device.h"
#include "ops/window.h"

namespace tally::cuda {
namespace {

PoolParams ParamsOf(const KernelFacts& facts, const Windows& windows, PoolKind kind) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  PoolParams params = {.count = y.num_elements(),
                       .rank = y.rank(),
                       .kind = kind,
                       .x = facts.storages[0],
                       .y = facts.results[0].storage()};
  const auto order = MemoryOrder(y.rank(), facts.layout);
  const auto steps = StridesOf(x, facts.layout);
  for (int i = 0; i < y.rank(); ++i) {
    const int axis = order[i];
    const Window& w = windows[axis];
    params.axes[i] = {.size = w.size,
                      .stride = w.stride,
                      .dilation = w.dilation,
                      .pad_begin = w.pad_begin,
                      .pad_end = w.pad_end,
                      .x_dim = x[axis],
                      .x_step = steps[axis],
                      .row_major_step = x.stride(axis),
                      .dim = y[axis]};
  }
  return params;
}

Work PoolWork(const PoolParams& params) {
  Work work;
  work.Add(KernelId::kPool, GridOver(params.count), params, {OperandAt(0), ResultAt(0)});
  if (params.kind == PoolKind::kMaxPosition) work.launches[0].memory.push_back(ResultAt(1));
  return work;
}

template <typename Attrs>
Windows WindowsOfCall(const KernelFacts& facts, const Attrs& attrs) {
  return WindowsOf(attrs, attrs.kernel, facts.operands[0].shape.rank());
}

std::optional<Work> PrepareMaxPool2d(const KernelFacts& facts) {
  const auto attrs = facts.attrs<MaxPool2dAttrs>();
  Windows windows = {};
  for (int i = 0; i < 2; ++i) {
    windows[2 + i] = {
        .size = attrs.pool_size[i], .stride = attrs.strides[i], .pad_begin = attrs.padding_of(i)};
  }
  return PoolWork(ParamsOf(facts, windows, PoolKind::kMax));
}

std::optional<Work> PrepareMaxPool(const KernelFacts& facts) {
  return PoolWork(ParamsOf(facts, WindowsOfCall(facts, facts.attrs<PoolAttrs>()), PoolKind::kMax));
}

std::optional<Work> PrepareMaxPoolIndices(const KernelFacts& facts) {
  PoolParams params = ParamsOf(facts, WindowsOfCall(facts, facts.attrs<PoolAttrs>()), PoolKind::kMaxPosition);
  params.positions = facts.results[1].storage();
  return PoolWork(params);
}

std::optional<Work> PrepareWindowSum(const KernelFacts& facts) {
  const auto attrs = facts.attrs<WindowSumAttrs>();
  PoolParams params = ParamsOf(facts, WindowsOfCall(facts, attrs), PoolKind::kSum);
  params.zero = attrs.zero;
  return PoolWork(params);
}

std::optional<Work> PrepareAveragePool(const KernelFacts& facts) {
  const auto attrs = facts.attrs<AveragePoolAttrs>();
  PoolParams params = ParamsOf(facts, WindowsOfCall(facts, attrs), PoolKind::kAverage);
  params.zero = attrs.zero_in;
  params.count_padding = attrs.count_include_pad;
  params.multiplier = attrs.multiplier;
  params.zero_out = attrs.zero_out;
  params.lo = attrs.lo;
  params.hi = attrs.hi;
  params.shift = static_cast<int>(attrs.shift);
  params.rounding = attrs.rounding;
  return PoolWork(params);
}

constexpr KernelEntry kPoolKernels[] = {
    {Opcode::kMaxPool2d, "max_pool2d", Arch::kSm80, Layouts::kEvery, PrepareMaxPool2d},
    {Opcode::kMaxPool, "max_pool", Arch::kSm80, Layouts::kEvery, PrepareMaxPool},
    {Opcode::kMaxPoolIndices, "max_pool_indices", Arch::kSm80, Layouts::kEvery, PrepareMaxPoolIndices},
    {Opcode::kWindowSum, "window_sum", Arch::kSm80, Layouts::kEvery, PrepareWindowSum},
    {Opcode::kAveragePool, "average_pool", Arch::kSm80, Layouts::kEvery, PrepareAveragePool},
};

}  // namespace

KernelTable PoolKernels() { return kPoolKernels; }

}  // namespace tally::cuda
