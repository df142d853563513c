#include "vm/place_values.h"

#include "base/status_macros.h"

namespace tally {
namespace {

// Step s is instruction s; parameters are live from step 0 and results until the next step the last.
std::vector<BufferRequest> RequestsOfValues(const Function& function, bool is_entry,
                                            const FunctionFacts& facts) {
  const auto end = static_cast<int32_t>(function.body.size());
  const size_t elsewhere = is_entry ? 0 : function.params.size();
  std::vector<BufferRequest> requests(facts.types.size());
  for (size_t id = elsewhere; id < requests.size(); ++id) {
    requests[id].size_bytes = facts.constants[id] >= 0 ? 0 : facts.types[id].size_bytes();
  }
  for (int32_t step = 0; step < end; ++step) {
    const InstructionFacts& instruction = facts.instructions[step];
    for (int r = 0; r < instruction.num_results; ++r) {
      BufferRequest& request = requests[instruction.first_result + r];
      request.first = request.last = step;
    }
    for (const ValueId id : function.body[step].operands) requests[id].last = step;
  }
  for (const ValueId id : function.results) requests[id].last = end;
  return requests;
}

}  // namespace

absl::Status PlaceValues(const Function& function, bool is_entry, int64_t* live_pairs, FunctionFacts* facts) {
  const std::vector<BufferRequest> requests = RequestsOfValues(function, is_entry, *facts);
  for (const BufferRequest& request : requests) facts->last_steps.push_back(request.last);
  facts->offsets.assign(requests.size(), -1);
  // A value without bytes need not be compared with anything.
  std::vector<int64_t*> places;
  std::vector<BufferRequest> sized;
  for (size_t id = 0; id < requests.size(); ++id) {
    if (requests[id].size_bytes == 0) continue;
    places.push_back(&facts->offsets[id]);
    sized.push_back(requests[id]);
  }
  for (size_t step = 0; step < function.body.size(); ++step) {
    InstructionFacts& instruction = facts->instructions[step];
    if (instruction.scratch_bytes == 0) continue;
    places.push_back(&instruction.scratch_offset);
    const auto at = static_cast<int32_t>(step);
    sized.push_back({instruction.scratch_bytes, at, at});
  }
  ASSIGN_OR_RETURN(const MemoryPlan plan, PlanMemory(sized, *live_pairs));
  *live_pairs -= plan.live_pairs;
  for (size_t i = 0; i < places.size(); ++i) *places[i] = plan.offsets[i];
  facts->arena_bytes = plan.arena_bytes;
  facts->largest_live_bytes = plan.largest_live_bytes;
  return absl::OkStatus();
}

}  // namespace tally
