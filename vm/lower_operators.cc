#include "vm/lower_operators.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/lowerings.h"
#include "vm/module_builder.h"

namespace tally {

absl::StatusOr<Module> LowerOperators(const ValidModule& module) {
  Composition c(Profile::kCore);
  std::vector<Value> values;  // by value id of `module`
  ModuleBuilder builder(Profile::kCore);
  std::vector<ValueId> params;
  const Metadata& metadata = module.module().metadata;
  for (size_t i = 0; i < module.entry().params.size(); ++i) {
    const TensorType& type = module.entry().params[i];
    values.push_back(c.Input(type));
    params.push_back(builder.Param(metadata.params[i].name, type, metadata.params[i].quantization));
  }
  for (const Instruction& instruction : module.entry().body) {
    if (const TensorView* constant = module.constant(static_cast<ValueId>(values.size()))) {
      values.push_back(c.Constant(Tensor::Copy(*constant, constant->storage)));
      continue;
    }
    std::vector<Value> operands;
    for (const ValueId id : instruction.operands) operands.push_back(values[id]);
    const LoweringInfo* lowering = FindLowering(InfoOf(instruction.op).name);
    ASSIGN_OR_RETURN(const std::vector<Value> results,
                     lowering != nullptr ? lowering->lower(c, operands, instruction.attributes)
                                         : c.Emit(instruction.op, operands, instruction.attributes));
    values.insert(values.end(), results.begin(), results.end());
  }
  std::vector<Value> results;
  for (const ValueId id : module.entry().results) results.push_back(values[id]);
  const std::vector<ValueId> ids = builder.Append(c, params, results);
  for (size_t i = 0; i < ids.size(); ++i) {
    builder.Result(metadata.results[i].name, ids[i], metadata.results[i].quantization);
  }
  return std::move(builder).Build();
}

}  // namespace tally
