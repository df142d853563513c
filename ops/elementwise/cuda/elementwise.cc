#include "ops/cuda/prepare_map.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/cuda/elementwise_device.h"

namespace tally::cuda {
namespace {

template <typename Fn>
Work OnBroadcast(KernelId kernel, const KernelFacts& facts, const Fn& fn) {
  return MapWork(kernel, BroadcastShapeOf<Fn::kOperands>(facts), fn);
}

}  // namespace

std::optional<Work> PrepareClip(const KernelFacts& facts) {
  const auto attrs = facts.attrs<ClipAttrs>();
  return OnBroadcast(KernelId::kClip, facts, ClipFn{{}, attrs.a_min, attrs.a_max});
}

std::optional<Work> PrepareClz(const KernelFacts& facts) {
  return OnBroadcast(KernelId::kClz, facts, ClzFn{{}, facts.attrs<ClzAttrs>().bits});
}

std::optional<Work> PrepareSqrt(const KernelFacts& facts) {
  const bool nearest = facts.attrs<SqrtAttrs>().rounding == RootRounding::kNearest;
  return OnBroadcast(KernelId::kSqrt, facts, SqrtFn{{}, nearest});
}

std::optional<Work> PrepareBroadcastDiv(const KernelFacts& facts) {
  return OnBroadcast(KernelId::kDivide, facts, DivideFn{{}, Rounding::kTrunc});
}

std::optional<Work> PrepareDivide(const KernelFacts& facts) {
  return OnBroadcast(KernelId::kDivide, facts, DivideFn{{}, facts.attrs<DivideAttrs>().rounding});
}

std::optional<Work> PrepareModulo(const KernelFacts& facts) {
  return OnBroadcast(KernelId::kModulo, facts, ModuloFn{{}, facts.attrs<ModuloAttrs>().quotient()});
}

std::optional<Work> PrepareShiftRight(const KernelFacts& facts) {
  return OnBroadcast(KernelId::kShiftRight, facts, ShiftRightFn{{}, facts.attrs<ShiftRightAttrs>().rounding});
}

}  // namespace tally::cuda
