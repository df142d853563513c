#include "fuzz/generators/network.h"
#include "ops/op_table.h"

namespace tally {
namespace {

constexpr int kAttempts = 3;

void AddInstruction(EntropySource& e, const Swarm& swarm, ModuleDraft& draft) {
  const OpInfo& op = *e.PickFrom(swarm.ops);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ModuleDraft::Mark before = draft.mark();
    ShapeContext context = {op, draft, e, &swarm};
    const Attempt drawn = DrawAttempt(context);
    if (draft.TryEmit(op.code, drawn.operands, *drawn.attributes)) return;
    draft.Rollback(before);
  }
}

void AddMove(EntropySource& e, const Swarm& swarm, ModuleDraft& draft) {
  const Move& move = *e.PickFrom(swarm.moves);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ModuleDraft::Mark before = draft.mark();
    Network network(e, swarm, draft);
    if (move.make(network)) return;
    draft.Rollback(before);
  }
}

}  // namespace

void GrowDraft(EntropySource& e, const Swarm& swarm, int64_t steps, ModuleDraft& draft) {
  for (int64_t i = 0; i < steps; ++i) {
    if (swarm.moves.empty() || e.OneIn(swarm.any_op_in)) {
      AddInstruction(e, swarm, draft);
    } else {
      AddMove(e, swarm, draft);
    }
  }
}

std::vector<DraftId> ChooseResults(EntropySource& e, const Swarm& swarm, const ModuleDraft& draft) {
  std::vector<DraftId> results;
  for (DraftId id = 0; id < draft.size(); ++id) {
    if (!draft.is_used(id) || e.OneIn(swarm.result_in)) results.push_back(id);
  }
  if (e.OneIn(32)) results.push_back(results[0]);
  return results;
}

}  // namespace tally
