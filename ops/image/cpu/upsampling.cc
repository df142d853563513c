#include "ops/cpu/strided_copy.h"
#include "ops/image/attrs.h"
#include "ops/image/cpu/kernel_tables.h"

namespace tally {
namespace {

std::optional<Prepared<CopyParams>> PrepareUpsampling(const KernelFacts& facts) {
  if (!ConstantsAgree(facts)) return std::nullopt;
  const Shape& x = facts.operands[0].shape;
  const int64_t scale = facts.attrs<UpsamplingAttrs>().scale;
  return Prepared<CopyParams>{{LoopsOfRepeats(facts, {x[0], x[1], x[2], x[3]}, StridesOf(x, facts.layout),
                                              kOnes, {1, 1, scale, scale})}};
}

constexpr auto kUpsamplingKernels = EveryIsaAndLayout<"upsampling">(
    {.op = Opcode::kUpsampling},
    []<Isa isa, Layout>() { return kKernel<PrepareUpsampling, CopyOperand<isa>>; });

}  // namespace

KernelTable UpsamplingKernels() { return kUpsamplingKernels; }

}  // namespace tally
