#include "vm/wide_part.h"

#include "ops/op_rules.h"

namespace tally {
namespace {

const Instruction& InstructionAt(const ValidModule& module, const ValuePlace& place) {
  const size_t function = FunctionAt(module.module(), place.path);
  return module.module().functions[function].body[StepOf(module.functions()[function], place.id)];
}

// Elements of which nothing matters but which are asked for.
class AnyElements final : public KnownElements {
 public:
  explicit AnyElements(const ValidModule& module) : module_(module) {}

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t) override {
    return module_.functions()[FunctionAt(module_.module(), place.path)].types[place.id].interval.lo;
  }
  std::optional<int64_t> Expanded(const ValuePlace& place, int64_t element) override {
    if (!IsWide(module_, place)) return std::nullopt;
    wide_ = {place, element};
    return *Read(place, element);
  }

  const std::optional<WidePart>& wide() const { return wide_; }

 private:
  const ValidModule& module_;
  std::optional<WidePart> wide_;
};

}  // namespace

bool IsWide(const ValidModule& module, const ValuePlace& place) {
  const Instruction& instruction = InstructionAt(module, place);
  return InfoOf(instruction.op).results != kResultsOfFunction &&
         ReadsMany(instruction.op, instruction.operands.size());
}

std::optional<WidePart> WidePartOf(const ValidModule& module, const CommittedValues& committed,
                                   const ValuePlace& place, int64_t element) {
  if (InfoOf(InstructionAt(module, place).op).results == kResultsOfFunction) return std::nullopt;
  if (IsWide(module, place)) return WidePart{place, element};
  AnyElements any(module);
  // How it ends is of no interest: the instructions around read what they like of these elements.
  Referee<TrappingInt>(module, committed, any).Judge(place, element).status().IgnoreError();
  return any.wide();
}

}  // namespace tally
