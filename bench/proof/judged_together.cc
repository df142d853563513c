#include "bench/proof/judged_together.h"

#include <algorithm>
#include <span>
#include <vector>

#include "ops/expansions.h"
#include "ops/op_rules.h"
#include "vm/referee.h"

namespace tally::bench {
namespace {

// The most bytes that an element of an instruction reads: those of gathered parts, and a leaf for each other
// element. Every element of the results is asked for.
int64_t MostGathered(const Instruction& instruction, const FunctionFacts& facts, const InstructionFacts& of) {
  std::vector<TensorType> types;
  for (const ValueId id : instruction.operands) types.push_back(facts.types[id]);
  const auto results = std::span(facts.types).subspan(of.first_result, static_cast<size_t>(of.num_results));
  int64_t most = 0;
  for (int r = 0; r < of.num_results; ++r) {
    const int64_t elements = results[static_cast<size_t>(r)].shape.num_elements();
    for (int64_t element = 0; element < elements; ++element) {
      const ReadContext c = {&instruction.attributes, types, results, r, element};
      most = std::max(most, GatheredBytes(instruction.op, c));
      if (!ReadsMany(instruction.op, types.size())) return most;  // the same for all
    }
  }
  return most;
}

}  // namespace

JudgedTogether TogetherWith(const ValidModule& module, const CommittedValues& committed, size_t function,
                            ValueId id) {
  const FunctionFacts& facts = module.functions()[function];
  const size_t step = StepOf(facts, id);
  const Instruction& instruction = module.module().functions[function].body[step];
  JudgedTogether all;
  if (InfoOf(instruction.op).results != kResultsOfFunction) {
    all.gathered = MostGathered(instruction, facts, facts.instructions[step]);
  }
  for (const ValueId operand : instruction.operands) {
    const bool computed = operand >= facts.params.size() && module.constant(function, operand) == nullptr;
    if (!computed || committed.contains(function, operand)) continue;
    const JudgedTogether more = TogetherWith(module, committed, function, operand);
    all.name += more.name + "+";
    all.gathered += more.gathered;
  }
  all.name += InfoOf(instruction.op).name;
  return all;
}

}  // namespace tally::bench
