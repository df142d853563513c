#include "bench/proof/read_costs.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/status_macros.h"
#include "bench/proof/judged_together.h"

namespace tally::bench {
absl::StatusOr<std::map<std::string, ReadCost>> MeasureReads(const std::shared_ptr<const ValidModule>& module,
                                                             const std::vector<Tensor>& inputs,
                                                             int64_t elements_of_each) {
  ASSIGN_OR_RETURN(const auto run, JudgedRun::Of("cpu", module, inputs));
  std::mt19937_64 random(1);
  std::map<std::string, ReadCost> costs;
  for (const auto& [place, value] : run->values()) {
    const int64_t size = value.shape().num_elements();
    const JudgedTogether together =
        TogetherWith(*module, run->committed(), FunctionAt(module->module(), place.path), place.id);
    ReadCost& cost = costs[together.name];
    cost.gathered_bytes = std::max(cost.gathered_bytes, together.gathered);
    for (int64_t i = 0; i < std::min(elements_of_each, size); ++i) {
      const int64_t element = i == 0 ? 0 : i == 1 ? size - 1 : static_cast<int64_t>(random() % size);
      ASSIGN_OR_RETURN(const JudgedElement judged, run->Judge(place, element));
      ++cost.elements;
      if (judged.columns > 0) ++cost.by_steps;
      if (judged.most.bytes >= cost.most.bytes) cost.most = judged.most;
    }
  }
  return costs;
}

}  // namespace tally::bench
