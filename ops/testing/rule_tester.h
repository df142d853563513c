// Runs one operator outside a module: its checks, its rules, and its reference over all three integers.
//
//   const OpOutcome y = *RunOp({.op = Opcode::kClip, .operands = {Values({3}, {-9, 0, 9})},
//                               .attributes = Pack(ClipAttrs{-4, 4})});
//   EXPECT_EQ(y.values[0], (std::vector<int64_t>{-4, 0, 4}));
//   EXPECT_EQ(LabelOf({.op = Opcode::kClip, ...}), "clip_c1");
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "ops/infer.h"
#include "ops/op_table.h"

namespace tally {

namespace label {
TALLY_LABEL(fault, Internal, reference_disagreement, "two definitions of an operator differ");
}  // namespace label

struct TestOperand {
  Tensor tensor;
  std::optional<Interval> interval = {};  // declared; the bounds of the values when absent
  bool constant = false;                  // the rule sees the values, as after a `constant` instruction
};

// Aborts when the values do not fit the shape.
TestOperand Values(std::initializer_list<int64_t> dims, std::vector<int64_t> values);
TestOperand Values(std::initializer_list<int64_t> dims, std::vector<int64_t> values, Interval interval);
TestOperand Constant(std::initializer_list<int64_t> dims, std::vector<int64_t> values);

struct OpCase {
  Opcode op;
  Profile profile = Profile::kCore;
  std::vector<TestOperand> operands;
  Attributes attributes = {};
};

struct OpOutcome {
  std::vector<TensorType> types;             // per result
  std::vector<std::vector<int64_t>> values;  // per result, row-major
  std::vector<int> precisions;               // published, in profile cvm only
  Interval accumulator;
  Int128 gas = 0;  // the operator's formula, without the instruction's base
};

// Also fails (label reference_disagreement) when the formal, the reference and the trapping integers differ
// or a value leaves its inferred interval: every use of RunOp tests the proof.
absl::StatusOr<OpOutcome> RunOp(const OpCase& test);

// The label of the refusal, or "" when the case is accepted.
std::string LabelOf(const OpCase& test);

}  // namespace tally
