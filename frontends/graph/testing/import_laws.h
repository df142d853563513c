// Laws of every importer for any bytes, for tests and fuzzing.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/report.h"
#include "quant/graph/graph.h"

namespace tally::frontend {

// `import` is what a frontend makes of some bytes, `report` what it says of the same bytes. OK when the
// import is a graph that passes Verify, or is refused with a label of the frontends (`model_...`, or
// `own_labels...`); and the report says the same: what it lists first is what ends the import.
absl::Status CheckImportLaws(const absl::StatusOr<quant::Graph>& import,
                             const absl::StatusOr<ModelReport>& report,
                             std::string_view own_labels = "model_");

}  // namespace tally::frontend
