// The importer of each layer type: operators.inc has the rows.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/coreml/coreml_layer.h"

namespace tally::coreml {

using LayerImporter = absl::Status (*)(CoremlLayer&);

#define COREML_LAYER(type, importer) absl::Status importer(CoremlLayer& layer);
#include "frontends/coreml/operators.inc"
#undef COREML_LAYER

// As Apple's schema calls it: "innerProduct"; "number 1500" for one that ours does not have.
std::string TypeOf(const schema::Layer& layer);

// Errors: model_unsupported_operator.
absl::StatusOr<LayerImporter> FindImporter(const schema::Layer& layer);

}  // namespace tally::coreml
