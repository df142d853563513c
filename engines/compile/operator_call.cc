#include "engines/compile/operator_call.h"

#include "ops/layout/attrs.h"

namespace tally {

OperatorCall CallOf(const FunctionView& function, const ScheduledOp& op) {
  const Instruction& instruction = function.instruction(op.instruction);
  return {instruction.op, instruction.attributes, op.operands, op.results, op.position};
}

OperatorCall ConversionOf(const ValueRef& x, const ValueRef& y) {
  const auto physical = [](ValueRef v) {
    v.type.shape = PhysicalShape(v.type.shape, v.layout);
    v.layout = Layout::kRowMajor;
    return v;
  };
  return {Opcode::kTranspose,
          Pack(TransposeAttrs{AxesInto(y.layout, x.type.shape.rank())}),
          {physical(x)},
          {physical(y)}};
}

}  // namespace tally
