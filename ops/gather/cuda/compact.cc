#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/lines.h"
#include "ops/cuda/primitives/compact_device.h"
#include "ops/cuda/primitives/prefix_sums.h"
#include "ops/gather/attrs.h"
#include "ops/gather/cuda/kernel_tables.h"
#include "ops/kernel.h"

namespace tally::cuda {
namespace {

std::optional<Work> PrepareCompact(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CompactAttrs>();
  const LinesAlong x(facts.operands[0].shape, attrs.axis);
  const TakeKeptParams params = {.count = facts.results[0].shape.num_elements(),
                                 .n = x.n,
                                 .bound = attrs.bound,
                                 .inner = x.inner,
                                 .of_outer = false,
                                 .value = attrs.value,
                                 .x = facts.storages[0],
                                 .y = facts.results[0].storage(),
                                 .number = facts.results[1].storage()};
  Work work;
  const Ref kept = AddKeptList(work, KernelId::kPrefixSumsOfMask, 1, params.n, MaskTerms{facts.storages[1]},
                               {OperandAt(1)}, ResultAt(1), params.number);
  work.Add(KernelId::kTakeKept, GridOver(params.count), params,
           {OperandAt(0), ResultAt(0), kept, ResultAt(1)});
  return work;
}

constexpr KernelEntry kCompactKernels[] = {
    {Opcode::kCompact, "compact", Arch::kSm80, Layouts::kRowMajor, PrepareCompact},
};

}  // namespace

KernelTable CompactKernels() { return kCompactKernels; }

}  // namespace tally::cuda
