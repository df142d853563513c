#include <algorithm>

#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/network.h"
#include "fuzz/generators/values.h"
#include "ops/control/attrs.h"
#include "ops/elementwise/attrs.h"

namespace tally {
namespace {

constexpr int64_t kSteps = 4;  // a function's, at most

// A second yield of some constant.
Attempt DrawConstant(CallContext& c) {
  if (c.draft.num_constants() == 0) c.Operand({.source = Source::kConstant});
  return {{}, Pack(ConstantAttrs{.index = c.e.Between(0, c.draft.num_constants() - 1)})};
}

ModuleDraft NewFunction(const CallContext& c) {
  DraftLimits limits = c.draft.limits();
  limits.max_gas /= 8;
  limits.max_depth -= 1;
  return ModuleDraft(c.draft.profile(), limits);
}

// The type of a value of the draft, with an interval that is often wider: operands differ from parameters.
TensorType ParamLike(CallContext& c) {
  const TensorType type = c.type(c.Operand({.source = Source::kComputed}));
  if (c.e.OneIn(2)) return type;
  return {type.shape, type.interval.Hull(RandomInterval(c.e, TensorLimit(c.draft.profile())))};
}

DraftId ArgumentFor(CallContext& c, const TensorType& param) {
  return c.Operand({.shape = param.shape, .within = param.interval});
}

int64_t NewCallee(CallContext& c) {
  ModuleDraft function = NewFunction(c);
  for (int64_t n = c.e.Between(1, 2); n > 0; --n) function.AddParam(ParamLike(c));
  const Swarm swarm = SwarmOfBody(c.swarm, function);
  GrowDraft(c.e, swarm, c.e.Between(1, kSteps), function);
  return c.draft.AddFunctions(function.Build(ChooseResults(c.e, swarm, function)));
}

// A new function, or one that is called already.
Attempt DrawFunctionCall(CallContext& c) {
  const bool again = c.draft.num_functions() > 0 && c.e.OneIn(4);
  const int64_t callee = again ? c.e.Between(1, c.draft.num_functions()) : NewCallee(c);
  Attempt attempt = {{}, Pack(CallAttrs{.function = callee})};
  const std::vector<TensorType> params = c.draft.function(callee).params;
  for (const TensorType& param : params) attempt.operands.push_back(ArgumentFor(c, param));
  return attempt;
}

// A value of `draft` of this shape, or a new constant.
DraftId ValueOfShape(EntropySource& e, const Shape& shape, ModuleDraft& draft) {
  std::vector<DraftId> fitting;
  for (DraftId id = 0; id < draft.size(); ++id) {
    if (draft.type(id).shape == shape) fitting.push_back(id);
  }
  if (!fitting.empty()) return e.PickFrom(fitting);
  return draft.AddConstant(RandomTensor(e, {shape, RandomInterval(e, TensorLimit(draft.profile()))}));
}

// Two functions with the same parameters and results of the same shapes.
Attempt DrawIf(CallContext& c) {
  const Shape one = c.e.OneIn(2) ? Shape() : ShapeOf({1});
  const DraftId condition = c.Operand({.shape = one, .within = {-3, 3}, .source = Source::kComputed});
  IfAttrs attrs = {.then_function = NewCallee(c)};
  const Function taken = c.draft.function(attrs.then_function);
  ModuleDraft other = NewFunction(c);
  for (const TensorType& param : taken.params) other.AddParam(param);
  other.CloseParams();
  GrowDraft(c.e, SwarmOfBody(c.swarm, other), c.e.Between(1, kSteps), other);
  std::vector<DraftId> operands = {condition}, results;
  for (const TensorType& param : taken.params) operands.push_back(ArgumentFor(c, param));
  for (const TensorType& type : c.draft.result_types(attrs.then_function)) {
    results.push_back(ValueOfShape(c.e, type.shape, other));
  }
  attrs.else_function = c.draft.AddFunctions(other.Build(results));
  return {operands, Pack(attrs)};
}

// The values that the body carries on: a value that keeps to the declared interval, or is clipped to it, or
// the state itself.
DraftId NextState(EntropySource& e, DraftId state, ModuleDraft& body) {
  const TensorType type = body.type(state);
  std::vector<DraftId> fitting;
  for (DraftId id = 0; id < body.size(); ++id) {
    if (body.type(id).shape == type.shape && id != state) fitting.push_back(id);
  }
  if (fitting.empty()) return state;
  const DraftId next = e.PickFrom(fitting);
  if (type.interval.Contains(body.type(next).interval)) return next;
  const ClipAttrs clip = {.a_min = type.interval.lo, .a_max = type.interval.hi};
  return body.TryEmit(Opcode::kClip, {next}, Pack(clip)) ? body.size() - 1 : state;
}

DraftId GoOn(EntropySource& e, const ModuleDraft& body) {
  std::vector<DraftId> fitting;
  for (DraftId id = 0; id < body.size(); ++id) {
    if (body.type(id).shape.num_elements() == 1) fitting.push_back(id);
  }
  return e.PickFrom(fitting);  // the index at least
}

// The parameters that the body asks for beside index and states are fixed operands, then scanned ones.
Attempt DrawLoop(CallContext& c) {
  LoopAttrs attrs = {.trips = c.e.Between(1, 4), .states = c.e.Between(0, 2), .condition = c.e.OneIn(2)};
  ModuleDraft body = NewFunction(c);
  std::vector<TensorType> params = {{Shape(), {0, attrs.trips - 1}}};
  body.AddParam(params[0]);
  for (int64_t s = 0; s < attrs.states; ++s) body.AddParam(params.emplace_back(ParamLike(c)));
  GrowDraft(c.e, SwarmOfBody(c.swarm, body), c.e.Between(1, kSteps), body);

  std::vector<DraftId> results;
  if (attrs.condition) results.push_back(GoOn(c.e, body));
  for (int64_t s = 0; s < attrs.states; ++s) {
    results.push_back(NextState(c.e, static_cast<DraftId>(1 + s), body));
  }
  for (int64_t outputs = c.e.Between(results.empty() ? 1 : 0, 2); outputs > 0; --outputs) {
    results.push_back(static_cast<DraftId>(c.e.Between(0, body.size() - 1)));
  }
  attrs.body = c.draft.AddFunctions(body.Build(results));
  params = c.draft.function(attrs.body).params;
  const auto more = static_cast<int64_t>(params.size()) - 1 - attrs.states;
  attrs.scanned = c.e.Between(0, more);

  Attempt attempt;
  if (attrs.condition) attempt.operands.push_back(c.Operand({.shape = Shape(), .within = {0, 1}}));
  for (size_t p = 1; p < params.size(); ++p) {
    TensorType type = params[p];
    if (p + attrs.scanned >= params.size()) {
      std::vector<int64_t> dims = {attrs.trips};
      dims.insert(dims.end(), type.shape.dims().begin(), type.shape.dims().end());
      type.shape = ShapeOf(dims);
    }
    attempt.operands.push_back(ArgumentFor(c, type));
  }
  attempt.attributes = Pack(attrs);
  return attempt;
}

}  // namespace

CallGenerator FindControlCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kConstant: return DrawConstant;
    case Opcode::kCall: return DrawFunctionCall;
    case Opcode::kIf: return DrawIf;
    case Opcode::kLoop: return DrawLoop;
    default: return nullptr;
  }
}

}  // namespace tally
