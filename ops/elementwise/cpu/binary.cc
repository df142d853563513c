#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/map_chunks.h"
#include "ops/elementwise/cpu/kernel_tables.h"

namespace tally {
namespace {

template <Isa isa, BinaryLoop loop>
void Binary(const MapParams<2, Storage>& p, const KernelCall& call) noexcept {
  const Storage type = p.own;
  const auto fn = GetElementwiseLoops<isa>().binary[static_cast<int>(loop)][CodeOf(type)];
  MapChunks<isa, 2>(call, p.loops, {type, type}, type,
                    [&](const auto& x, void* y, int64_t n) { fn(x[0], x[1], y, n); });
}

template <KernelName kName, BinaryLoop loop>
constexpr auto KernelsOf(Opcode op) {
  return EveryIsaAndLayout<kName>({.op = op, .in_place = true}, []<Isa isa, Layout>() {
    return kKernel<PrepareMap<2, WidestStorage<2>>, Binary<isa, loop>>;
  });
}

constexpr auto kBinaryKernels =
    JoinKernels(KernelsOf<"broadcast_add", BinaryLoop::kAdd>(Opcode::kBroadcastAdd),
                KernelsOf<"broadcast_sub", BinaryLoop::kSub>(Opcode::kBroadcastSub),
                KernelsOf<"broadcast_mul", BinaryLoop::kMul>(Opcode::kBroadcastMul),
                KernelsOf<"broadcast_max", BinaryLoop::kMax>(Opcode::kBroadcastMax),
                KernelsOf<"broadcast_min", BinaryLoop::kMin>(Opcode::kBroadcastMin),
                KernelsOf<"elemwise_add", BinaryLoop::kAdd>(Opcode::kElemwiseAdd),
                KernelsOf<"elemwise_sub", BinaryLoop::kSub>(Opcode::kElemwiseSub),
                KernelsOf<"bitwise_and", BinaryLoop::kAnd>(Opcode::kBitwiseAnd),
                KernelsOf<"bitwise_or", BinaryLoop::kOr>(Opcode::kBitwiseOr),
                KernelsOf<"bitwise_xor", BinaryLoop::kXor>(Opcode::kBitwiseXor));

}  // namespace

KernelTable BinaryKernels() { return kBinaryKernels; }

}  // namespace tally
