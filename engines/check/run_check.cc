#include "engines/check/run_check.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/strings.h"
#include "engines/check/function_evaluator.h"
#include "ops/indexing.h"
#include "vm/labels.h"

namespace tally {
namespace {

// Which instruction computes value `id`.
std::string ProducerOf(const ValidModule& module, size_t function, ValueId id) {
  const FunctionFacts& facts = module.functions()[function];
  for (size_t step = 0; step < facts.instructions.size(); ++step) {
    const InstructionFacts& f = facts.instructions[step];
    if (id >= f.first_result && id < f.first_result + static_cast<ValueId>(f.num_results)) {
      return std::string(InfoOf(module.module().functions[function].body[step].op).name);
    }
  }
  return "parameter";
}

}  // namespace

void RunCheck::Enter(size_t function, std::span<const Operand<int64_t>> arguments) {
  Call& call = calls_.emplace_back(Call{.function = function, .values = {}});
  if (status_.ok()) call.values = EvaluateFunction(module_, function, arguments);
}

void RunCheck::EnterEntry(std::span<const TensorView> inputs) {
  std::vector<Operand<int64_t>> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    arguments.emplace_back(module_.types()[i], inputs[i].storage, inputs[i].bytes.data(), nullptr);
  }
  Enter(0, arguments);
}

void RunCheck::Leave() { calls_.pop_back(); }

void RunCheck::CompareResult(size_t r, const HeldValue& held) {
  const Function& function = module_.module().functions[calls_.back().function];
  Compare(function.results[r], held, {function.body.size(), "the last", "leaves as a result"});
}

void RunCheck::Compare(ValueId id, const HeldValue& held, const CheckPoint& at) {
  if (!status_.ok()) return;
  const auto& [function, values] = calls_.back();
  const TensorView* const constant = module_.constant(function, id);
  const TensorView expected = constant != nullptr ? *constant : values[id]->view();
  const Shape& shape = expected.shape;
  // The position of a value that is channels last: by image, position and channel.
  const bool channels_last = held.layout == Layout::kChannelsLast && HasChannels(shape);
  const int64_t channels = channels_last ? shape[1] : 1;
  const int64_t positions = channels_last ? shape.num_elements() / (shape[0] * channels) : 1;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    int64_t place = i;
    if (channels_last) {
      const int64_t position = i % positions, channel = i / positions % channels;
      place = (i / positions / channels * positions + position) * channels + channel;
    }
    const int64_t is = LoadElement(held.storage, held.bytes, place), should_be = expected.at(i);
    if (is == should_be) continue;
    const Index index = Unflatten(i, shape);
    status_ = MakeError(label::check_failed,
                        absl::StrCat("step ", at.step, " (", ToAbsl(at.kernel), ") of function ", function,
                                     " ", ToAbsl(at.did), " ", is, " at [",
                                     absl::StrJoin(std::span(index).first(shape.rank()), ","), "] of %", id,
                                     " (", ProducerOf(module_, function, id),
                                     " of the lowered module), which is ", should_be, " by the references"));
    return;
  }
}

}  // namespace tally
