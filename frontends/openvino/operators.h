// The importer of each operation: operators.inc has the rows.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/openvino/ir_layer.h"

namespace tally::openvino {

using OperationImporter = absl::Status (*)(IrNode&);

#define OPENVINO_OPERATION(name, importer) absl::Status importer(IrNode& node);
#include "frontends/openvino/operators.inc"
#undef OPENVINO_OPERATION

// Names are those of the file in any case. Errors: model_unsupported_operator.
absl::StatusOr<OperationImporter> FindImporter(std::string_view type);

}  // namespace tally::openvino
