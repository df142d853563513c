#include "bench/proof/read_costs.h"

#include <algorithm>
#include <random>
#include <span>
#include <utility>

#include "base/status_macros.h"
#include "ops/expansions.h"
#include "ops/op_rules.h"
#include "vm/committed_values.h"
#include "vm/referee.h"

namespace tally::bench {
namespace {

// The instructions that are judged with one element of a value, in the order in which they compute.
struct JudgedTogether {
  std::string name;
  // Bytes that their judgement reads at most, for any element, where parts are gathered.
  int64_t gathered = 0;
};

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

}  // namespace

absl::StatusOr<std::map<std::string, ReadCost>> MeasureReads(const std::shared_ptr<const ValidModule>& module,
                                                             const std::vector<Tensor>& inputs,
                                                             int64_t elements_of_each) {
  ASSIGN_OR_RETURN(const auto run, JudgedRun::Of("cpu", module, inputs));
  std::mt19937_64 random(1);
  std::map<std::string, ReadCost> costs;
  for (const auto& [place, value] : run->values()) {
    const int64_t size = value.shape().num_elements();
    const JudgedTogether together =
        TogetherWith(*module, run->committed(), FunctionAt(module->module(), place.path), place.id);
    ReadCost& cost = costs[together.name];
    cost.gathered_bytes = std::max(cost.gathered_bytes, together.gathered);
    for (int64_t i = 0; i < std::min(elements_of_each, size); ++i) {
      const int64_t element = i == 0 ? 0 : i == 1 ? size - 1 : static_cast<int64_t>(random() % size);
      ASSIGN_OR_RETURN(const JudgedElement judged, run->Judge(place, element));
      ++cost.elements;
      if (judged.columns > 0) ++cost.by_steps;
      if (judged.most.bytes >= cost.most.bytes) cost.most = judged.most;
    }
  }
  return costs;
}

}  // namespace tally::bench
