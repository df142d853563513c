// Which calls run on the reference of an operator in a plan of the cpu engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "ops/cpu/registry.h"
#include "ops/lowerings.h"
#include "tests/kernels/drawn_call.h"
#include "tests/kernels/without_kernels.h"

namespace tally {
namespace {

// Entries of recurrent operators take states, weights and inputs of at most 16 bits whose sums fit 32;
// that of arg_sort takes constants that fit a word beside their positions.
constexpr std::array<std::string_view, 4> kSomeCalls = {"rnn", "lstm", "gru", "arg_sort"};

// Small attributes and shapes: other limits of entries on lengths (2^31 boxes) are beyond.
constexpr uint64_t kSeeds = 600;

template <typename Names>
bool Has(const Names& names, const OpInfo& op) {
  return std::ranges::find(names, op.name) != names.end();
}

bool HasKernel(const OpInfo& op) {
  return std::ranges::any_of(AllKernels(), [&](const KernelEntry& entry) { return entry.op == op.code; });
}

TEST(Coverage, OperatorsHaveAKernelOrALowering) {
  EXPECT_EQ(OperatorsWithoutKernel(HasKernel), ListedWithoutKernel(&WithoutKernel::cpu))
      << "an operator has no kernel in ops/<family>/cpu and is not in tests/kernels/without_kernels.h, or "
         "has one "
         "and is";
}

// On a machine without any flag, of row-major operands: what no entry takes there, none takes elsewhere.
TEST(Coverage, KernelsTakeEveryCall) {
  for (const OpInfo& op : AllOps()) {
    if (!HasKernel(op) || FindLowering(op.name) != nullptr) continue;
    int drawn = 0, refused = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto call = DrawCall(op.code, seed);
      if (!call.has_value()) continue;
      ++drawn;
      refused += SelectKernel(call->FactsIn(Layout::kRowMajor), CpuFlags()).has_value() ? 0 : 1;
    }
    EXPECT_GT(drawn, 100) << op.name;
    EXPECT_EQ(refused > 0, Has(kSomeCalls, op)) << op.name << ": " << refused << " of " << drawn;
  }
}

}  // namespace
}  // namespace tally
