#include "proof/freivalds/split_module.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "vm/validator.h"

namespace tally {
namespace {

std::vector<SplitProduct> ProductsOf(const ValidModule& module, int64_t worth) {
  std::vector<SplitProduct> products;
  for (size_t i = 0; i < module.entry().body.size(); ++i) {
    std::optional<ProductCheck> check = ProductCheck::Of(module, i);
    if (!check || check->check_cost() * worth > check->product_cost()) continue;
    products.push_back({.check = *std::move(check),
                        .instruction = i,
                        .value = module.facts()[i].first_result,
                        .x = {},
                        .weights = {},
                        .bias = {}});
  }
  return products;
}

// Numbers of values of the original in the split module.
class Split {
 public:
  Split(const ValidModule& module, std::vector<SplitProduct> products)
      : module_(module), products_(std::move(products)), numbers_(module.types().size()) {}

  absl::StatusOr<SplitModule> Make() && {
    Module split = module_.module();
    split.recipes.clear();  // the constants have their bytes
    Function& entry = split.functions[0];
    entry = {};
    const Function& original = module_.entry();
    entry.params = original.params;
    ValueId next = 0;
    for (size_t i = 0; i < original.params.size(); ++i) numbers_[i] = next++;
    for (const SplitProduct& product : products_) {
      entry.params.push_back(module_.types()[product.value]);
      numbers_[product.value] = next++;
    }
    num_params_ = next;
    for (size_t i = 0; i < original.body.size(); ++i) {
      if (IsProduct(i)) continue;
      Instruction instruction = original.body[i];
      for (ValueId& operand : instruction.operands) operand = numbers_[operand];
      const InstructionFacts& facts = module_.facts()[i];
      for (int r = 0; r < facts.num_results; ++r)
        numbers_[facts.first_result + static_cast<ValueId>(r)] = next++;
      entry.body.push_back(std::move(instruction));
    }
    std::vector<TensorSource> results;
    for (const ValueId result : original.results) results.push_back(SourceOf(result, entry));
    for (SplitProduct& product : products_) {
      const std::vector<ValueId>& operands = original.body[product.instruction].operands;
      product.x = SourceOf(operands[0], entry);
      product.weights = SourceOf(operands[1], entry);
      if (operands.size() == 3) product.bias = SourceOf(operands[2], entry);
    }
    if (entry.results.empty()) entry.results.push_back(0);  // a module has a result
    split.metadata = DefaultMetadata(entry);
    SplitModule made = {.module = nullptr,
                        .products = std::move(products_),
                        .results = std::move(results),
                        .num_inputs = original.params.size()};
    ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(split)));
    made.module = std::make_shared<const ValidModule>(std::move(valid));
    return made;
  }

 private:
  bool IsProduct(size_t instruction) const {
    return std::ranges::any_of(products_,
                               [&](const auto& product) { return product.instruction == instruction; });
  }

  // A value of the original, which becomes a result where it is neither a constant nor a parameter.
  TensorSource SourceOf(ValueId value, Function& entry) {
    if (const int32_t constant = module_.functions()[0].constants[value]; constant >= 0)
      return {TensorSource::Kind::kConstant, static_cast<size_t>(constant)};
    const ValueId number = numbers_[value];
    if (number < num_params_) return {TensorSource::Kind::kInput, number};
    const auto found = std::ranges::find(entry.results, number);
    const TensorSource source = {TensorSource::Kind::kResult,
                                 static_cast<size_t>(found - entry.results.begin())};
    if (found == entry.results.end()) entry.results.push_back(number);
    return source;
  }

  const ValidModule& module_;
  std::vector<SplitProduct> products_;
  std::vector<ValueId> numbers_;
  ValueId num_params_ = 0;
};

}  // namespace

absl::StatusOr<std::optional<SplitModule>> SplitAtProducts(const ValidModule& module, int64_t worth) {
  std::vector<SplitProduct> products = ProductsOf(module, worth);
  if (products.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(SplitModule split, Split(module, std::move(products)).Make());
  return split;
}

}  // namespace tally
