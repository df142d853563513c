// Expansions on the conformance vectors of their operators: every element, by steps.
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "ops/expansion_table.h"
#include "ops/op_rules.h"
#include "proof/trace/judged_run.h"
#include "tests/vectors/case_module.h"
#include "tests/vectors/vector_file.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int64_t kElements = 24;  // that are judged of each result, evenly apart

void JudgeCase(const OpInfo& op, const VectorCase& test, int64_t* expanded) {
  auto valid = Validate(ModuleOfCase(op, test));
  ASSERT_TRUE(valid.ok()) << valid.status();
  std::vector<Tensor> inputs;
  for (const VectorTensor& operand : test.operands) {
    if (!operand.constant) inputs.push_back(Tensor::Copy(operand.tensor.view(), operand.type.storage()));
  }
  const auto run =
      JudgedRun::Of("reference", std::make_shared<const ValidModule>(*std::move(valid)), std::move(inputs));
  ASSERT_TRUE(run.ok()) << run.status();
  for (const auto& [place, value] : (*run)->values()) {
    const int64_t size = value.shape().num_elements(), apart = std::max<int64_t>(size / kElements, 1);
    for (int64_t element = 0; element < size; element += apart) {
      for (const int64_t most_gathered : {int64_t{-1}, kMostLeafBytes}) {
        const auto judged =
            (*run)->Judge(place, element, {.most_direct = -1, .most_gathered = most_gathered});
        ASSERT_TRUE(judged.ok()) << "element " << element << " of %" << place.id << ": " << judged.status();
        if (judged->columns > 0) ++*expanded;
      }
    }
  }
}

TEST(Expansions, AreWhatTheVectorsOfTheirOperatorsSay) {
  std::set<Opcode> seen;
  for (const std::string& path : AllVectorFiles()) {
    const auto file = ReadVectorFile(path);
    ASSERT_TRUE(file.ok()) << file.status();
    if (file->op == nullptr || file->op->max_operands == 0) continue;  // a lowering, or a constant
    if (file->op->results == kResultsOfFunction) continue;
    int64_t expanded = 0;
    for (const VectorCase& test : file->cases) {
      if (!test.error.empty() || !ReadsMany(file->op->code, test.operands.size())) continue;
      SCOPED_TRACE(std::string(file->op->name) + ", " + test.name);
      JudgeCase(*file->op, test, &expanded);
      if (HasFatalFailure()) break;
    }
    if (expanded > 0) seen.insert(file->op->code);
  }
  for (const ExpansionInfo& expansion : AllExpansions()) {
    EXPECT_TRUE(seen.contains(expansion.op)) << InfoOf(expansion.op).name << " was never judged by steps";
  }
}

}  // namespace
}  // namespace tally
