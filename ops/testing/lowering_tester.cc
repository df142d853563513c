#include "ops/testing/lowering_tester.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "ops/lowerings.h"

namespace tally {

absl::StatusOr<LoweringOutcome> RunLowering(const LoweringCase& test) {
  Composition c(test.profile);
  std::vector<std::optional<TestOperand>> operands;  // by value id, once computed
  std::vector<Value> inputs;
  for (const TestOperand& operand : test.operands) {
    const Interval interval = operand.interval.value_or(operand.tensor.view().Bounds());
    inputs.push_back(operand.constant ? c.Constant(operand.tensor)
                                      : c.Input({operand.tensor.shape(), interval}));
    operands.push_back(operand);
  }
  ASSIGN_OR_RETURN(const std::vector<Value> results, Lower(c, test.name, inputs, test.attributes));

  operands.resize(c.num_values());
  for (int id = 0; id < c.num_values(); ++id) {
    const TensorView* constant = c.constant({id});
    if (constant == nullptr) continue;
    operands[id] = TestOperand{Tensor::Copy(*constant, constant->storage), c.interval({id}), true};
  }
  LoweringOutcome outcome;
  for (const Composition::Step& step : c.steps()) {
    OpCase one = {.op = step.op, .profile = test.profile, .attributes = step.attributes};
    for (const Value operand : step.operands) one.operands.push_back(*operands[operand.id]);
    ASSIGN_OR_RETURN(const OpOutcome computed, RunOp(one));
    for (size_t r = 0; r < computed.values.size(); ++r) {
      ASSIGN_OR_RETURN(Tensor tensor, Tensor::FromValues(computed.types[r].shape, computed.values[r]));
      operands[step.first_result.id + r] = TestOperand{std::move(tensor), computed.types[r].interval};
    }
    outcome.instructions.emplace_back(InfoOf(step.op).name);
  }
  for (const Value result : results) {
    const TensorView view = operands[result.id]->tensor.view();
    outcome.types.push_back(c.type(result));
    auto& values = outcome.values.emplace_back();
    for (int64_t i = 0; i < view.shape.num_elements(); ++i) values.push_back(view.at(i));
  }
  return outcome;
}

std::string LabelOf(const LoweringCase& test) { return ErrorLabel(RunLowering(test).status()); }

}  // namespace tally
