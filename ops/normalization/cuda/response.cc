#include "ops/cuda/prepare_map.h"
#include "ops/normalization/attrs.h"
#include "ops/normalization/cuda/kernel_tables.h"
#include "ops/normalization/cuda/response_device.h"

namespace tally::cuda {
namespace {

// The axes of x in the order of memory. Neighbours among which no window reaches are one.
void AddAxis(const ResponseAxis& axis, ResponseParams& params) {
  const auto reaches = [](const ResponseAxis& a) { return a.before > 0 || a.after > 0; };
  if (params.rank > 0 && !reaches(axis) && !reaches(params.axes[params.rank - 1])) {
    params.axes[params.rank - 1].dim *= axis.dim;
    params.axes[params.rank - 1].stride = axis.stride;
  } else {
    params.axes[params.rank++] = axis;
  }
}

std::optional<Work> PrepareLocalResponseNorm(const KernelFacts& facts) {
  const auto attrs = facts.attrs<LocalResponseNormAttrs>();
  const Shape& x = facts.operands[0].shape;
  ResponseParams params = {.count = x.num_elements(),
                           .rank = 0,
                           .axes = {},
                           .zero = attrs.zero_in,
                           .alpha = attrs.alpha,
                           .bias = attrs.bias,
                           .requantization = RequantizationOf(attrs),
                           .x = facts.storages[0],
                           .mantissas = facts.storages[1],
                           .exponents = facts.storages[2],
                           .y = facts.results[0].storage()};
  const auto strides = StridesOf(x, facts.layout);
  const auto order = MemoryOrder(x.rank(), facts.layout);
  for (int i = 0; i < x.rank(); ++i) {
    const int axis = order[i];
    ResponseAxis window = {.dim = x[axis], .stride = strides[axis], .before = 0, .after = 0};
    for (size_t k = 0; k < attrs.axes.size(); ++k) {
      if (axis != (attrs.axes[k] < 0 ? attrs.axes[k] + x.rank() : attrs.axes[k])) continue;
      window.before = attrs.before[k];
      window.after = attrs.after[k];
    }
    AddAxis(window, params);
  }
  Work work;
  work.Add(KernelId::kLocalResponseNorm, GridOver(params.count), params,
           {OperandAt(0), OperandAt(1), OperandAt(2), ResultAt(0)});
  return work;
}

constexpr KernelEntry kLocalResponseNormKernels[] = {
    {Opcode::kLocalResponseNorm, "local_response_norm", Arch::kSm80, Layouts::kEvery,
     PrepareLocalResponseNorm},
};

}  // namespace

KernelTable LocalResponseNormKernels() { return kLocalResponseNormKernels; }

}  // namespace tally::cuda
