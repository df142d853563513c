#include <tuple>
#include <vector>

#include "ops/control/attrs.h"
#include "ops/function_caller.h"

namespace tally {

// y = condition != 0 ? then_function(x...) : else_function(x...); only one of them runs.
template <typename Int>
void ReferenceIf(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<IfAttrs>();
  const bool taken = c.operands[0][0] != Int(0);
  const int64_t function = taken ? attrs.then_function : attrs.else_function;
  const FunctionSignature signature = c.functions->Signature(function);
  std::vector<Operand<Int>> arguments;
  for (size_t i = 1; i < c.operands.size(); ++i) {
    arguments.push_back(c.operands[i].Slice(signature.params[i - 1], 0));
  }
  std::ignore = c.functions->Call(function, taken ? 0 : 1, arguments, c.results);
}

TALLY_REFERENCE(If);

}  // namespace tally
