#include "fuzz/oracles/serving.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "base/testing/guarded_buffer.h"

namespace tally {
namespace {

absl::Status Serve(const std::string& engine, const Plan& plan, std::span<const TensorView> inputs,
                   const Outcome& expected, size_t misalign) {
  std::deque<GuardedBuffer> inputs_memory, results_memory;
  std::vector<TensorView> views(inputs.begin(), inputs.end());
  for (TensorView& view : views) {
    GuardedBuffer& memory = inputs_memory.emplace_back(view.bytes.size(), false, misalign);
    memory.Assign(view.bytes);
    view.bytes = memory.bytes();
  }
  std::vector<std::span<uint8_t>> results;
  for (const Tensor& result : expected.results) {
    GuardedBuffer& memory = results_memory.emplace_back(result.bytes().size(), true, misalign);
    results.emplace_back(memory.data(), result.bytes().size());
  }
  const auto fails = [&](const std::string& how) {
    return absl::InternalError(
        absl::StrCat("engine ", engine, misalign == 0 ? "" : ", unaligned", ": ", how));
  };
  RETURN_IF_ERROR(plan.ExecuteInto(views, results, {}));
  for (size_t r = 0; r < results.size(); ++r) {
    if (!std::ranges::equal(results[r], expected.results[r].bytes())) {
      return fails(absl::StrCat("result ", r, " differs"));
    }
    if (!results_memory[r].GuardsAreIntact()) return fails(absl::StrCat("wrote beside result ", r));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!std::ranges::equal(inputs_memory[i].bytes(), inputs[i].bytes) ||
        !inputs_memory[i].GuardsAreIntact()) {
      return fails(absl::StrCat("wrote into input ", i));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckServed(const std::string& engine, const Plan& plan, std::span<const TensorView> inputs,
                         const Outcome& expected) {
  RETURN_IF_ERROR(Serve(engine, plan, inputs, expected, 0));
  return Serve(engine, plan, inputs, expected, 1);
}

}  // namespace tally
