#include "tests/kernels/drawn_call.h"

#include <algorithm>

#include "fuzz/generators/values.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr DraftLimits kLimits = {.max_elements = 1 << 16, .max_gas = int64_t{1} << 27, .max_depth = 0};

// Values that generators find when they look for operands: most of the shapes that they derive follow from
// these.
void AddParams(EntropySource& e, ModuleDraft& draft) {
  const Shape shape = TileShape(e);
  for (int64_t i = e.Between(0, 2); i > 0; --i) {
    draft.AddParam({e.OneIn(2) ? TileShape(e) : shape, TileInterval(e)});
  }
}

std::optional<std::vector<DraftId>> Emit(Opcode op, EntropySource& e, ModuleDraft& draft) {
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ModuleDraft::Mark before = draft.mark();
    CallContext context = {InfoOf(op), draft, e};
    const CallGenerator generate = FindKernelCallGenerator(op);
    Attempt drawn = generate != nullptr && !e.OneIn(3) ? generate(context) : DrawAttempt(context);
    if (!drawn.attributes.has_value()) drawn.attributes = context.RandomAttributes();
    const auto first = static_cast<DraftId>(draft.mark().values);
    if (draft.TryEmit(op, drawn.operands, *drawn.attributes)) {
      std::vector<DraftId> results;
      for (DraftId id = first; id < draft.size(); ++id) results.push_back(id);
      return results;
    }
    draft.Rollback(before);
  }
  return std::nullopt;
}

}  // namespace

Shape TileShape(EntropySource& e, int rank) {
  const auto tile = [&] {
    const int64_t unit = e.Pick<int64_t>({1, 2, 4, 8, 16, 32, 64, 128});
    return std::max<int64_t>(1, unit + e.Between(-1, 1));
  };
  const auto small = [&] { return e.Between(1, 12); };
  if (rank < 0) rank = static_cast<int>(e.Between(1, 5));
  std::vector<int64_t> dims;
  switch (rank) {
    case 0: break;
    case 1: dims = {e.OneIn(2) ? tile() : e.Between(1, 5000)}; break;
    case 2: dims = {e.OneIn(2) ? tile() : small(), tile()}; break;
    case 3: dims = {e.Between(1, 3), tile(), small()}; break;
    case 4:
      dims = {e.Between(1, 2), e.OneIn(2) ? tile() : small(), small(), e.OneIn(4) ? tile() : small()};
      break;
    default: dims = {e.Between(1, 2), small(), e.Between(1, 4), e.Between(1, 4), small()}; break;
  }
  if (rank == 2 && e.OneIn(2)) std::swap(dims[0], dims[1]);
  return ShapeOf(dims);
}

Interval TileInterval(EntropySource& e) {
  switch (e.Between(0, 9)) {
    case 0:
    case 1:
    case 2: return {-128, 127};
    case 3: return {-127, 127};
    case 4: return {0, 255};
    case 5: return {-32768, 32767};
    case 6: return RangeOf(Storage::kI32);
    case 7: return {-(1 << 20), 1 << 20};
    case 8: return {0, 1};
    default: return RandomInterval(e, TensorLimit(Profile::kCore));
  }
}

std::optional<DrawnCall> DrawCall(Opcode op, uint64_t seed) {
  const std::vector<uint8_t> noise = NoiseBytes(seed * 977 + static_cast<uint64_t>(op), 4096);
  EntropySource e(noise);
  ModuleDraft draft(Profile::kCore, kLimits);
  AddParams(e, draft);
  const auto results = Emit(op, e, draft);
  if (!results.has_value()) return std::nullopt;
  return CallOf(draft, *results, e);
}

std::optional<ValidModule> Repeated(const ValidModule& once) {
  constexpr int64_t kMost = 64, kEnoughGas = 1 << 18, kTimesPassing = 4;
  int64_t passing = once.gas();
  for (const InstructionFacts& facts : once.facts()) passing -= facts.gas;
  const InstructionFacts& last = once.facts().back();
  const int64_t enough = std::max(kEnoughGas, kTimesPassing * passing);
  Module repeated = once.module();
  Function& entry = repeated.functions[0];
  const Instruction instruction = entry.body.back();
  for (int64_t i = 1; i < std::clamp<int64_t>(enough / last.gas, 1, kMost); ++i) {
    entry.body.push_back(instruction);
    for (ValueId& id : entry.results) id += static_cast<ValueId>(last.num_results);
  }
  auto valid = Validate(std::move(repeated));
  if (!valid.ok()) return std::nullopt;
  return *std::move(valid);
}

std::optional<ValidModule> DrawRepeated(Opcode op, EntropySource& e) {
  ModuleDraft draft(Profile::kCore, kLimits);
  AddParams(e, draft);
  const auto results = Emit(op, e, draft);
  if (!results.has_value()) return std::nullopt;
  const auto once = Validate(draft.Build(*results));
  if (!once.ok()) return std::nullopt;
  return Repeated(*once);
}

std::optional<DrawnCall> CallOf(const ModuleDraft& draft, const std::vector<DraftId>& results,
                                EntropySource& e) {
  auto valid = Validate(draft.Build(results));
  if (!valid.ok()) return std::nullopt;

  DrawnCall call;
  call.module = std::make_shared<const ValidModule>(*std::move(valid));
  const ValidModule& module = *call.module;
  call.instruction = &module.entry().body.back();
  const InstructionFacts& facts = module.facts().back();
  call.accumulator = facts.accumulator;
  const auto& ids = call.instruction->operands;
  for (size_t i = 0; i < ids.size(); ++i) {
    const TensorType& type = module.types()[ids[i]];
    const TensorView* constant = module.constant(ids[i]);
    const auto first = static_cast<size_t>(std::find(ids.begin(), ids.end(), ids[i]) - ids.begin());
    call.same_as.push_back(static_cast<int>(first));
    call.operand_types.push_back(type);
    call.constants.push_back(constant);
    if (constant != nullptr) {
      call.operands.push_back(Tensor::Copy(*constant, constant->storage));
    } else {
      call.operands.push_back(first < i ? call.operands[first] : RandomTensor(e, type));
    }
    call.storages.push_back(call.operands.back().storage());
  }
  for (int r = 0; r < facts.num_results; ++r) {
    call.result_types.push_back(module.types()[facts.first_result + r]);
  }
  return call;
}

}  // namespace tally
