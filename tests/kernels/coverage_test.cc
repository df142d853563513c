// What runs on the reference of an operator in a plan of the cpu engine: lists, so that nothing comes to do
// so unseen and nothing stays on them when it gets a kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "ops/kernels.h"
#include "ops/lowerings.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

// Neither a kernel nor a lowering: bytes of the module, another type for the same bytes, and calls of other
// functions; and a new operator, until its first kernel.
constexpr std::array<std::string_view, 5> kNoKernel = {"reshape", "constant", "call", "if", "loop"};

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
  for (const OpInfo& op : AllOps()) {
    const bool covered = HasKernel(op) || FindLowering(op.name) != nullptr;
    EXPECT_NE(covered, Has(kNoKernel, op))
        << op.name
        << (covered ? " has a kernel: take it off"
                    : " has none: add an entry in ops/<family>/cpu, or list it in")
        << " kNoKernel of tests/kernels/coverage_test.cc";
  }
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
