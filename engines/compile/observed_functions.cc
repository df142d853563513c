#include "engines/compile/observed_functions.h"

#include <utility>

namespace tally {

std::vector<ObservedFunction> ObservedFunctions(const ValidModule& module,
                                                std::span<const std::vector<std::optional<ValueId>>> places,
                                                const CommittedValues* committed) {
  std::vector<ObservedFunction> functions(module.functions().size());
  for (size_t f = 0; f < functions.size(); ++f) {
    const FunctionFacts& facts = module.functions()[f];
    for (size_t step = 0; step < facts.instructions.size(); ++step) {
      const auto [first, count] =
          std::pair(facts.instructions[step].first_result, facts.instructions[step].num_results);
      for (ValueId id = first; id < first + static_cast<ValueId>(count); ++id) {
        if (module.constant(f, id) != nullptr) continue;
        if (committed != nullptr && !committed->contains(f, id)) continue;
        functions[f].values.push_back({id, facts.types[id], places.empty() ? id : *places[f][id]});
      }
      const Instruction& instruction = module.module().functions[f].body[step];
      if (NamesFunctions(instruction)) functions[f].callers.push_back(static_cast<int64_t>(step));
    }
  }
  return functions;
}

bool NamesFunctions(const Instruction& instruction) {
  bool names = false;
  ForEachFunction(InfoOf(instruction.op).attributes, instruction.attributes, [&](int64_t) { names = true; });
  return names;
}

}  // namespace tally
