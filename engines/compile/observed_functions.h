// The values that observers see, for engines that compile a lowering of the module.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/committed_values.h"
#include "vm/valid_module.h"

namespace tally {

// The values of one function that are shown.
struct ObservedFunction {
  struct Value {
    ValueId id;       // in the module
    TensorType type;  // there
    ValueId place;    // in the module that is compiled
  };
  std::vector<Value> values;     // in the order of the instructions that compute them
  std::vector<int64_t> callers;  // positions of the instructions that name functions
};

// By function. `places`: as LowerOperators gives them; empty when `module` itself is compiled.
// `committed`: the values of a root observer, or null for all.
std::vector<ObservedFunction> ObservedFunctions(const ValidModule& module,
                                                std::span<const std::vector<std::optional<ValueId>>> places,
                                                const CommittedValues* committed = nullptr);

// Whether an instruction runs functions.
bool NamesFunctions(const Instruction& instruction);

// Goes along the instructions of one function as they are compiled.
class ObservedCursor {
 public:
  explicit ObservedCursor(const ObservedFunction* observed)
      : observed_(observed) {}  // null: nothing is shown

  bool shows() const { return observed_ != nullptr; }

  // Calls show(value) for those who had no turn yet, up to the first for whose place is_there(place) is
  // false.
  template <typename IsThere, typename Show>
  void ShowWhatIsThere(IsThere is_there, Show show) {
    if (!shows()) return;
    for (; next_value_ < observed_->values.size() && is_there(observed_->values[next_value_].place);
         ++next_value_) {
      show(observed_->values[next_value_]);
    }
  }

  // Before each instruction is compiled.
  void Enter(const Instruction& instruction) {
    if (shows() && NamesFunctions(instruction)) position_ = observed_->callers[next_caller_++];
  }
  // The position of the last instruction that names functions, as observers know it.
  int64_t position() const { return position_; }

 private:
  const ObservedFunction* observed_;
  size_t next_value_ = 0, next_caller_ = 0;
  int64_t position_ = 0;
};

}  // namespace tally
