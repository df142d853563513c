#include "fuzz/oracles/validation.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/validator.h"

namespace tally {
namespace {

bool SameFacts(const FunctionFacts& a, const FunctionFacts& b) {
  const auto same_facts = [](const InstructionFacts& x, const InstructionFacts& y) {
    return x.first_result == y.first_result && x.num_results == y.num_results &&
           x.accumulator == y.accumulator && x.gas == y.gas && x.scratch_bytes == y.scratch_bytes &&
           x.scratch_offset == y.scratch_offset;
  };
  return a.gas == b.gas && a.arena_bytes == b.arena_bytes && a.types == b.types &&
         a.precisions == b.precisions && a.offsets == b.offsets && a.results == b.results &&
         std::ranges::equal(a.instructions, b.instructions, same_facts);
}

// The last step that reads each value; results are read at the step after the body.
std::vector<size_t> LastReads(const Function& function, const FunctionFacts& facts) {
  std::vector<size_t> last(facts.types.size(), 0);
  for (size_t step = 0; step < function.body.size(); ++step) {
    for (const ValueId id : function.body[step].operands) last[id] = step;
  }
  for (const ValueId id : function.results) last[id] = function.body.size();
  return last;
}

// Values and the working memory of one step, if it has any.
absl::Status CheckApart(const FunctionFacts& facts, const std::vector<ValueId>& live,
                        const InstructionFacts* instruction) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const ValueId id : live) {
    ranges.emplace_back(facts.offsets[id], facts.offsets[id] + facts.types[id].size_bytes());
  }
  if (instruction != nullptr && instruction->scratch_bytes > 0) {
    const int64_t begin = instruction->scratch_offset;
    ranges.emplace_back(begin, begin + instruction->scratch_bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto [begin, end] = ranges[i];
    if (begin < 0 || begin % kBufferAlignment != 0 || end > facts.arena_bytes) {
      return absl::InternalError(absl::StrCat("a value lies at ", begin));
    }
    if (i > 0 && begin < ranges[i - 1].second) {
      return absl::InternalError(absl::StrCat("live values overlap at ", begin));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckPlacementOf(const Function& function, bool is_entry, const FunctionFacts& facts) {
  const std::vector<size_t> last_reads = LastReads(function, facts);
  std::vector<ValueId> live;
  for (ValueId id = 0; is_entry && id < function.params.size(); ++id) live.push_back(id);
  int64_t peak = 0;
  for (size_t step = 0; step <= function.body.size(); ++step) {
    int64_t bytes = 0;
    const InstructionFacts* instruction = step < function.body.size() ? &facts.instructions[step] : nullptr;
    if (instruction != nullptr) {
      for (int r = 0; r < instruction->num_results; ++r) {
        if (facts.constants[instruction->first_result + r] < 0) live.push_back(instruction->first_result + r);
      }
      bytes = RoundUp(instruction->scratch_bytes, kBufferAlignment);
    }
    RETURN_IF_ERROR(CheckApart(facts, live, instruction));
    for (const ValueId id : live) bytes += RoundUp(facts.types[id].size_bytes(), kBufferAlignment);
    peak = std::max(peak, bytes);
    std::erase_if(live, [&](ValueId id) { return last_reads[id] <= step; });
  }
  if (peak == facts.largest_live_bytes && peak <= facts.arena_bytes) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("peak ", peak, " is not the reported ", facts.largest_live_bytes,
                                          " or exceeds the arena of ", facts.arena_bytes));
}

}  // namespace

absl::Status CheckValidationIsPure(const Module& module) {
  const auto first = Validate(module), second = Validate(module);
  if (first.status() != second.status()) return absl::InternalError("two validations disagree");
  if (!first.ok()) {
    if (ErrorLabel(first.status()).empty()) return absl::InternalError("a refusal without a label");
    return absl::OkStatus();
  }
  if (!std::ranges::equal(first->functions(), second->functions(), SameFacts))
    return absl::InternalError("two validations prove different facts");
  return absl::OkStatus();
}

absl::Status CheckPlacement(const ValidModule& module) {
  for (size_t f = 0; f < module.functions().size(); ++f) {
    RETURN_IF_ERROR(CheckPlacementOf(module.module().functions[f], f == 0, module.functions()[f]));
  }
  return absl::OkStatus();
}

}  // namespace tally
