#include "ops/cuda/prepare_map.h"
#include "ops/elementwise/attrs.h"
#include "ops/elementwise/cuda/elementwise_device.h"
#include "ops/elementwise/cuda/kernel_tables.h"

namespace tally::cuda {
namespace {

template <typename Fn>
Work OnBroadcast(KernelId kernel, const KernelFacts& facts, const Fn& fn) {
  return MapWork(kernel, BroadcastShapeOf<Fn::kOperands>(facts), fn);
}

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

constexpr KernelEntry kElementwiseKernels[] = {
    {Opcode::kBroadcastAdd, "broadcast_add", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kAdd, AddFn>},
    {Opcode::kBroadcastSub, "broadcast_sub", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kSub, SubFn>},
    {Opcode::kBroadcastMul, "broadcast_mul", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kMul, MulFn>},
    {Opcode::kBroadcastDiv, "broadcast_div", Arch::kSm80, Layouts::kEvery, PrepareBroadcastDiv},
    {Opcode::kBroadcastMax, "broadcast_max", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kMax, MaxFn>},
    {Opcode::kElemwiseAdd, "elemwise_add", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kAdd, AddFn>},
    {Opcode::kElemwiseSub, "elemwise_sub", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kSub, SubFn>},
    {Opcode::kAbs, "abs", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kAbs, AbsFn>},
    {Opcode::kNegative, "negative", Arch::kSm80, Layouts::kEvery,
     PrepareMap<KernelId::kNegative, NegativeFn>},
    {Opcode::kRelu, "relu", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kRelu, ReluFn>},
    {Opcode::kClip, "clip", Arch::kSm80, Layouts::kEvery, PrepareClip},
    {Opcode::kCvmPrecision, "cvm_precision", Arch::kSm80, Layouts::kEvery,
     PrepareMap<KernelId::kBits, BitsFn>},
    {Opcode::kBroadcastMin, "broadcast_min", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kMin, MinFn>},
    {Opcode::kDivide, "divide", Arch::kSm80, Layouts::kEvery, PrepareDivide},
    {Opcode::kModulo, "modulo", Arch::kSm80, Layouts::kEvery, PrepareModulo},
    {Opcode::kPower, "power", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kPower, PowerFn>},
    {Opcode::kShiftLeft, "shift_left", Arch::kSm80, Layouts::kEvery,
     PrepareMap<KernelId::kShiftLeft, ShiftLeftFn>},
    {Opcode::kShiftRight, "shift_right", Arch::kSm80, Layouts::kEvery, PrepareShiftRight},
    {Opcode::kBitwiseAnd, "bitwise_and", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kAnd, AndFn>},
    {Opcode::kBitwiseOr, "bitwise_or", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kOr, OrFn>},
    {Opcode::kBitwiseXor, "bitwise_xor", Arch::kSm80, Layouts::kEvery, PrepareMap<KernelId::kXor, XorFn>},
    {Opcode::kClz, "clz", Arch::kSm80, Layouts::kEvery, PrepareClz},
    {Opcode::kSqrt, "sqrt", Arch::kSm80, Layouts::kEvery, PrepareSqrt},
};

}  // namespace

std::vector<KernelTable> AllElementwiseKernels() { return {kElementwiseKernels}; }

}  // namespace tally::cuda
