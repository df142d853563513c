#include "tests/onnx_export/draw_instruction.h"

#include <utility>
#include <vector>

#include "fuzz/generators/call_generator.h"
#include "vm/validator.h"

namespace tally {

std::optional<ValidModule> DrawInstruction(Opcode op, EntropySource& e) {
  ModuleDraft draft(InfoOf(op).profile);
  CallContext c = {InfoOf(op), draft, e};
  const Attempt attempt = DrawAttempt(c);
  const int first = draft.size();
  if (!draft.TryEmit(op, attempt.operands, *attempt.attributes)) return std::nullopt;
  std::vector<DraftId> results;
  for (DraftId id = first; id < draft.size(); ++id) results.push_back(id);
  auto valid = Validate(draft.Build(results));
  if (!valid.ok()) return std::nullopt;
  return *std::move(valid);
}

std::vector<uint8_t> BytesOfDraw(Opcode op, uint64_t number) {
  constexpr size_t kBytes = 1024;
  return NoiseBytes(number * 1000 + static_cast<uint64_t>(op), kBytes);
}

}  // namespace tally
