#include <array>
#include <vector>

#include "ops/control/attrs.h"
#include "ops/control/loop_shape.h"
#include "ops/function_caller.h"

namespace tally {
namespace {

template <typename Int>
bool IsTrue(const Operand<Int>& condition) {
  return condition[0] != Int(0);
}

// The types of one iteration's part of each stacked output.
template <typename Int>
std::vector<TensorType> OutputTypes(const ReferenceContext<Int>& c, const FunctionSignature& body,
                                    const LoopShape& loop) {
  std::vector<TensorType> types;
  for (size_t o = 0; o < loop.outputs; ++o) {
    types.push_back(
        {body.results[loop.flags + loop.states + o].shape, c.results[loop.states + o].interval()});
  }
  return types;
}

}  // namespace

// for i = 0, 1, ... while i < trips and the condition holds:
//   condition, state..., output...[i] = body(i, state..., fixed..., scanned...[i])
template <typename Int>
void ReferenceLoop(const ReferenceContext<Int>& c) {
  const auto attrs = c.template attrs<LoopAttrs>();
  const FunctionSignature body = c.functions->Signature(attrs.body);
  const LoopShape loop(attrs, c.operands.size(), body.results.size());
  const std::vector<TensorType> output_types = OutputTypes(c, body, loop);

  const Result<Int> index = c.functions->Allocate(body.params[0]);
  std::vector<Result<Int>> go_on;
  if (attrs.condition) go_on.push_back(c.functions->Allocate(body.results[0]));
  std::array<std::vector<Result<Int>>, 2> states;  // an iteration reads one and writes the other
  for (auto& buffers : states) {
    for (size_t s = 0; s < loop.states; ++s)
      buffers.push_back(c.functions->Allocate(body.params[loop.param(s)]));
  }
  std::vector<Operand<Int>> arguments = {index.AsOperand()};
  for (size_t a = 0; a < loop.arguments(); ++a) {
    arguments.push_back(c.operands[loop.flags + a].Slice(body.params[loop.param(a)], 0));
  }

  bool running = !attrs.condition || IsTrue(c.operands[0]);
  int64_t i = 0;
  for (; running && i < attrs.trips; ++i) {
    index.Set(0, Int(i));
    for (size_t a = loop.states + loop.fixed; a < loop.arguments(); ++a) {
      const TensorType& slice = body.params[loop.param(a)];
      arguments[loop.param(a)] = c.operands[loop.flags + a].Slice(slice, i * slice.shape.num_elements());
    }
    std::vector<Result<Int>> results = go_on;
    const auto& next = states[i % 2];
    results.insert(results.end(), next.begin(), next.end());
    for (size_t o = 0; o < loop.outputs; ++o) {
      const TensorType& type = output_types[o];
      results.push_back(c.results[loop.states + o].Slice(type, i * type.shape.num_elements()));
    }
    if (!c.functions->Call(attrs.body, i, arguments, results)) return;
    for (size_t s = 0; s < loop.states; ++s) arguments[loop.param(s)] = next[s].AsOperand();
    if (attrs.condition) running = IsTrue(go_on[0].AsOperand());
  }

  for (size_t s = 0; s < loop.states; ++s) {
    c.results[s].SetAll(arguments[loop.param(s)]);
  }
  for (size_t o = 0; o < loop.outputs; ++o) {
    const Result<Int>& stacked = c.results[loop.states + o];
    const int64_t written = i * output_types[o].shape.num_elements();
    for (int64_t e = written; e < stacked.size(); ++e) stacked.Set(e, Int(0));
  }
  if (attrs.condition) c.results.back().Set(0, Int(i));
}

TALLY_REFERENCE(Loop);

}  // namespace tally
