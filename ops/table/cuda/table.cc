#include <optional>

#include "ops/cuda/launch.h"
#include "ops/kernel.h"
#include "ops/table/attrs.h"
#include "ops/table/cuda/kernel_tables.h"
#include "ops/table/cuda/table_device.h"

namespace tally::cuda {
namespace {

// A table is a list, which is the same in every layout.
std::optional<Work> LookUpWork(const KernelFacts& facts, int64_t offset) {
  if (HasChannels(facts.operands[1].shape)) return std::nullopt;
  const TableParams params = {.count = facts.results[0].shape.num_elements(),
                              .offset = offset,
                              .last = facts.operands[1].shape.num_elements() - 1,
                              .x = facts.storages[0],
                              .table = facts.storages[1],
                              .y = facts.results[0].storage()};
  Work work;
  work.Add(KernelId::kLookUp, GridOver(params.count), params, {OperandAt(0), OperandAt(1), ResultAt(0)});
  return work;
}

std::optional<Work> PrepareCvmLut(const KernelFacts& facts) { return LookUpWork(facts, 0); }

std::optional<Work> PrepareTable(const KernelFacts& facts) {
  return LookUpWork(facts, facts.attrs<TableAttrs>().offset);
}

std::optional<Work> PrepareNormalizedTable(const KernelFacts& facts) {
  const auto attrs = facts.attrs<NormalizedTableAttrs>();
  const NormalizedTableParams params = {.count = facts.results[0].shape.num_elements(),
                                        .product = attrs.combine == Combine::kProduct,
                                        .requantization = RequantizationOf(attrs),
                                        .x = facts.storages[0],
                                        .mantissas = facts.storages[1],
                                        .exponents = facts.storages[2],
                                        .y = facts.results[0].storage()};
  Work work;
  work.Add(KernelId::kNormalizedTable, GridOver(params.count), params,
           {OperandAt(0), OperandAt(1), OperandAt(2), ResultAt(0)});
  return work;
}

constexpr KernelEntry kTableKernels[] = {
    {Opcode::kCvmLut, "cvm_lut", Arch::kSm80, Layouts::kEvery, PrepareCvmLut},
    {Opcode::kTable, "table", Arch::kSm80, Layouts::kEvery, PrepareTable},
    {Opcode::kNormalizedTable, "normalized_table", Arch::kSm80, Layouts::kEvery, PrepareNormalizedTable},
};

}  // namespace

std::vector<KernelTable> AllTableKernels() { return {kTableKernels}; }

}  // namespace tally::cuda
