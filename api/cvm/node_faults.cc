#include "api/cvm/node_faults.h"

#include <algorithm>

#include "api/cvm/labels.h"
#include "base/error.h"
#include "vm/labels.h"

namespace tally::cvm {

bool IsOfTheNode(const absl::Status& status) {
  constexpr Label kLabels[] = {label::cvm_null, label::cvm_device, label::engine_unavailable,
                               label::device_memory, label::device_failed};
  const auto stage = ErrorStageOf(status);
  return !stage || stage == ErrorStage::fault ||
         std::ranges::any_of(kLabels, [&](Label label) { return HasLabel(status, label); });
}

}  // namespace tally::cvm
