#include <tuple>
#include <vector>

#include "ops/control/attrs.h"
#include "ops/function_caller.h"

namespace tally {

// y = function(x...)
template <typename Int>
void ReferenceCall(const ReferenceContext<Int>& c) {
  const int64_t function = c.template attrs<CallAttrs>().function;
  const FunctionSignature signature = c.functions->Signature(function);
  std::vector<Operand<Int>> arguments;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    arguments.push_back(c.operands[i].Slice(signature.params[i], 0));
  }
  std::ignore = c.functions->Call(function, 0, arguments, c.results);
}

TALLY_REFERENCE(Call);

}  // namespace tally
