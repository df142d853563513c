#include "fuzz/generators/module_generator.h"

#include <string>

#include "fuzz/generators/network.h"
#include "fuzz/generators/values.h"
#include "ops/op_table.h"

namespace tally {
namespace {

void Describe(EntropySource& e, std::vector<ValueInfo>& infos) {
  for (ValueInfo& info : infos) {
    if (e.OneIn(4)) {
      info.name += e.Pick<const char*>({" two words", "/scoped:0", "\"quoted\\", "\u00e9\u4e2d", "%#;,={}"});
    }
    if (!e.OneIn(4)) continue;
    info.quantization = {.zero_point = e.Between(-128, 127),
                         .multiplier = 2 * e.Between(0, (int64_t{1} << 52) - 1) + 1,
                         .shift = e.Between(-1074, 1074)};
  }
}

Tensor Filled(const TensorType& type, int64_t value) {
  Tensor tensor(type.shape, type.storage());
  for (int64_t i = 0; i < type.shape.num_elements(); ++i) {
    StoreElement(type.storage(), tensor.mutable_bytes().data(), i, value);
  }
  return tensor;
}

}  // namespace

Module GenerateModule(EntropySource& e, const GeneratorOptions& options) {
  const Profile profile = options.profile.value_or(e.OneIn(4) ? Profile::kCvm : Profile::kCore);
  ModuleDraft draft(profile, options.limits);
  const Swarm swarm = DrawSwarm(e, draft);
  if (swarm.moves.empty()) {
    CallContext context = {AllOps()[0], draft, e};
    context.Operand({.source = Source::kComputed});
  }
  const int moves = 1 + (swarm.moves.empty() ? 1 : 0);  // one writes about two instructions
  GrowDraft(e, swarm, e.Between(1, options.max_steps * moves), draft);
  if (draft.size() == 0) draft.AddParam({ShapeOf({1}), {0, 1}});
  Module module = draft.Build(ChooseResults(e, swarm, draft));
  Describe(e, module.metadata.params);
  Describe(e, module.metadata.results);
  return module;
}

std::vector<Tensor> GenerateInputs(EntropySource& e, const Function& entry) {
  // All at their lows, all at their highs, each at one of both, or any.
  const int64_t kind = e.Between(0, 11);
  std::vector<Tensor> inputs;
  for (const TensorType& type : entry.params) {
    const bool high = kind == 2 ? e.OneIn(2) : kind == 1;
    const Tensor tensor =
        kind > 2 ? RandomTensor(e, type) : Filled(type, high ? type.interval.hi : type.interval.lo);
    inputs.push_back(Tensor::Copy(tensor.view(), e.OneIn(4) ? Storage::kI64 : type.storage()));
  }
  return inputs;
}

std::vector<TensorView> ViewsOf(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

}  // namespace tally
