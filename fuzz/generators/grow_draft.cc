#include "fuzz/generators/shaper.h"
#include "ops/op_table.h"

namespace tally {
namespace {

bool NamesFunctions(const OpInfo& op) { return op.results == kResultsOfFunction; }

std::vector<const OpInfo*> LegalOps(const ModuleDraft& draft) {
  std::vector<const OpInfo*> legal;
  for (const OpInfo& op : AllOps()) {
    const bool in_profile = draft.profile() == Profile::kCore || op.profile == Profile::kCvm;
    if (in_profile && (draft.limits().max_depth > 0 || !NamesFunctions(op))) legal.push_back(&op);
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

}  // namespace

void GrowDraft(EntropySource& e, int64_t instructions, ModuleDraft& draft) {
  const std::vector<const OpInfo*> ops = LegalOps(draft);
  for (int64_t i = 0; i < instructions; ++i) {
    if (e.OneIn(16)) {
      AddSumChain(e, draft);
    } else {
      AddInstruction(e, *e.PickFrom(ops), draft);
    }
  }
}

std::vector<DraftId> ChooseResults(EntropySource& e, const ModuleDraft& draft) {
  std::vector<DraftId> results;
  for (DraftId id = 0; id < draft.size(); ++id) {
    if (!draft.is_used(id) || e.OneIn(8)) results.push_back(id);
  }
  return results;
}

}  // namespace tally
