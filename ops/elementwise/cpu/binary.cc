#include "ops/cpu/elementwise_loops.h"
#include "ops/cpu/map_chunks.h"
#include "ops/elementwise/cpu/kernels.h"

namespace tally {

bool AcceptsElementwise(const KernelFacts& facts) { return OperandsLieIn(facts); }

namespace {

template <Isa isa, Layout layout, BinaryLoop loop>
void Binary(const KernelCall& call) {
  const Storage type = WidestStorage<2>(call);
  const auto fn = GetElementwiseLoops<isa>().binary[static_cast<int>(loop)][CodeOf(type)];
  MapChunks<isa, 2>(call, layout, {type, type}, type,
                    [&](const auto& x, void* y, int64_t n) { fn(x[0], x[1], y, n); });
}

}  // namespace

#define BINARY_KERNEL(Name, loop)                \
  template <Isa isa, Layout layout>              \
  void Name(const KernelCall& call) noexcept {   \
    Binary<isa, layout, BinaryLoop::loop>(call); \
  }                                              \
  TALLY_INSTANTIATE_LAYOUT_KERNEL(Name)

BINARY_KERNEL(AddKernel, kAdd);
BINARY_KERNEL(SubKernel, kSub);
BINARY_KERNEL(MulKernel, kMul);
BINARY_KERNEL(MaxKernel, kMax);
BINARY_KERNEL(MinKernel, kMin);
BINARY_KERNEL(AndKernel, kAnd);
BINARY_KERNEL(OrKernel, kOr);
BINARY_KERNEL(XorKernel, kXor);

}  // namespace tally
