#include "vm/referee.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/control/loop_shape.h"
#include "ops/element.h"
#include "ops/op_rules.h"
#include "vm/judgement.h"

namespace tally {
namespace {

// More than any operator costs for each element that it reads or passes over.
constexpr int64_t kGasOfARead = 256;

}  // namespace

size_t StepOf(const FunctionFacts& function, ValueId id) {
  const auto next = std::ranges::upper_bound(function.instructions, id, {}, &InstructionFacts::first_result);
  return static_cast<size_t>(next - function.instructions.begin() - 1);
}

// An operand of the instruction that is judged.
template <typename Int>
class Referee<Int>::Source final : public ElementSource<Int> {
 public:
  Source(Referee& referee, ValuePlace place) : referee_(referee), place_(std::move(place)) {}

  Int Read(int64_t element) const override { return referee_.Element(place_, element); }

 private:
  Referee& referee_;
  ValuePlace place_;
};

template <typename Int>
absl::StatusOr<Int> Referee<Int>::Judge(const ValuePlace& place, int64_t element) {
  return EndOf([&] { return Compute(place, element); });
}

template <typename Int>
absl::StatusOr<Int> Referee<Int>::ElementOf(const ValuePlace& place, int64_t element) {
  return EndOf([&] { return Element(place, element); });
}

template <typename Int>
const FunctionFacts& Referee<Int>::FactsAt(const ValuePlace& place, size_t* function) const {
  *function = FunctionAt(module_.module(), place.path);
  return module_.functions()[*function];
}

template <typename Int>
JudgedInstruction<Int> Referee<Int>::InstructionOf(const ValuePlace& place) {
  size_t function;
  const FunctionFacts& facts = FactsAt(place, &function);
  const size_t step = StepOf(facts, place.id);
  const InstructionFacts& of = facts.instructions[step];
  const Instruction& instruction = module_.module().functions[function].body[step];
  JudgedInstruction<Int> judged = {
      .op = instruction.op,
      .attributes = &instruction.attributes,
      .result = static_cast<int>(place.id - of.first_result),
      .results = std::span(facts.types).subspan(of.first_result, static_cast<size_t>(of.num_results)),
      .run_gas = module_.gas()};
  for (const ValueId id : instruction.operands) {
    judged.types.push_back(facts.types[id]);
    judged.sources.push_back(std::make_unique<Source>(*this, ValuePlace{place.path, id}));
    judged.operands.emplace_back(facts.types[id], *judged.sources.back());
  }
  return judged;
}

template <typename Int>
Int Referee<Int>::Compute(const ValuePlace& place, int64_t element) {
  size_t function;
  const FunctionFacts& facts = FactsAt(place, &function);
  const size_t step = StepOf(facts, place.id);
  if (InfoOf(module_.module().functions[function].body[step].op).results == kResultsOfFunction) {
    return ResultOfFunctions(place, step, place.id - facts.instructions[step].first_result, element);
  }
  const JudgedInstruction<Int> judged = InstructionOf(place);
  CheckWork(judged, judged.Context(element), facts.instructions[step].gas);
  return ComputeElement<Int>(judged.op, judged.Context(element), judged.operands);
}

template <typename Int>
void Referee<Int>::CountRead() {
  if (reads_left_-- <= 0) throw Refusal{MakeError(label::judgement_size, "an element reads too much")};
}

// Loops of references are over what is read; or over what the gas is of, of which each element has its share.
template <typename Int>
void Referee<Int>::CheckWork(const JudgedInstruction<Int>& judged, const ReadContext& c, int64_t gas) const {
  if (most_reads_ == std::numeric_limits<int64_t>::max()) return;
  const ReadSet reads = RulesOf(judged.op).reads;
  bool fits = gas / judged.results[0].shape.num_elements() / kGasOfARead <= most_reads_;
  for (size_t k = 0; k < judged.operands.size(); ++k) {
    const OperandReads& of = ReadsOf(reads, k);
    // A reference may do some work for each: it sorts them.
    fits &= of.reach != Reach::kMany || of.region(c, static_cast<int>(k)).size() <= most_reads_ / 4;
  }
  if (!fits) throw Refusal{MakeError(label::judgement_size, "an element takes too much work")};
}

template <typename Int>
Int Referee<Int>::Element(const ValuePlace& place, int64_t element) {
  CountRead();
  size_t function;
  const FunctionFacts& facts = FactsAt(place, &function);
  const TensorType& type = facts.types[place.id];
  if (element < 0 || element >= type.shape.num_elements()) {
    throw Refusal{
        MakeError(label::element_interval,
                  absl::StrCat("element ", element, " of a value of shape ", type.shape.ToString()))};
  }
  const bool is_param = place.id < facts.params.size();
  if (is_param && !place.path.empty()) return Argument(place, element);
  const bool is_computed = !is_param && module_.constant(function, place.id) == nullptr;
  if (is_computed && !committed_.contains(function, place.id)) {
    if (const auto expanded = known_.Expanded(place, element)) return Int(*expanded);
    return Compute(place, element);
  }
  const int64_t value = OrRefuse(known_.Read(place, element));
  if (!type.interval.Contains(value)) {
    throw Refusal{
        MakeError(label::element_interval, absl::StrCat("element ", element, " of %", place.id, " is ", value,
                                                        ", outside ", type.interval.ToString()))};
  }
  return Int(value);
}

template <typename Int>
Int Referee<Int>::ResultOfCall(const ValuePlace& place, size_t step, int64_t invocation, size_t result,
                               int64_t element) {
  ValuePlace inside = {place.path, 0};
  inside.path.push_back({static_cast<int64_t>(step), invocation});
  inside.id = module_.module().functions[FunctionAt(module_.module(), inside.path)].results[result];
  return Element(inside, element);
}

template <typename Int>
Int Referee<Int>::ResultOfFunctions(const ValuePlace& place, size_t step, size_t result, int64_t element) {
  size_t function;
  FactsAt(place, &function);
  const Instruction& instruction = module_.module().functions[function].body[step];
  if (instruction.op == Opcode::kCall) return ResultOfCall(place, step, 0, result, element);
  if (instruction.op == Opcode::kLoop) return ResultOfLoop(place, step, result, element);
  const bool taken = Element({place.path, instruction.operands[0]}, 0) != Int(int64_t{0});
  return ResultOfCall(place, step, taken ? 0 : 1, result, element);
}

template <typename Int>
int64_t Referee<Int>::TripsOf(const ValuePlace& place, size_t step) {
  size_t function;
  FactsAt(place, &function);
  const Instruction& instruction = module_.module().functions[function].body[step];
  const auto attrs = Unpack<LoopAttrs>(instruction.attributes);
  if (!attrs.condition) return attrs.trips;
  const Int stop(int64_t{0});
  int64_t trips = 0;
  for (bool runs = Element({place.path, instruction.operands[0]}, 0) != stop; runs && trips < attrs.trips;
       ++trips) {
    runs = ResultOfCall(place, step, trips, 0, 0) != stop;
  }
  return trips;
}

template <typename Int>
Int Referee<Int>::ResultOfLoop(const ValuePlace& place, size_t step, size_t result, int64_t element) {
  size_t function;
  const FunctionFacts& facts = FactsAt(place, &function);
  const Instruction& instruction = module_.module().functions[function].body[step];
  const auto attrs = Unpack<LoopAttrs>(instruction.attributes);
  const Function& body = module_.module().functions[static_cast<size_t>(attrs.body)];
  const LoopShape loop(attrs, instruction.operands.size(), body.results.size());
  const int64_t trips = TripsOf(place, step);
  if (result < loop.states) {
    if (trips == 0) return Element({place.path, instruction.operands[loop.flags + result]}, element);
    return ResultOfCall(place, step, trips - 1, loop.flags + result, element);
  }
  if (result == loop.states + loop.outputs) return Int(trips);
  // An output of the trips, one after the other, with zeros after the last.
  const int64_t elements = facts.types[place.id].shape.num_elements() / attrs.trips;
  if (element / elements >= trips) return Int(int64_t{0});
  return ResultOfCall(place, step, element / elements, loop.flags + result, element % elements);
}

// A parameter of a function is what its caller gave.
template <typename Int>
Int Referee<Int>::Argument(const ValuePlace& place, int64_t element) {
  const CallSite site = place.path.back();
  ValuePlace caller = {{place.path.begin(), place.path.end() - 1}, 0};
  size_t function;
  FactsAt(caller, &function);
  const auto step = static_cast<size_t>(site.step);
  const Instruction& instruction = module_.module().functions[function].body[step];
  if (instruction.op != Opcode::kLoop) {
    const size_t condition = instruction.op == Opcode::kIf ? 1 : 0;
    caller.id = instruction.operands[condition + place.id];
    return Element(caller, element);
  }
  if (place.id == 0) return Int(site.invocation);
  const auto attrs = Unpack<LoopAttrs>(instruction.attributes);
  const Function& body = module_.module().functions[static_cast<size_t>(attrs.body)];
  const LoopShape loop(attrs, instruction.operands.size(), body.results.size());
  int64_t trip = site.invocation;
  size_t argument = place.id - LoopShape::param(0);
  // A state is what the trip before has computed, or a parameter that it has passed on.
  for (; argument < loop.states && trip > 0; --trip) {
    CountRead();
    const ValueId passed = body.results[loop.flags + argument];
    if (passed >= body.params.size())
      return ResultOfCall(caller, step, trip - 1, loop.flags + argument, element);
    if (passed == 0) return Int(trip - 1);
    argument = passed - LoopShape::param(0);
  }
  caller.id = instruction.operands[loop.flags + argument];
  if (argument < loop.states + loop.fixed) return Element(caller, element);
  const TensorType& slice = body.params[LoopShape::param(argument)];
  return Element(caller, trip * slice.shape.num_elements() + element);
}

template class Referee<FormalInt>;
template class Referee<TrappingInt>;

}  // namespace tally
