// One function of a module, as those who compile it look at it.
#pragma once

#include "vm/valid_module.h"

namespace tally {

class FunctionView {
 public:
  FunctionView(const ValidModule& module, size_t function) : module_(&module), function_(function) {}

  const ValidModule& module() const { return *module_; }
  size_t function() const { return function_; }
  const FunctionFacts& facts() const { return module_->functions()[function_]; }
  const std::vector<Instruction>& body() const { return module_->module().functions[function_].body; }
  const Instruction& instruction(size_t step) const { return body()[step]; }
  // The first result of an instruction.
  ValueId result(size_t step) const { return facts().instructions[step].first_result; }
  const TensorType& type(ValueId id) const { return facts().types[id]; }
  const TensorView* constant(ValueId id) const { return module_->constant(function_, id); }

 private:
  const ValidModule* module_;
  size_t function_;
};

}  // namespace tally
