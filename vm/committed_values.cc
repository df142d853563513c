#include "vm/committed_values.h"

#include <algorithm>

#include "ops/op_rules.h"

namespace tally {
namespace {

// The instructions that are judged with one element of a value.
struct Judged {
  int instructions = 1;
  int wide = 0;  // those that read many elements of an operand
};

bool RunsFunctions(const Instruction& instruction) {
  return InfoOf(instruction.op).results == kResultsOfFunction;
}

std::vector<int> CountReaders(const Function& function, size_t values) {
  std::vector<int> readers(values);
  for (const Instruction& instruction : function.body) {
    for (const ValueId id : instruction.operands) ++readers[id];
  }
  for (const ValueId id : function.results) ++readers[id];
  return readers;
}

std::vector<bool> FoldedValues(const ValidModule& module, size_t number) {
  const Function& function = module.module().functions[number];
  const FunctionFacts& facts = module.functions()[number];
  const std::vector<int> readers = CountReaders(function, facts.types.size());
  std::vector<bool> folded(facts.types.size());
  // By value that can be folded; no instructions otherwise.
  std::vector<Judged> judged(facts.types.size(), Judged{.instructions = 0});
  for (size_t step = 0; step < function.body.size(); ++step) {
    const Instruction& instruction = function.body[step];
    const InstructionFacts& of = facts.instructions[step];
    if (RunsFunctions(instruction) || module.constant(number, of.first_result) != nullptr) continue;
    Judged all = {.wide = ReadsMany(instruction.op, instruction.operands.size()) ? 1 : 0};
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const ValueId id = instruction.operands[i];
      const Judged& more = judged[id];
      if (more.instructions == 0 || readers[id] != 1) continue;
      if (ReadsOf(RulesOf(instruction.op).reads, i).reach != Reach::kOne) continue;
      if (all.instructions + more.instructions > kMostFoldedInstructions || all.wide + more.wide > 1)
        continue;
      all.instructions += more.instructions;
      all.wide += more.wide;
      folded[id] = true;
    }
    if (of.num_results == 1) judged[of.first_result] = all;
  }
  return folded;
}

}  // namespace

CommittedValues::CommittedValues(const ValidModule& module) {
  for (size_t f = 0; f < module.functions().size(); ++f) folded_.push_back(FoldedValues(module, f));
}

}  // namespace tally
