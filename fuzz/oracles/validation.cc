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

bool SameFacts(const ValidModule& a, const ValidModule& b) {
  const auto same_facts = [](const InstructionFacts& x, const InstructionFacts& y) {
    return x.first_result == y.first_result && x.accumulator == y.accumulator && x.gas == y.gas &&
           x.scratch_bytes == y.scratch_bytes;
  };
  return a.gas() == b.gas() && a.arena_bytes() == b.arena_bytes() &&
         std::ranges::equal(a.types(), b.types()) && std::ranges::equal(a.precisions(), b.precisions()) &&
         std::ranges::equal(a.offsets(), b.offsets()) && std::ranges::equal(a.facts(), b.facts(), same_facts);
}

// The last step that reads each value; results are read at the step behind the body.
std::vector<size_t> LastReads(const ValidModule& module) {
  const auto& body = module.entry().body;
  std::vector<size_t> last(module.types().size(), 0);
  for (size_t step = 0; step < body.size(); ++step) {
    for (const ValueId id : body[step].operands) last[id] = step;
  }
  for (const ValueId id : module.entry().results) last[id] = body.size();
  return last;
}

absl::Status CheckApart(const ValidModule& module, const std::vector<ValueId>& live) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const ValueId id : live) {
    const int64_t begin = module.offsets()[id];
    ranges.emplace_back(begin, begin + module.types()[id].size_bytes());
    if (begin < 0 || begin % kBufferAlignment != 0 || ranges.back().second > module.arena_bytes()) {
      return absl::InternalError(absl::StrCat("value %", id, " lies at ", begin));
    }
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first < ranges[i - 1].second) {
      return absl::InternalError(absl::StrCat("live values overlap at ", ranges[i].first));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckValidationIsPure(const Module& module) {
  const auto first = Validate(module), second = Validate(module);
  if (first.status() != second.status()) return absl::InternalError("two validations disagree");
  if (!first.ok()) {
    if (ErrorLabel(first.status()).empty()) return absl::InternalError("a refusal without a label");
    return absl::OkStatus();
  }
  if (!SameFacts(*first, *second)) return absl::InternalError("two validations prove different facts");
  return absl::OkStatus();
}

absl::Status CheckPlacement(const ValidModule& module) {
  const auto& body = module.entry().body;
  const std::vector<size_t> last_reads = LastReads(module);
  std::vector<ValueId> live;
  for (ValueId id = 0; id < module.entry().params.size(); ++id) live.push_back(id);
  int64_t peak = 0;
  for (size_t step = 0; step <= body.size(); ++step) {
    int64_t bytes = 0;
    if (step < body.size()) {
      const InstructionFacts& facts = module.facts()[step];
      for (int r = 0; r < InfoOf(body[step].op).results; ++r) {
        if (module.constant(facts.first_result + r) == nullptr) live.push_back(facts.first_result + r);
      }
      bytes = RoundUp(facts.scratch_bytes, kBufferAlignment);
    }
    RETURN_IF_ERROR(CheckApart(module, live));
    for (const ValueId id : live) bytes += RoundUp(module.types()[id].size_bytes(), kBufferAlignment);
    peak = std::max(peak, bytes);
    std::erase_if(live, [&](ValueId id) { return last_reads[id] <= step; });
  }
  if (peak == module.largest_live_bytes() && peak <= module.arena_bytes()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("peak ", peak, " is not the reported ", module.largest_live_bytes(),
                                          " or exceeds the arena of ", module.arena_bytes()));
}

}  // namespace tally
