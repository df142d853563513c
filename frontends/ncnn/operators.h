// The importer of each layer type: operators.inc has the rows.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/ncnn/ncnn_layer.h"

namespace tally::ncnn {

using LayerImporter = absl::Status (*)(NcnnLayer&);

#define NCNN_LAYER(name, importer) absl::Status importer(NcnnLayer& layer);
#include "frontends/ncnn/operators.inc"
#undef NCNN_LAYER

// Errors: model_unsupported_operator.
absl::StatusOr<LayerImporter> FindImporter(std::string_view type);

}  // namespace tally::ncnn
