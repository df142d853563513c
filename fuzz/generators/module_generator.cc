#include "fuzz/generators/module_generator.h"

#include <string>

#include "fuzz/generators/shaper.h"
#include "fuzz/generators/values.h"
#include "ops/op_table.h"

namespace tally {
namespace {

std::vector<const OpInfo*> LegalOps(Profile profile) {
  std::vector<const OpInfo*> legal;
  for (const OpInfo& op : AllOps()) {
    if (profile == Profile::kCore || op.profile == Profile::kCvm) legal.push_back(&op);
  }
  return legal;
}

void AddInstruction(EntropySource& e, const OpInfo& op, ModuleDraft& draft) {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ModuleDraft::Mark before = draft.mark();
    ShapeContext context = {op, draft, e};
    const Attempt drawn = DrawAttempt(context);
    if (draft.TryEmit(op.code, drawn.operands, *drawn.attributes)) return;
    draft.Rollback(before);
  }
}

// Every value that nothing reads, and now and then one that something reads.
std::vector<DraftId> ChooseResults(EntropySource& e, const ModuleDraft& draft) {
  std::vector<DraftId> results;
  for (DraftId id = 0; id < draft.size(); ++id) {
    if (!draft.is_used(id) || e.OneIn(8)) results.push_back(id);
  }
  return results;
}

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
  const std::vector<const OpInfo*> ops = LegalOps(profile);
  ModuleDraft draft(profile, options.limits);
  ShapeContext context = {*ops[0], draft, e};
  context.Operand({.source = Source::kComputed});
  const int64_t instructions = e.Between(1, options.max_instructions);
  for (int64_t i = 0; i < instructions; ++i) AddInstruction(e, *e.PickFrom(ops), draft);
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
