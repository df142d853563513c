#include "api/cvm/node_faults.h"

#include <algorithm>

#include "api/cvm/labels.h"
#include "api/labels.h"
#include "vm/labels.h"

namespace tally::cvm {

bool IsOfTheNode(const api::Failure& failure) {
  constexpr Label kLabels[] = {label::api_null, label::cvm_device, label::engine_unavailable,
                               label::device_memory, label::device_failed};
  return failure.stage.empty() || failure.stage == ErrorStageName(ErrorStage::fault) ||
         std::ranges::any_of(kLabels, [&](Label label) { return failure.label == label.name(); });
}

}  // namespace tally::cvm
