#include "vm/engines/cpu/observation.h"

#include <algorithm>

#include "vm/engines/cpu/operator_step.h"

namespace tally::cpu {

std::vector<ObservedFunction> ObservedFunctions(const ValidModule& module,
                                                std::span<const std::vector<std::optional<ValueId>>> places) {
  std::vector<ObservedFunction> functions(module.functions().size());
  for (size_t f = 0; f < functions.size(); ++f) {
    const FunctionFacts& facts = module.functions()[f];
    for (size_t step = 0; step < facts.instructions.size(); ++step) {
      const auto [first, count] =
          std::pair(facts.instructions[step].first_result, facts.instructions[step].num_results);
      for (ValueId id = first; id < first + static_cast<ValueId>(count); ++id) {
        if (module.constant(f, id) != nullptr) continue;
        functions[f].values.push_back({id, facts.types[id], places.empty() ? id : *places[f][id]});
      }
      const Instruction& instruction = module.module().functions[f].body[step];
      if (NamesFunctions(instruction)) functions[f].callers.push_back(static_cast<int64_t>(step));
    }
  }
  return functions;
}

void Observation::Show(const Frame& frame, size_t steps) {
  const auto shown = std::ranges::equal_range(frame.program->shown, steps, {}, &ShownValue::steps);
  for (const auto& [at, id, type, value] : shown) {
    const Storage storage = type.storage();
    const uint8_t* bytes = frame.ConstAt(value.buffer);
    if (value.storage != storage) {
      bytes_.resize(static_cast<size_t>(type.size_bytes()));
      CopyElements(value.storage, bytes, storage, bytes_.data(), type.shape.num_elements());
      bytes = bytes_.data();
    }
    observer_(path_, id, {storage, type.shape, {bytes, static_cast<size_t>(type.size_bytes())}});
  }
}

}  // namespace tally::cpu
