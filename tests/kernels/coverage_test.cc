// Which operators of the cpu engine run on their reference: a list, so that none comes to do so unseen.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>
#include <string>

#include "ops/kernels.h"
#include "ops/lowerings.h"
#include "tests/kernels/drawn_call.h"

namespace tally {
namespace {

TEST(Coverage, Print) {
  std::set<Opcode> with;
  for (const KernelRow& row : AllKernels()) with.insert(row.op);
  for (const OpInfo& op : AllOps()) {
    if (FindLowering(op.name) != nullptr) { std::cout << "lowered " << op.name << "\n"; continue; }
    if (!with.contains(op.code)) { std::cout << "none " << op.name << "\n"; continue; }
    int drawn = 0, refused = 0; std::string last;
    for (uint64_t seed = 0; seed < 3000; ++seed) {
      const auto call = DrawCall(op.code, seed);
      if (!call) continue;
      ++drawn;
      if (SelectKernel(call->FactsIn(Layout::kRowMajor), CpuFlags()) == nullptr) { ++refused; last = ""; for (size_t i = 0; i < call->operand_types.size(); ++i) last += std::string(call->constants[i] ? " constant" : "") + " " + call->operand_types[i].ToString(); }
    }
    if (refused > 0 || drawn < 1000) std::cout << op.name << " " << refused << " of " << drawn << last << "\n";
  }
}

}  // namespace
}  // namespace tally
