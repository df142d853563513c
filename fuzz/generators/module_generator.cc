#include "fuzz/generators/module_generator.h"

#include <string>

#include "fuzz/generators/shaper.h"
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

}  // namespace

Module GenerateModule(EntropySource& e, const GeneratorOptions& options) {
  const Profile profile = options.profile.value_or(e.OneIn(3) ? Profile::kCvm : Profile::kCore);
  ModuleDraft draft(profile, options.limits);
  ShapeContext context = {AllOps()[0], draft, e};
  context.Operand({.source = Source::kComputed});
  GrowDraft(e, e.Between(1, options.max_instructions), draft);
  Module module = draft.Build(ChooseResults(e, draft));
  Describe(e, module.metadata.params);
  Describe(e, module.metadata.results);
  return module;
}

std::vector<Tensor> GenerateInputs(EntropySource& e, const Function& entry) {
  std::vector<Tensor> inputs;
  for (const TensorType& type : entry.params) {
    const Tensor tensor = RandomTensor(e, type);
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
