// Every entry of AllKernels() against the reference of its operator. A new entry is tested without a new
// test; one that no random call meets fails here until FindKernelCallGenerator draws calls that it takes. So
// does one that entries ahead of it shadow: that SelectKernel gives for no call on a machine that has what
// the entry needs and nothing else, and so on no machine with more.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "base/testing/ran.h"
#include "ops/cpu/registry.h"
#include "tests/kernels/run_kernel.h"

namespace tally {
namespace {

constexpr uint64_t kSeeds = 800;       // drawn calls of each operator
constexpr uint64_t kMoreSeeds = 6000;  // until every entry has been met

std::set<Opcode> OpsWithKernels() {
  std::set<Opcode> ops;
  for (const KernelEntry& entry : AllKernels()) ops.insert(entry.op);
  return ops;
}

// In the layout of the entry there must be something that is there differently.
bool IsInLayout(const KernelEntry& entry, const DrawnCall& call) {
  if (entry.layout == Layout::kRowMajor) return true;
  const auto has_channels = [](const TensorType& t) { return t.shape.rank() >= 3 && t.shape.rank() <= 5; };
  return std::ranges::any_of(call.operand_types, has_channels) ||
         std::ranges::any_of(call.result_types, has_channels);
}

class Kernels : public testing::TestWithParam<Opcode> {};

TEST_P(Kernels, EqualTheReference) {
  const Opcode op = GetParam();
  std::vector<const KernelEntry*> entries;
  for (const KernelEntry& entry : AllKernels()) {
    if (entry.op == op) entries.push_back(&entry);
  }
  std::vector<int> taken(entries.size());
  std::vector<int> chosen(entries.size());
  const auto all_met = [&] {
    return std::ranges::all_of(taken, [](int n) { return n >= 10; }) &&
           std::ranges::all_of(chosen, [](int n) { return n > 0; });
  };
  int drawn = 0;
  for (uint64_t seed = 0; seed < kSeeds || (seed < kMoreSeeds && !all_met()); ++seed) {
    const auto call = DrawCall(op, seed);
    if (!call.has_value()) continue;
    ++drawn;
    std::vector<Tensor> expected;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!IsInLayout(*entries[i], *call)) continue;
      const auto prepared = PrepareKernel(*entries[i], *call);
      if (!prepared) continue;
      ++taken[i];
      if (SelectKernel(call->FactsIn(entries[i]->layout), entries[i]->flags)->entry == entries[i])
        ++chosen[i];
      if (!DetectCpuFlags().HasAll(entries[i]->flags)) continue;
      if (expected.empty()) expected = RunReference(*call);
      const std::string problem = CheckKernel(*entries[i], *prepared, *call, expected);
      ASSERT_EQ(problem, "") << "seed " << seed;
    }
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_GE(taken[i], 10) << entries[i]->name << " took too few of " << drawn << " calls";
    EXPECT_GT(chosen[i], 0) << entries[i]->name << " is shadowed: entries ahead of it take what it does";
    const bool runs = DetectCpuFlags().HasAll(entries[i]->flags);
    SayRan("single operators", LevelOf(entries[i]->flags), runs ? kHere : "not run: this machine lacks it");
    if (!runs) {
      std::cout << "skipped " << entries[i]->name << ": this machine has not all of "
                << CpuFlagsToString(entries[i]->flags) << "\n";
    }
  }
  std::cout << InfoOf(op).name << ": " << drawn << " calls, taken by its entries:";
  for (const int n : taken) std::cout << ' ' << n;
  std::cout << "\n";
}

INSTANTIATE_TEST_SUITE_P(Rows, Kernels, testing::ValuesIn(OpsWithKernels()),
                         [](const auto& info) { return std::string(InfoOf(info.param).name); });

TEST(KernelRows, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const KernelEntry& entry : AllKernels()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(KernelRows, OfOneOperatorStandTogether) {
  std::set<Opcode> seen;
  Opcode current = {};
  for (const KernelEntry& entry : AllKernels()) {
    if (entry.op == current) continue;
    EXPECT_TRUE(seen.insert(entry.op).second) << entry.name;
    current = entry.op;
  }
}

}  // namespace
}  // namespace tally
