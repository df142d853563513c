#include "fuzz/generators/network.h"
#include "fuzz/generators/places.h"
#include "ops/op_table.h"

namespace tally {
namespace {

constexpr int kAttempts = 3;

void AddMove(Network& network) {
  const Move& move = *network.e.PickFrom(network.swarm.moves);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ModuleDraft::Mark before = network.draft.mark();
    if (move.make(network)) return;
    network.draft.Rollback(before);
  }
}

}  // namespace

bool Network::AddOperator(Opcode op) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ModuleDraft::Mark before = draft.mark();
    CallContext context = {InfoOf(op), draft, e, &swarm};
    const Attempt drawn = DrawAttempt(context);
    if (draft.TryEmit(op, drawn.operands, *drawn.attributes)) {
      if (e.OneIn(swarm.inputs == Inputs::kAny ? 8 : 2)) Place(e, draft, draft.size() - 1);
      return true;
    }
    draft.Rollback(before);
  }
  return false;
}

void GrowDraft(EntropySource& e, const Swarm& swarm, int64_t steps, ModuleDraft& draft) {
  Network network(e, swarm, draft);
  for (int64_t i = 0; i < steps; ++i) {
    if (swarm.moves.empty() || e.OneIn(swarm.any_op_in)) {
      network.AddAnyOperator();
    } else {
      AddMove(network);
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
