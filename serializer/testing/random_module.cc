#include "serializer/testing/random_module.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "ops/op_table.h"

namespace tally {
namespace {

Shape RandomShape(RandomDraws& draws, int64_t max_dim) {
  std::vector<int64_t> dims(draws.Below(5));
  for (int64_t& dim : dims) dim = draws.Within(1, max_dim);
  return *Shape::Create(dims);
}

std::string RandomName(RandomDraws& draws) {
  constexpr std::array<std::string_view, 12> kPieces = {
      "a", "image", "0", " ", "\"", "\\", ";", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x99\x82", "}", "%1"};
  std::string name;
  for (uint64_t pieces = draws.Below(6); pieces > 0; --pieces) name += kPieces[draws.Below(kPieces.size())];
  return name;
}

ValueInfo RandomInfo(RandomDraws& draws) {
  ValueInfo info{RandomName(draws), {}};
  if (draws.OneIn(2)) return info;
  info.quantization = {draws.AnyInt(), draws.AnyInt(), draws.AnyInt()};
  if (draws.OneIn(8)) info.quantization->shift = std::numeric_limits<int64_t>::min();
  return info;
}

int64_t RandomElement(RandomDraws& draws, const AttrSpec& spec) {
  if (spec.kind == AttrKind::kFunction && !draws.OneIn(4)) return draws.Within(0, 3);
  const bool any = (spec.kind == AttrKind::kInt || spec.kind == AttrKind::kList) && draws.OneIn(8);
  return any ? draws.AnyInt() : draws.Within(spec.lo, spec.hi);
}

AttrValue RandomAttribute(RandomDraws& draws, const AttrSpec& spec) {
  AttrValue value(spec.kind == AttrKind::kList ? draws.Below(6) : 1);
  for (int64_t& element : value) element = RandomElement(draws, spec);
  return value;
}

Instruction RandomInstruction(RandomDraws& draws, size_t num_constants) {
  const OpInfo& info = AllOps()[draws.Below(AllOps().size())];
  Instruction instruction{info.code, {}, {}};
  const bool fixed = info.min_operands == info.max_operands;
  instruction.operands.resize(fixed ? info.min_operands : draws.Below(8));
  for (ValueId& id : instruction.operands) {
    id = static_cast<ValueId>(draws.OneIn(8) ? draws.AnyInt() : draws.Within(0, 20));
  }
  for (const AttrSpec& spec : info.attributes) instruction.attributes.push_back(RandomAttribute(draws, spec));
  if (info.code == Opcode::kConstant && !draws.OneIn(4)) {
    instruction.attributes[0] = {static_cast<int64_t>(draws.Below(num_constants + 1))};
  }
  return instruction;
}

Tensor RandomConstant(RandomDraws& draws) {
  Tensor tensor(RandomShape(draws, 5), kAllStorages[draws.Below(kAllStorages.size())]);
  for (uint8_t& byte : tensor.mutable_bytes()) byte = static_cast<uint8_t>(draws.Below(256));
  return tensor;
}

// Fields of any size: such a module need not be valid.
RecipeConstant RandomRecipe(RandomDraws& draws, uint32_t constant, const Shape& shape) {
  RecipeConstant r;
  r.constant = constant;
  r.recipe.function = static_cast<RecipeFunction>(draws.Below(AllRecipeFunctions().size()));
  r.recipe.count = shape.num_elements();
  for (int64_t* field : RecipeFields(r.recipe)) *field = draws.AnyInt();
  for (uint8_t& byte : r.sha256) byte = static_cast<uint8_t>(draws.Below(256));
  return r;
}

}  // namespace

Module RandomModule(uint64_t seed, int size) {
  RandomDraws draws(seed);
  const auto count = [&] { return draws.Below(static_cast<uint64_t>(size) + 1); };
  Module module;
  module.spec_version = draws.OneIn(4) ? static_cast<uint32_t>(draws.AnyInt()) : 1;
  module.profile = draws.OneIn(2) ? Profile::kCvm : Profile::kCore;

  auto tensors = std::make_shared<std::vector<Tensor>>();
  for (uint64_t n = count(); n > 0; --n) tensors->push_back(RandomConstant(draws));
  for (const Tensor& tensor : *tensors) {
    module.constants.push_back(tensor.view());
    if (!draws.OneIn(4)) continue;
    module.recipes.push_back(
        RandomRecipe(draws, static_cast<uint32_t>(module.constants.size() - 1), tensor.shape()));
    module.constants.back().bytes = {};
  }

  Function& entry = module.functions.emplace_back();
  for (uint64_t n = count(); n > 0; --n) {
    entry.params.push_back({RandomShape(draws, 500), {draws.AnyInt(), draws.AnyInt()}});
    module.metadata.params.push_back(RandomInfo(draws));
  }
  for (uint64_t n = count(); n > 0; --n) entry.body.push_back(RandomInstruction(draws, tensors->size()));
  for (uint64_t n = count(); n > 0; --n) {
    entry.results.push_back(static_cast<ValueId>(draws.Within(0, 20)));
    module.metadata.results.push_back(RandomInfo(draws));
  }
  for (uint64_t more = draws.Below(4); more > 0; --more) {
    Function& function = module.functions.emplace_back();
    for (uint64_t n = count(); n > 0; --n) {
      function.params.push_back({RandomShape(draws, 500), {draws.AnyInt(), draws.AnyInt()}});
    }
    for (uint64_t n = count(); n > 0; --n) function.body.push_back(RandomInstruction(draws, tensors->size()));
    for (uint64_t n = count(); n > 0; --n)
      function.results.push_back(static_cast<ValueId>(draws.Within(0, 20)));
  }
  module.backing = std::move(tensors);
  return module;
}

}  // namespace tally
