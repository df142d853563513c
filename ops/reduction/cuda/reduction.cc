#include "ops/cuda/prepare_map.h"
#include "ops/cuda/primitives/reduction_device.h"
#include "ops/reduction/attrs.h"
#include "ops/reduction/cuda/kernel_tables.h"
#include "ops/reduction/reduce_shape.h"

namespace tally::cuda {
namespace {

// From this many elements on, a warp reads a group faster than one thread does.
constexpr int64_t kGroupOfWarp = 32;

GroupShape GroupsOf(const KernelFacts& facts, AxisSet axes) {
  const Shape &x = facts.operands[0].shape, &y = facts.results[0].shape;
  const auto strides = StridesOf(x, facts.layout);
  const bool keeps = y.rank() == x.rank();
  std::array<int64_t, kMaxRank> outer = {};
  int to = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool reduced = (axes >> axis & 1) != 0;
    if (reduced && !keeps) continue;
    outer[to++] = reduced ? 0 : strides[axis];
  }
  Folded results(y, facts.layout);
  results.AddStrided(outer);
  results.Fold();
  // Elements of a group are counted in row-major order.
  Folded elements(ReduceOver(x, axes).inner, Layout::kRowMajor);
  elements.AddStrided(strides);
  elements.Fold();
  GroupShape groups = {.outer = LoopsOf<1>(results),
                       .inner = LoopsOf<1>(elements),
                       .by_warp = false,
                       .x = facts.storages[0],
                       .y = facts.results[0].storage()};
  groups.by_warp = groups.inner.count >= kGroupOfWarp;
  return groups;
}

template <typename Params>
Work GroupWork(KernelId kernel, const Params& params) {
  Work work;
  work.Add(kernel, GridOver(params.groups.outer.count * params.groups.lanes()), params,
           {OperandAt(0), ResultAt(0)});
  return work;
}

Work FoldWork(const KernelFacts& facts, AxisSet axes, FoldKind kind) {
  return GroupWork(KernelId::kReduce, ReduceParams{GroupsOf(facts, axes), kind});
}

AxisSet CvmAxes(const KernelFacts& facts) {
  return AxesToReduce(facts.attrs<CvmReduceAttrs>(), facts.operands[0].shape.rank());
}

std::optional<Work> PrepareCvmSum(const KernelFacts& facts) {
  return FoldWork(facts, CvmAxes(facts), FoldKind::kSum);
}

std::optional<Work> PrepareCvmMax(const KernelFacts& facts) {
  return FoldWork(facts, CvmAxes(facts), FoldKind::kMax);
}

std::optional<Work> PrepareReduce(const KernelFacts& facts) {
  static_assert(static_cast<int>(ReduceKind::kProduct) == static_cast<int>(FoldKind::kProduct));
  const auto attrs = facts.attrs<ReduceAttrs>();
  return FoldWork(facts, AxesToReduce(attrs, facts.operands[0].shape.rank()),
                  static_cast<FoldKind>(attrs.kind));
}

std::optional<Work> PrepareArgExtreme(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ArgExtremeAttrs>();
  return GroupWork(KernelId::kArgExtreme,
                   ArgExtremeParams{GroupsOf(facts, AxesToReduce(attrs, facts.operands[0].shape.rank())),
                                    attrs.kind == Extreme::kMax, attrs.ties == Ties::kHighest});
}

std::optional<Work> PrepareCumulativeSum(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<CumulativeSumAttrs>();
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + x.rank() : attrs.axis);
  const CumulativeSumParams params = {.lines = x.num_elements() / x[axis],
                                      .length = x[axis],
                                      .inner = StridesOf(x, facts.layout)[axis],
                                      .exclusive = attrs.exclusive,
                                      .reverse = attrs.reverse,
                                      .x = facts.storages[0],
                                      .y = facts.results[0].storage()};
  Work work;
  work.Add(KernelId::kCumulativeSum, GridOver(params.lines), params, {OperandAt(0), ResultAt(0)});
  return work;
}

constexpr KernelEntry kReductionKernels[] = {
    {Opcode::kSum, "sum", Arch::kSm80, Layouts::kEvery, PrepareCvmSum},
    {Opcode::kMax, "max", Arch::kSm80, Layouts::kEvery, PrepareCvmMax},
    {Opcode::kReduce, "reduce", Arch::kSm80, Layouts::kEvery, PrepareReduce},
    {Opcode::kArgExtreme, "arg_extreme", Arch::kSm80, Layouts::kEvery, PrepareArgExtreme},
    {Opcode::kCumulativeSum, "cumulative_sum", Arch::kSm80, Layouts::kEvery, PrepareCumulativeSum},
};

}  // namespace

std::vector<KernelTable> AllReductionKernels() { return {kReductionKernels}; }

}  // namespace tally::cuda
