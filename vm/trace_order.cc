#include "vm/trace_order.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "ops/control/attrs.h"

namespace tally {
namespace {

bool RunsFunctions(const Instruction& instruction) {
  return InfoOf(instruction.op).results == kResultsOfFunction;
}

std::vector<CallSite> Inside(std::vector<CallSite> path, CallSite site) {
  path.push_back(site);
  return path;
}

// How many invocations an instruction can have.
int64_t MostInvocations(const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::kCall: return 1;
    case Opcode::kIf: return 2;
    case Opcode::kLoop: return Unpack<LoopAttrs>(instruction.attributes).trips;
    default: return 0;
  }
}

}  // namespace

bool TraceOrder::Contains(const ValuePlace& place) const {
  std::vector<CallSite> path;
  for (const CallSite& site : place.path) {
    const auto& body = module_.module().functions[FunctionAt(module_.module(), path)].body;
    if (site.step < 0 || site.step >= std::ssize(body)) return false;
    const int64_t most = MostInvocations(body[static_cast<size_t>(site.step)]);
    if (site.invocation < 0 || site.invocation >= most) return false;
    path.push_back(site);
  }
  const size_t function = FunctionAt(module_.module(), place.path);
  const FunctionFacts& facts = module_.functions()[function];
  return place.id >= facts.params.size() && place.id < facts.types.size() &&
         module_.constant(function, place.id) == nullptr && committed_.contains(function, place.id);
}

// Whether it has an instruction that computes something: the value that the last of them computes is folded
// into none.
bool TraceOrder::HasEntries(size_t function) const {
  return std::ranges::any_of(module_.module().functions[function].body,
                             [](const Instruction& i) { return i.op != Opcode::kConstant; });
}

absl::StatusOr<std::optional<ValuePlace>> TraceOrder::After(const ValuePlace& place) const {
  const FunctionFacts& facts = module_.functions()[FunctionAt(module_.module(), place.path)];
  const size_t step = StepOf(facts, place.id);
  const InstructionFacts& of = facts.instructions[step];
  // Only an instruction of one result can be folded.
  if (place.id + 1 < of.first_result + static_cast<ValueId>(of.num_results)) {
    return ValuePlace{place.path, place.id + 1};
  }
  return From(place.path, step + 1);
}

absl::StatusOr<std::optional<int64_t>> TraceOrder::FirstInvocation(const std::vector<CallSite>& path,
                                                                   size_t step) const {
  const Instruction& instruction = module_.module().functions[FunctionAt(module_.module(), path)].body[step];
  if (!RunsFunctions(instruction)) return std::nullopt;
  int64_t invocation = 0;
  const bool is_loop = instruction.op == Opcode::kLoop;
  if (instruction.op == Opcode::kIf || (is_loop && Unpack<LoopAttrs>(instruction.attributes).condition)) {
    ASSIGN_OR_RETURN(const bool set, is_set_({path, instruction.operands[0]}));
    if (is_loop && !set) return std::nullopt;
    invocation = set ? 0 : 1;
  }
  const size_t function =
      FunctionAt(module_.module(), Inside(path, {static_cast<int64_t>(step), invocation}));
  return HasEntries(function) ? std::optional(invocation) : std::nullopt;
}

absl::StatusOr<bool> TraceOrder::GoesOn(const std::vector<CallSite>& path, CallSite site) const {
  const size_t function = FunctionAt(module_.module(), path);
  const Instruction& instruction = module_.module().functions[function].body[static_cast<size_t>(site.step)];
  if (instruction.op != Opcode::kLoop) return false;
  const auto attrs = Unpack<LoopAttrs>(instruction.attributes);
  if (site.invocation + 1 >= attrs.trips || !attrs.condition) return site.invocation + 1 < attrs.trips;
  return is_set_(
      {Inside(path, site), module_.module().functions[static_cast<size_t>(attrs.body)].results[0]});
}

// The first entry of instruction `step` of the body at `path`, or of those that run after it.
absl::StatusOr<std::optional<ValuePlace>> TraceOrder::From(std::vector<CallSite> path, size_t step) const {
  bool functions_ran = false;  // those of the instruction
  for (;;) {
    const size_t function = FunctionAt(module_.module(), path);
    const FunctionFacts& facts = module_.functions()[function];
    if (step == facts.instructions.size()) {
      if (path.empty()) return std::nullopt;
      CallSite site = path.back();
      path.pop_back();
      ASSIGN_OR_RETURN(const bool goes_on, GoesOn(path, site));
      step = static_cast<size_t>(site.step);
      functions_ran = !goes_on;
      if (goes_on) {
        path.push_back({site.step, site.invocation + 1});
        step = 0;
      }
      continue;
    }
    if (!std::exchange(functions_ran, false)) {
      ASSIGN_OR_RETURN(const std::optional<int64_t> invocation, FirstInvocation(path, step));
      if (invocation) {
        path.push_back({static_cast<int64_t>(step), *invocation});
        step = 0;
        continue;
      }
    }
    const InstructionFacts& of = facts.instructions[step];
    if (of.num_results > 0 && module_.constant(function, of.first_result) == nullptr &&
        committed_.contains(function, of.first_result)) {
      return ValuePlace{std::move(path), of.first_result};
    }
    ++step;
  }
}

}  // namespace tally
