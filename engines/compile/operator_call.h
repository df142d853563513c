// A call of one operator on values of a schedule, and what selection may see of it.
#pragma once

#include <vector>

#include "engines/compile/function_view.h"
#include "engines/compile/layouts.h"
#include "engines/compile/schedule.h"
#include "ops/attributes.h"

namespace tally {

struct OperatorCall {
  Opcode op;
  Attributes attributes;
  std::vector<ValueRef> operands;
  std::vector<ValueRef> results;
  int64_t position = 0;  // in the body, as observers know it; of an operator that names functions
};

// That of an instruction, or of a copy into a part.
OperatorCall CallOf(const FunctionView& function, const ScheduledOp& op);

// The transpose that converts a value into the other layout: on the same bytes as row-major values, whose
// shapes are those of the bytes.
OperatorCall ConversionOf(const ValueRef& x, const ValueRef& y);

// Calls visit(facts) with what selection may see of `call`. Kernels are told of constants where these are as
// the module has them.
template <typename Visit>
auto WithFacts(const Schedule& schedule, const OperatorCall& call, Layout layout, const Interval& accumulator,
               Visit visit) {
  std::vector<TensorType> operands, results;
  std::vector<Storage> storages;
  std::vector<TensorView> views(call.operands.size());
  std::vector<const TensorView*> constants;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const ValueRef& x = call.operands[i];
    operands.push_back(x.type);
    storages.push_back(x.storage);
    constants.push_back(nullptr);
    const bool is_converted = x.layout == Layout::kChannelsLast && !SameInBothLayouts(x.type.shape);
    if (x.buffer < 0 || is_converted || !schedule.IsConstant(x.buffer)) continue;
    const auto [root, offset] = schedule.PlaceOf(x.buffer);
    views[i] = {x.storage, x.type.shape,
                schedule.buffers[root].constant.subspan(offset, static_cast<size_t>(x.size_bytes()))};
    constants[i] = &views[i];
  }
  for (const ValueRef& y : call.results) results.push_back(y.type);
  return visit(KernelFacts{.op = call.op,
                           .attributes = &call.attributes,
                           .operands = operands,
                           .storages = storages,
                           .constants = constants,
                           .results = results,
                           .accumulator = accumulator,
                           .layout = layout});
}

}  // namespace tally
