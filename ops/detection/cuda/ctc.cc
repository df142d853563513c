#include <optional>

#include "ops/cuda/launch.h"
#include "ops/cuda/primitives/compact_device.h"
#include "ops/cuda/primitives/prefix_sums.h"
#include "ops/detection/attrs.h"
#include "ops/detection/cuda/best.h"
#include "ops/detection/cuda/ctc_device.h"
#include "ops/detection/cuda/kernel_tables.h"
#include "ops/kernel.h"

namespace tally::cuda {
namespace {

std::optional<Work> PrepareCtcGreedyDecoder(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CtcGreedyDecoderAttrs>();
  const Shape& x = facts.operands[0].shape;
  const int64_t steps = x[0], sequences = x[1], classes = x[2];
  const bool has_mask = facts.operands.size() == 2;
  const Storage length = facts.results[1].storage();
  Work work;
  const Loops<1> by_sequence = {.count = sequences * steps,
                                .rank = 2,
                                .dims = {sequences, steps},
                                .strides = {{classes, sequences * classes}}};
  const Ref best = AddBestClasses(work, by_sequence, classes, 1, OperandAt(0), facts.storages[0]);
  const Ref ends = work.AddScratch(sequences * 8);
  const SequenceEndsParams end_params = {sequences, steps, has_mask,
                                         has_mask ? facts.storages[1] : Storage::kI8};
  work.Add(KernelId::kSequenceEnds, GridOver(sequences * kWarp), end_params,
           {OperandAt(has_mask ? 1 : 0), ends});
  const SymbolTerms terms = {steps, attrs.blank, attrs.merge_repeated};
  const Ref kept = AddKeptList(work, KernelId::kPrefixSumsOfSymbols, sequences, steps, terms, {best, ends},
                               ResultAt(1), length);
  const TakeKeptParams params = {.count = sequences * steps,
                                 .n = steps,
                                 .bound = steps,
                                 .inner = 1,
                                 .of_outer = true,
                                 .value = -1,
                                 .x = Storage::kI32,
                                 .y = facts.results[0].storage(),
                                 .number = length};
  work.Add(KernelId::kTakeKept, GridOver(params.count), params, {best, ResultAt(0), kept, ResultAt(1)});
  return work;
}

constexpr KernelEntry kCtcGreedyDecoderKernels[] = {
    {Opcode::kCtcGreedyDecoder, "ctc_greedy_decoder", Arch::kSm80, Layouts::kRowMajor,
     PrepareCtcGreedyDecoder},
};

}  // namespace

KernelTable CtcGreedyDecoderKernels() { return kCtcGreedyDecoderKernels; }

}  // namespace tally::cuda
