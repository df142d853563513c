#include "tests/vectors/case_module.h"

#include <utility>

#include "base/strings.h"
#include "vm/module_builder.h"

namespace tally {

Module ModuleOfCase(const OpInfo& op, const VectorCase& test) {
  ModuleBuilder b(test.profile);
  std::vector<ValueId> operands(test.operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!test.operands[i].constant) operands[i] = b.Param(absl::StrCat("x", i), test.operands[i].type);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (test.operands[i].constant) operands[i] = b.Constant(test.operands[i].tensor);
  }
  // `constant` has no operands: it yields one of the module's constants, which are the operands of its cases.
  const auto first = static_cast<ValueId>(operands.size());
  if (op.code == Opcode::kConstant) operands.clear();
  Module module = std::move(b).Build();
  module.functions.insert(module.functions.end(), test.functions.begin(), test.functions.end());
  const Instruction& instruction =
      module.functions[0].body.emplace_back(Instruction{op.code, std::move(operands), test.attributes});
  for (int r = 0; r < NumResults(module, instruction); ++r) {
    module.functions[0].results.push_back(first + static_cast<ValueId>(r));
    module.metadata.results.push_back({absl::StrCat("y", r), {}});
  }
  return module;
}

}  // namespace tally
