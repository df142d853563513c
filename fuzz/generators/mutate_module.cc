#include "fuzz/generators/mutate_module.h"

#include <limits>
#include <string>

#include "fuzz/generators/values.h"

namespace tally {
namespace {

int64_t RandomNumber(EntropySource& e) {
  switch (e.Between(0, 3)) {
    case 0: return e.Between(-2, 2);
    case 1: return e.Between(-300, 300);
    case 2: return e.Pick({INT64_MIN, INT64_MAX, int64_t{1} << 31, -(int64_t{1} << 31), int64_t{1} << 47});
    default: return e.Between(INT64_MIN, INT64_MAX);
  }
}

void MutateAttributes(EntropySource& e, Attributes& attributes) {
  if (attributes.empty() || e.OneIn(8)) {
    attributes.push_back({RandomNumber(e)});
    return;
  }
  AttrValue& value = e.PickFrom(attributes);
  if (value.empty() || e.OneIn(4)) {
    value.push_back(RandomNumber(e));
  } else if (e.OneIn(4)) {
    value.pop_back();
  } else if (e.OneIn(4)) {
    attributes.pop_back();
  } else {
    e.PickFrom(value) = RandomNumber(e);
  }
}

void MutateOperands(EntropySource& e, std::vector<ValueId>& operands) {
  if (operands.empty() || e.OneIn(4)) {
    operands.push_back(static_cast<ValueId>(RandomNumber(e)));
  } else if (e.OneIn(4)) {
    operands.pop_back();
  } else {
    e.PickFrom(operands) = static_cast<ValueId>(e.Between(0, 40));
  }
}

void MutateBody(EntropySource& e, std::vector<Instruction>& body) {
  if (body.empty()) return;
  const auto at = body.begin() + e.Between(0, static_cast<int64_t>(body.size()) - 1);
  switch (e.Between(0, 6)) {
    case 0: body.erase(at); return;
    case 1: body.insert(at, Instruction(*at)); return;
    case 2: at->op = AllOps()[e.Between(0, static_cast<int64_t>(AllOps().size()) - 1)].code; return;
    case 3:
    case 4: return MutateOperands(e, at->operands);
    default: return MutateAttributes(e, at->attributes);
  }
}

void MutateParam(EntropySource& e, std::vector<TensorType>& params) {
  if (params.empty() || e.OneIn(8)) {
    params.push_back({Shape(), {0, 1}});
    return;
  }
  TensorType& type = e.PickFrom(params);
  if (e.OneIn(2)) {
    type.shape = RandomShape(e, 0, kMaxRank, 1 << 20);
  } else {
    (e.OneIn(2) ? type.interval.lo : type.interval.hi) = RandomNumber(e);
  }
}

void MutateFunctions(EntropySource& e, std::vector<Function>& functions) {
  switch (e.Between(0, 2)) {
    case 0: functions.clear(); return;
    case 1: functions.push_back(Function(functions[0])); return;
    default: functions.pop_back(); return;
  }
}

void MutateMetadata(EntropySource& e, std::vector<ValueInfo>& infos) {
  if (infos.empty() || e.OneIn(4)) {
    infos.push_back({"one too many", {}});
    return;
  }
  ValueInfo& info = e.PickFrom(infos);
  if (e.OneIn(2)) {
    info.quantization = {RandomNumber(e), RandomNumber(e), RandomNumber(e)};
  } else {
    info.name = e.Pick<const char*>({"", "r0", "p0", "\n", "\xff", "\xc3"});
  }
}

void MutateConstants(EntropySource& e, Module& module) {
  if (!module.recipes.empty() && e.OneIn(2)) {
    RecipeConstant& constant = e.PickFrom(module.recipes);
    auto fields = RecipeFields(constant.recipe);
    *e.PickFrom(fields) = RandomNumber(e);
  } else if (!module.constants.empty()) {
    module.constants.pop_back();
    std::erase_if(module.recipes,
                  [&](const RecipeConstant& r) { return r.constant == module.constants.size(); });
  }
}

}  // namespace

void MutateModule(EntropySource& e, Module& module) {
  Function& function = e.PickFrom(module.functions);
  switch (e.Between(0, 9)) {
    case 0: module.spec_version = static_cast<uint32_t>(RandomNumber(e)); return;
    case 1: module.profile = module.profile == Profile::kCvm ? Profile::kCore : Profile::kCvm; return;
    case 2: return MutateParam(e, function.params);
    case 3: return MutateMetadata(e, e.OneIn(2) ? module.metadata.params : module.metadata.results);
    case 4:
      if (!function.results.empty()) e.PickFrom(function.results) = static_cast<ValueId>(RandomNumber(e));
      return;
    case 5: return MutateFunctions(e, module.functions);
    case 6: return MutateConstants(e, module);
    default: return MutateBody(e, function.body);
  }
}

}  // namespace tally
