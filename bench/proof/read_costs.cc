#include "bench/proof/read_costs.h"

#include <bit>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "base/tensor_leaves.h"
#include "vm/committed_values.h"
#include "vm/engine.h"
#include "vm/referee.h"

namespace tally::bench {
namespace {

// All elements of a run, and which leaves were read.
class CountedRun final : public KnownElements {
 public:
  CountedRun(const ValidModule& module, const std::vector<Tensor>& inputs,
             const std::map<ValuePlace, Tensor>& values)
      : module_(module), inputs_(inputs), values_(values) {}

  absl::StatusOr<int64_t> Read(const ValuePlace& place, int64_t element) override {
    const size_t function = FunctionAt(module_.module(), place.path);
    if (const TensorView* constant = module_.constant(function, place.id)) {
      const auto index = static_cast<size_t>(module_.functions()[function].constants[place.id]);
      // A table that is given by its recipe is made anew.
      if (module_.module().recipe(index) == nullptr) {
        Count(ValuePlace{{}, static_cast<ValueId>(index) + kConstants}, *constant, Layout::kRowMajor,
              element);
      }
      return constant->at(element);
    }
    const TensorView value = place.id < module_.functions()[function].params.size()
                                 ? inputs_[place.id].view()
                                 : values_.at(place).view();
    Count(place, value, CommittedLayout(value.shape), element);
    return value.at(element);
  }

  ReadCost Take() {
    ReadCost cost;
    for (const auto& [leaf, bytes] : std::exchange(leaves_, {})) {
      ++cost.leaves;
      cost.leaf_bytes += bytes.first;
      cost.path_bytes += bytes.second;
    }
    return cost;
  }

 private:
  static constexpr ValueId kConstants = ValueId{1} << 31;  // apart from values

  void Count(const ValuePlace& place, const TensorView& value, Layout layout, int64_t element) {
    const TensorLeaves leaves(value.storage, value.shape, layout);
    const int64_t leaf = leaves.PlaceOf(element).leaf;
    const int levels = std::bit_width(static_cast<uint64_t>(leaves.count() - 1));
    leaves_.try_emplace({place, leaf}, leaves.cuts().At(leaf).size, 32 * levels);
  }

  const ValidModule& module_;
  const std::vector<Tensor>& inputs_;
  const std::map<ValuePlace, Tensor>& values_;
  std::map<std::pair<ValuePlace, int64_t>, std::pair<int64_t, int64_t>> leaves_;
};

// The instructions that are judged with one element of a value, in the order in which they compute.
std::string NameOf(const ValidModule& module, const CommittedValues& committed, size_t function, ValueId id) {
  const FunctionFacts& facts = module.functions()[function];
  size_t step = 0;
  while (facts.instructions[step].first_result + facts.instructions[step].num_results <= id) ++step;
  const Instruction& instruction = module.module().functions[function].body[step];
  std::string name;
  for (const ValueId operand : instruction.operands) {
    const bool computed = operand >= facts.params.size() && module.constant(function, operand) == nullptr;
    if (computed && !committed.contains(function, operand)) {
      name += NameOf(module, committed, function, operand) + "+";
    }
  }
  return name + std::string(InfoOf(instruction.op).name);
}

}  // namespace

absl::StatusOr<std::map<std::string, ReadCost>> MeasureReads(const std::shared_ptr<const ValidModule>& module,
                                                             const std::vector<Tensor>& inputs,
                                                             int64_t elements_of_each) {
  const CommittedValues committed(*module);
  std::map<ValuePlace, Tensor> values;
  ExecuteOptions options;
  options.observer = [&](std::span<const CallSite> path, ValueId id, const TensorView& value) {
    if (!committed.contains(FunctionAt(module->module(), path), id)) return;
    values.insert_or_assign({{path.begin(), path.end()}, id}, Tensor::Copy(value, value.storage));
  };
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", module, {}));
  RETURN_IF_ERROR(plan->Execute(views, options).status());
  CountedRun run(*module, inputs, values);
  Referee<TrappingInt> referee(*module, committed, run);
  std::mt19937_64 random(1);
  std::map<std::string, ReadCost> costs;
  for (const auto& [place, value] : values) {
    const int64_t size = value.shape().num_elements();
    ReadCost& most = costs[NameOf(*module, committed, FunctionAt(module->module(), place.path), place.id)];
    for (int64_t i = 0; i < std::min(elements_of_each, size); ++i) {
      const int64_t element = i == 0 ? 0 : i == 1 ? size - 1 : static_cast<int64_t>(random() % size);
      ASSIGN_OR_RETURN(const TrappingInt judged, referee.Judge(place, element));
      if (static_cast<int64_t>(judged) != value.view().at(element)) {
        return absl::InternalError(absl::StrCat("the referee differs at element ", element));
      }
      ReadCost cost = run.Take();
      cost.elements = ++most.elements;
      if (cost.leaf_bytes >= most.leaf_bytes) most = cost;
    }
  }
  return costs;
}

}  // namespace tally::bench
