#include "fuzz/generators/network.h"
#include "ops/op_table.h"

namespace tally {
namespace {

bool NamesFunctions(const OpInfo& op) { return op.results == kResultsOfFunction; }

// How often an operator is drawn: more of those with many kernels that each take few of the calls.
size_t WeightOf(Opcode op) {
  switch (op) {
    case Opcode::kCvmLut:
    case Opcode::kLayerNorm:
    case Opcode::kLocalResponseNorm:
    case Opcode::kLogSoftmax:
    case Opcode::kRmsNorm:
    case Opcode::kSoftmax: return 3;
    case Opcode::kClz:
    case Opcode::kCropResize:
    case Opcode::kDeformablePsroiPool:
    case Opcode::kPsroiPool:
    case Opcode::kRoiAlign:
    case Opcode::kRoiMaxPool:
    case Opcode::kShiftRight:
    case Opcode::kSqrt:
    case Opcode::kTable:
    case Opcode::kWindowSum: return 2;
    default: return 1;
  }
}

std::vector<const OpInfo*> LegalOps(const ModuleDraft& draft) {
  std::vector<const OpInfo*> legal;
  for (const OpInfo& op : AllOps()) {
    const bool in_profile = draft.profile() == Profile::kCore || op.profile == Profile::kCvm;
    if (!in_profile || (draft.limits().max_depth == 0 && NamesFunctions(op))) continue;
    legal.insert(legal.end(), WeightOf(op.code), &op);
  }
  return legal;
}

// Each with a chance of one in `n`; all where none is left.
template <typename T>
std::vector<T> SomeOf(EntropySource& e, const std::vector<T>& all, int n) {
  std::vector<T> some;
  for (const T& one : all) {
    if (e.OneIn(n)) some.push_back(one);
  }
  return some.empty() ? all : some;
}

}  // namespace

std::span<const Move> AllMoves() {
  static const std::vector<Move> all = [] {
    std::vector<Move> moves;
    // Sums twice: they have most forms, and most is done after them.
    for (const auto group :
         {MovesOfGemm(), MovesOfGemm(), MovesBehindGemm(), MovesOfViews(), MovesOfJoins()}) {
      moves.insert(moves.end(), group.begin(), group.end());
    }
    return moves;
  }();
  return all;
}

Swarm DrawSwarm(EntropySource& e, const ModuleDraft& draft) {
  Swarm swarm = {.ops = LegalOps(draft)};
  const int64_t kind = e.Between(0, 2);
  if (kind == 0) {
    swarm.inputs = e.Pick(
        {Inputs::kAny, Inputs::kImages, Inputs::kImages, Inputs::kImages, Inputs::kImages, Inputs::kSteps});
    return swarm;
  }
  // One number stands for the whole choice, which otherwise took a byte for each operator.
  const std::vector<uint8_t> noise = NoiseBytes(static_cast<uint64_t>(e.Between(0, 0xffff)), 512);
  EntropySource of_swarm(noise);
  std::vector<const Move*> moves;
  for (const Move& move : AllMoves()) {
    if (draft.profile() == Profile::kCore || move.profile == Profile::kCvm) moves.push_back(&move);
  }
  swarm.moves = SomeOf(of_swarm, moves, of_swarm.Pick({1, 2, 3}));
  swarm.ops = SomeOf(of_swarm, swarm.ops, of_swarm.Pick({1, 8, 30}));
  swarm.any_op_in = of_swarm.Pick({2, 4, 16});
  swarm.result_in = of_swarm.Pick({8, 40, 1000});
  swarm.sizes = of_swarm.Pick({Sizes::kSmall, Sizes::kOnes, Sizes::kTiles, Sizes::kLines});
  swarm.ranges = of_swarm.Pick({Ranges::kBytes, Ranges::kMixed, Ranges::kWide});
  swarm.batches = of_swarm.OneIn(2);
  swarm.inputs = of_swarm.Pick({Inputs::kAny, Inputs::kImages, Inputs::kImages, Inputs::kSteps});
  return swarm;
}

Swarm SwarmOfBody(const Swarm* swarm, const ModuleDraft& body) {
  Swarm of_body = swarm != nullptr ? *swarm : Swarm{};
  if (body.limits().max_depth == 0) {
    std::erase_if(of_body.ops, [](const OpInfo* op) { return NamesFunctions(*op); });
  }
  if (of_body.ops.empty()) of_body.ops = LegalOps(body);
  return of_body;
}

}  // namespace tally
