// Runs one lowering outside a module: every instruction that it writes, over all three integers.
//
//   const LoweringOutcome y = *RunLowering({.name = "cvm_clip", .operands = {Values({3}, {-9, 0, 9})},
//                                           .attributes = Pack(CvmClipAttrs{.precision = 3})});
//   EXPECT_EQ(y.values[0], (std::vector<int64_t>{-3, 0, 3}));
//   EXPECT_EQ(y.instructions, (std::vector<std::string>{"clip"}));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ops/testing/rule_tester.h"

namespace tally {

struct LoweringCase {
  std::string_view name;
  Profile profile = Profile::kCore;
  std::vector<TestOperand> operands;
  Attributes attributes = {};
};

struct LoweringOutcome {
  std::vector<TensorType> types;             // per result
  std::vector<std::vector<int64_t>> values;  // per result, row-major
  std::vector<std::string> instructions;     // names, in order
};

// Fails as Lower does, and as RunOp does for each instruction.
absl::StatusOr<LoweringOutcome> RunLowering(const LoweringCase& test);

// The label of the refusal, or "" when the case is accepted.
std::string LabelOf(const LoweringCase& test);

}  // namespace tally
